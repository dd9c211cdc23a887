"""A person's settings: where state is kept, the theme, and keys bound otherwise.

Read from `kanon-tui/settings.yaml` in the user's configuration folder:

    theme: kanon-light
    keys: {step.run: f5, save: ctrl+w}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path, user_state_path

from kanon_tui.core.errors import InputError

__all__ = ["Settings", "load_settings"]


@dataclass(frozen=True)
class Settings:
    """What a person may set for themselves."""

    state_folder: Path
    theme: str | None = None
    keys: dict[str, str] = field(default_factory=dict)


def load_settings(environment: Mapping[str, str]) -> Settings:
    """Settings from the file, if there is one; `KANON_THEME` wins over it."""
    import yaml

    path = user_config_path("kanon-tui") / "settings.yaml"
    given: dict[str, object] = {}
    if path.is_file():
        try:
            given = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            raise InputError(f"{path}: it cannot be read as YAML; mend or remove it") from None
    keys = given.get("keys", {})
    theme = environment.get("KANON_THEME") or given.get("theme")
    if not isinstance(keys, dict) or not (theme is None or isinstance(theme, str)):
        raise InputError(f"{path}: write theme: NAME and keys: {{NAME: KEY}}, nothing else")
    return Settings(
        state_folder=user_state_path("kanon-tui"),
        theme=theme,
        keys={str(name): str(key) for name, key in keys.items()},
    )
