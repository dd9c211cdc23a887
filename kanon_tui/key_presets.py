"""Sets of keys with a name: `keys: vim` in the settings."""

from __future__ import annotations

__all__ = ["PRESETS"]

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
        # What these letters do otherwise.
        "attributes.kind": "K",
        "hierarchies.group": "J",
        "watch.jump": "J",
        "what-if.values": "K",
    }
}
"""Per preset the keys of every binding that has others than it is declared with."""
