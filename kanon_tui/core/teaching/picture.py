"""A picture: rows of text with tones, and what draws one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar, Literal

import numpy as np

from kanon_tui.core.clustering.facts import UNPLACED
from kanon_tui.core.pipeline.timeline import RunState, Timeline
from kanon_tui.core.task.task import Algorithm, Step, Task
from kanon_tui.core.teaching.canvas import Canvas
from kanon_tui.core.text import visible

Tone = Literal[
    "", "dim", "strong", "main", "good", "bad", "warn", "best", "here",
    "on-good", "on-bad", "on-warn", "on-best", "on-panel",
    "hue-0", "hue-1", "hue-2", "hue-3", "hue-4", "hue-5",
]  # fmt: skip
"""What a text means; a mark always goes with it, for those who see no colours.

`on-` colours the ground instead of the letters; hues tell clusters apart.
"""
HUES: tuple[Tone, ...] = ("hue-0", "hue-1", "hue-2", "hue-3", "hue-4", "hue-5")
Row = tuple[tuple[str, Tone], ...]


class Picture:
    """Rows that are written from the top; texts from data are made safe to show."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows: list[list[tuple[str, Tone]]] = [[]]

    def write(self, text: object, tone: Tone = "") -> Picture:
        """Add to the present row."""
        shown = visible(str(text))
        if shown:
            self._rows[-1].append((shown, tone))
        return self

    def end(self) -> None:
        """End the present row."""
        self._rows.append([])

    def line(self, text: object = "", tone: Tone = "") -> None:
        """Write a text and end its row."""
        self.write(text, tone)
        self.end()

    def wrap(self, text: object, tone: Tone = "dim") -> None:
        """Write a text in as many rows as it takes."""
        for line in wrap(visible(str(text)), max(self.width, 10)):
            self.line(line, tone)

    def entries(self, entries: Iterable[tuple[str, Tone]]) -> None:
        """Write short texts side by side, in as many rows as it takes."""
        used = 0
        for text, tone in entries:
            if used and used + len(text) > self.width:
                self.end()
                used = 0
            self.write(text, tone).write("  ")
            used += len(text) + 2
        if used:
            self.end()

    def add(self, canvas: Canvas[Tone]) -> None:
        """Write the rows of a canvas."""
        self.add_rows(tuple(canvas.runs(row)) for row in range(canvas.height))

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Write the rows of another picture."""
        for row in rows:
            for text, tone in row:
                self.write(text, tone)
            self.end()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The written rows, without the empty row at the end."""
        rows = self._rows if self._rows[-1] else self._rows[:-1]
        return tuple(tuple(row) for row in rows)

    @property
    def used(self) -> int:
        """Rows that are ended."""
        return len(self._rows) - 1

    def plain(self) -> str:
        """Return the rows as text without tones."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self.rows)


def fitted_widths(needed: Sequence[int], room: int, least: Sequence[int]) -> list[int]:
    """Return the widths of columns: what they need, the widest cut to what the room allows."""
    widths = list(needed)
    while sum(widths) > room:
        cut = [x for x, width in enumerate(widths) if width > least[x]]
        if not cut:
            break
        widths[max(cut, key=widths.__getitem__)] -= 1
    return widths


@dataclass(frozen=True, eq=False)
class Scene:
    """A step of a run, to be drawn."""

    task: Task
    algorithm: Algorithm
    timeline: Timeline
    number: int
    """The step that is shown; 0 before the first."""
    asked: Step | None = None
    """The next step, while a class is asked what it will be."""

    @property
    def step(self) -> Step | None:
        """The step itself; None before the first."""
        return self.timeline.step(self.number) if self.number and self.timeline.last else None

    @property
    def state(self) -> RunState:
        """The state after the step that is shown; before the first, where that one begins."""
        state = self.timeline.state(self.number)
        if not self.number and self.timeline.last:
            facts, state = self.timeline.step(1).facts, state.copy()
            begin = {"together": np.full(self.task.rows, UNPLACED, dtype=np.int32)}
            begin |= {name: facts[name] for name in ("lattice", "together") if name in facts}
            state.take(0, Step("begin", "", begin))
        return state


class Drawing(ABC):
    """One kind of picture. It remembers where arrow keys have moved it to."""

    name: ClassVar[str]

    @abstractmethod
    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Take an arrow key; return whether it did anything."""
        return False
