"""A user's settings: the theme, key bindings, the mouse, and the folder for state.

Read from `kanon-tui/settings.yaml` in the user's configuration folder:

    theme: kanon-light
    keys: vim                                 # or, with keys of one's own:
    keys: {preset: vim, step.run: f5, save: ctrl+w}
    mouse: off
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path, user_state_path

from kanon_tui.core.errors import InputError, check_known, suggestion

PRESETS: dict[str, dict[str, str]] = {
    "vim": {
        "move.up": "up,k",
        "move.down": "down,j",
        "move.left": "left,h",
        "move.right": "right,l",
        "move.page-up": "pageup,ctrl+u,ctrl+b",
        "move.page-down": "pagedown,ctrl+d,ctrl+f",
        "move.first-column": "home,0,circumflex_accent",
        "move.last-column": "end,dollar_sign",
        "move.top": "ctrl+home,g",
        "move.bottom": "ctrl+end,G",
        "list.first": "home,g",
        "list.last": "end,G",
        # Actions whose letters the preset takes for movement.
        "attributes.kind": "K",
        "hierarchies.group": "J",
        "watch.jump": "J",
        "what-if.values": "K",
    }
}
"""The keys of every binding that a preset changes."""


NAMES = ("theme", "keys", "mouse")


@dataclass(frozen=True)
class Settings:
    """A user's settings."""

    state_folder: Path
    theme: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    """The keys of rebound bindings by name, those of a preset included."""
    mouse: bool = True


def load_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings of the file, if there is one; `KANON_THEME` takes precedence."""
    import yaml

    path = user_config_path("kanon-tui") / "settings.yaml"
    settings: object = {}
    if path.is_file():
        try:
            settings = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError):
            raise InputError(f"{path}: it cannot be read as YAML; mend or remove it") from None
    if not isinstance(settings, dict):
        raise InputError(f"{path}: write one setting a line, such as theme: kanon-light")
    for name in settings:
        check_known(str(name), NAMES, f"{path}: unknown setting '{name}'")
    theme = environment.get("KANON_THEME") or settings.get("theme")
    mouse = settings.get("mouse", True)
    if not (theme is None or isinstance(theme, str)):
        raise InputError(f"{path}: theme is the name of a theme, such as kanon-light")
    if not isinstance(mouse, bool):
        raise InputError(f"{path}: mouse is on or off, not '{mouse}'")
    return Settings(
        user_state_path("kanon-tui"), theme, _keys(settings.get("keys", {}), path), mouse
    )


def _keys(written: object, path: Path) -> dict[str, str]:
    """Return the keys of a preset, of single bindings, or of a preset with exceptions."""
    bindings = {"preset": written} if isinstance(written, str) else written
    if not isinstance(bindings, dict):
        raise InputError(
            f"{path}: write keys: vim, or keys: {{NAME: KEY}} with names of docs/keys.md"
        )
    bindings = {str(name): str(key) for name, key in bindings.items()}
    preset = bindings.pop("preset", None)
    if preset is not None and preset not in PRESETS:
        hint = suggestion(preset, PRESETS)
        raise InputError(f"{path}: there are no keys named '{preset}'; {hint}")
    return {**PRESETS.get(preset or "", {}), **bindings}
