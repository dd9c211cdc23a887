"""Which algorithms a sweep compares: a list with marks."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.widgets.dialogs import ChooseSeveral

__all__ = ["ChooseAlgorithms"]


class ChooseAlgorithms(ChooseSeveral):
    """Several of all algorithms; gives their names in the order of the contents page, or None."""

    DEFAULT_CSS = """
    ChooseAlgorithms OptionList, ChooseAlgorithms OptionList:focus { max-height: 16; }
    """

    def __init__(self, chosen: Iterable[str]) -> None:
        super().__init__("Algorithms to compare", tuple(ALGORITHMS), chosen)

    def line(self, name: str, mark: str) -> Text:
        """The name of the algorithm, and its title."""
        return Text.assemble((f"{mark} {name:<13}", "bold"), (ALGORITHMS[name].title, "dim"))
