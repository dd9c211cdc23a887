"""The table of letters in docs/keys.md, made from the bindings of the screens.

`python -m tests.key_table` writes it anew.
"""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise

from textual.binding import Binding
from textual.dom import DOMNode

from tests.paths import ROOT

KEYS_PAGE = ROOT / "docs" / "keys.md"
BEGIN = "<!-- letters -->\n"
END = "<!-- /letters -->\n"

SCREENS: dict[str, tuple[str, ...]] = {
    "1 Data": ("data.screen.DataScreen",),
    "2 Attributes": ("attributes.screen.AttributesScreen",),
    "3 Hierarchies": (
        "hierarchies.screen.HierarchiesScreen",
        "hierarchies.level_rows.LevelsGrid",
    ),
    "4 Rules": ("rules.screen.RulesScreen",),
    "5 Run": ("run.screen.RunScreen", "run.live_view.LiveView"),
    "6 Results": ("results.screen.ResultsScreen",),
    "7 What-if": ("what_if.screen.WhatIfScreen",),
    "compare": ("results.compare.CompareScreen",),
    "attack": ("analyses.attack.AttackScreen",),
    "attacks": ("analyses.attacks.AttacksScreen",),
    "feasibility": ("analyses.generic.FormPanel",),
    "trees": ("analyses.trees.PartitionScreen",),
    "utility": ("analyses.utility.UtilityScreen",),
    "earlier": ("analyses.rerelease.RereleaseScreen",),
    "risks": ("analyses.risk_models.RiskModelsScreen",),
}
"""Screens, and what on them has letters of its own."""
STEPS = list(SCREENS)[:7]
NEIGHBOURS = [
    *pairwise(STEPS),
    *(("6 Results", panel) for panel in list(SCREENS)[7:]),
]
"""Screens one goes to and fro between: the numbers, and Results with what it opens."""
SIGNS = {
    "slash": "/", "number_sign": "#", "asterisk": "*", "full_stop": ".", "comma": ",", "plus": "+",
    "minus": "-", "greater_than_sign": ">", "less_than_sign": "<", "equals_sign": "=",
    "space": "space",
}  # fmt: skip


def letters(screen: str) -> dict[str, str]:
    """What every letter and sign does on a screen."""
    found: dict[str, str] = {}
    for place in SCREENS[screen]:
        module, _, name = place.rpartition(".")
        node: type[DOMNode] = getattr(import_module(f"kanon_tui.screens.{module}"), name)
        for key, bindings in node._merge_bindings().key_to_bindings.items():
            for one in bindings:
                if _is_told(key, one):
                    found[SIGNS.get(key, key)] = (one.tooltip or one.description).casefold()
    return found


def _is_told(key: str, binding: Binding) -> bool:
    moves = (binding.id or "").startswith(("move.", "list."))
    return bool((len(key) == 1 or key in SIGNS) and binding.description and not moves)


def table() -> str:
    """One row per letter, one column per screen."""
    known = {screen: letters(screen) for screen in SCREENS}
    every = sorted({key for row in known.values() for key in row}, key=lambda k: (k.lower(), k))
    lines = [
        f"| key | {' | '.join(SCREENS)} |",
        f"|---|{'---|' * len(SCREENS)}",
        *(
            f"| `{key}` | {' | '.join(row.get(key, '') for row in known.values())} |"
            for key in every
        ),
    ]
    return "\n".join(lines) + "\n"


def write() -> None:
    """Put the table into the page."""
    before, rest = KEYS_PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    KEYS_PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")


if __name__ == "__main__":
    write()
