"""Finding and marking attributes: by name, by pattern, all of them."""

from __future__ import annotations

from fnmatch import fnmatch

from kanon_tui.core.errors import InputError
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import AskText
from kanon_tui.widgets.grid import Grid

__all__ = ["AttributeMarking", "matching"]


def matching(names: list[str], pattern: str) -> list[str]:
    """Names that fit a pattern with `*` and `?`, whatever their case; a bare word fits anywhere."""
    wanted = pattern.strip().casefold()
    if not any(sign in wanted for sign in "*?["):
        wanted = f"*{wanted}*"
    return [name for name in names if fnmatch(name.casefold(), wanted)]


class AttributeMarking(StepScreen):
    """What role keys act on: the marked attributes, or the one under the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.marked: set[str] = set()
        self._wanted = ""

    @property
    def names(self) -> list[str]:
        """All attributes, in the order of the table."""
        return list(self.session.project.attributes)

    @property
    def current(self) -> str:
        return self.names[self.query_one("#attributes", Grid).row]

    @property
    def chosen(self) -> list[str]:
        """The marked attributes, or the one under the cursor."""
        return [name for name in self.names if name in self.marked] or [self.current]

    def show_marks(self) -> None:
        """Draw the marks."""
        raise NotImplementedError

    def action_select(self) -> None:
        """Mark the attribute under the cursor and go on to the next."""
        self.marked ^= {self.current}
        self.query_one("#attributes", Grid).action_move(1, 0)
        self.show_marks()

    def action_mark_by_pattern(self) -> None:
        """Mark those whose name fits; `*` is all, nothing takes every mark away."""

        def check(pattern: str) -> list[str]:
            found = matching(self.names, pattern) if pattern.strip() else []
            if pattern.strip() and not found:
                raise InputError("no attribute has such a name; * marks all, nothing none")
            return found

        def typed(pattern: str | None) -> None:
            if pattern is None:
                return
            found = check(pattern)
            self.marked = self.marked | set(found) if found else set()
            self.show_marks()
            self.host.say(
                f"{len(self.marked):,} of {len(self.names):,} marked: role keys act on all"
            )

        self.ask(
            AskText(
                "Mark which attributes?",
                "*",
                hint="A pattern such as *date* or zip?; * marks all, nothing takes all marks away. "
                "A word fits wherever it stands.",
                check=check,
            ),
            typed,
        )

    def action_find(self) -> None:
        """Ask for a part of a name and go there."""

        def typed(text: str | None) -> None:
            if text:
                self._wanted = text
                self.action_find_next(1)

        self.ask(AskText("Find an attribute", self._wanted, hint="A part of its name."), typed)

    def action_find_next(self, direction: int) -> None:
        """The next one below or above whose name has the text, round the end."""
        if not self._wanted:
            self.action_find()
            return
        grid, names = self.query_one("#attributes", Grid), self.names
        hits = [x for x, name in enumerate(names) if self._wanted.casefold() in name.casefold()]
        if not hits:
            self.host.say(f"no attribute has '{self._wanted}' in its name")
            return
        beyond = [x for x in hits[::direction] if direction * x > direction * grid.row]
        row = (beyond or hits[::direction])[0]
        grid.go_to(row)
        self.host.say(f"{hits.index(row) + 1:,} of {len(hits):,} with '{self._wanted}'")
