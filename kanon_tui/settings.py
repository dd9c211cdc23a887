"""A person's settings: where state is kept, the theme, keys bound otherwise, the mouse.

Read from `kanon-tui/settings.yaml` in the user's configuration folder:

    theme: kanon-light
    keys: vim                                 # or, with keys of one's own:
    keys: {preset: vim, step.run: f5, save: ctrl+w}
    mouse: off
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path, user_state_path

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.key_presets import PRESETS

__all__ = ["Settings", "load_settings"]

NAMES = ("theme", "keys", "mouse")


@dataclass(frozen=True)
class Settings:
    """A user's settings."""

    state_folder: Path
    theme: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    """Per name of a binding the keys that it has instead, a preset's among them."""
    mouse: bool = True


def load_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings of the file, if there is one; `KANON_THEME` takes precedence."""
    import yaml

    path = user_config_path("kanon-tui") / "settings.yaml"
    given: object = {}
    if path.is_file():
        try:
            given = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            raise InputError(f"{path}: it cannot be read as YAML; mend or remove it") from None
    if not isinstance(given, dict):
        raise InputError(f"{path}: write one setting a line, such as theme: kanon-light")
    for name in given:
        if name not in NAMES:
            raise InputError(f"{path}: unknown setting '{name}'; {suggestion(str(name), NAMES)}")
    theme, mouse = environment.get("KANON_THEME") or given.get("theme"), given.get("mouse", True)
    if not (theme is None or isinstance(theme, str)):
        raise InputError(f"{path}: theme is the name of a theme, such as kanon-light")
    if not isinstance(mouse, bool):
        raise InputError(f"{path}: mouse is on or off, not '{mouse}'")
    return Settings(user_state_path("kanon-tui"), theme, _keys(given.get("keys", {}), path), mouse)


def _keys(given: object, path: Path) -> dict[str, str]:
    """Return the keys of a preset, of single bindings, or of a preset with exceptions."""
    own = {"preset": given} if isinstance(given, str) else given
    if not isinstance(own, dict):
        raise InputError(
            f"{path}: write keys: vim, or keys: {{NAME: KEY}} with names of docs/keys.md"
        )
    own = {str(name): str(key) for name, key in own.items()}
    preset = own.pop("preset", None)
    if preset is not None and preset not in PRESETS:
        hint = suggestion(preset, PRESETS)
        raise InputError(f"{path}: there are no keys named '{preset}'; {hint}")
    return {**PRESETS.get(preset or "", {}), **own}
