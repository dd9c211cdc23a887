"""Where somebody stands in a timeline: going back and forth, finding, bookmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.task.steps import Step

__all__ = ["Playhead", "landmark"]

Fits = Callable[[Step], bool]


def landmark(step: Step) -> str:
    """The kind of decision that one jumps to: a test is what it found."""
    if step.kind == "test":
        return "passes" if step.facts.get("passes") else "fails"
    return step.kind


class Playhead:
    """The step that is shown: the newest, as long as nobody goes elsewhere."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self._shown: int | None = None
        self.bookmarks: set[int] = set()
        self.sought = ""
        """What `again` looks for, in words."""
        self._fits: Fits | None = None

    @property
    def number(self) -> int:
        """The step that is shown; 0 before there is any."""
        if self._shown is None:
            return self.timeline.last
        return min(max(self._shown, self.timeline.first), self.timeline.last)

    @property
    def at_end(self) -> bool:
        """Whether the newest step is shown."""
        return self.number >= self.timeline.last

    def go(self, number: int) -> bool:
        """Show a step, or the nearest there is; whether that is another than before."""
        before = self.number
        self._shown = min(max(number, self.timeline.first), self.timeline.last)
        if self._shown == self.timeline.last:
            self._shown = None  # and follow what comes
        return self.number != before

    def hold(self) -> None:
        """Stay at this step, whatever comes."""
        self._shown = self.number

    def move(self, steps: int) -> bool:
        """Some steps on, or back."""
        return self.go(self.number + steps)

    def kinds(self) -> list[tuple[str, int]]:
        """The kinds of decisions there are, and how many of each, the rarest first."""
        steps = self.timeline.steps(self.timeline.first, self.timeline.last)
        counts = Counter(landmark(step) for _, step in steps)
        return sorted(counts.items(), key=lambda pair: (pair[1], pair[0]))

    def seek_kind(self, kind: str) -> bool:
        """Look for decisions of a kind, from here on."""
        return self._seek(f"the next {kind}", lambda step: landmark(step) == kind)

    def seek_text(self, text: str) -> bool:
        """Look for sentences with a text in them, whatever its capitals."""
        wanted = text.casefold()
        return self._seek(f"'{text}'", lambda step: wanted in step.sentence.casefold())

    def _seek(self, sought: str, fits: Fits) -> bool:
        self.sought, self._fits = sought, fits
        return self.again()

    def again(self, forward: bool = True) -> bool:
        """The next (or the one before) of what was last looked for; from the end, the first."""
        if self._fits is None:
            return False
        found = self.timeline.find(self._fits, self.number, forward)
        if found is None:
            beyond = self.timeline.first - 1 if forward else self.timeline.last + 1
            found = self.timeline.find(self._fits, beyond, forward)
        if found is not None:
            self.go(found)
        return found is not None

    def toggle_bookmark(self) -> bool:
        """Mark the step that is shown, or take its mark away; whether it has one now."""
        self.bookmarks ^= {self.number}
        return self.number in self.bookmarks

    def next_bookmark(self) -> bool:
        """The next step with a mark, from the end the first."""
        kept = sorted(n for n in self.bookmarks if n >= self.timeline.first)
        if not kept:
            return False
        self.go(next((n for n in kept if n > self.number), kept[0]))
        return True
