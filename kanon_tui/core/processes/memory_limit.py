"""The memory that a run may take: what fits, and what to say where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.processes.process_memory import give_back, held, held_at_rest
from kanon_tui.core.reading import memory as machine_memory
from kanon_tui.core.reading import size_text

__all__ = ["AT_LEAST", "MemoryLimit"]

AT_LEAST = 600_000_000
"""Bytes that any streaming run takes: Python with its libraries and one piece at work."""
_OF_EVERY_PROCESS = 250_000_000
"""Of these bytes the libraries: what any process holds that has run once."""
_TEXT_COPIES = 4
"""A list of values is held so many times while it is used."""


@dataclass(frozen=True)
class MemoryLimit:
    """How many bytes a run may take; 0 for most of what the machine has."""

    bytes: int = 0
    held: int = 0
    """What the process holds beside the run: tables, screens, results of earlier runs."""

    def beside_what_is_held(self) -> MemoryLimit:
        """The limit of a run that begins now, in a process that holds something already."""
        holds = held()
        if self._matters(holds):  # what was freed just now is not held beside the run
            holds = held_at_rest()
        return replace(self, held=max(holds - _OF_EVERY_PROCESS, 0))

    def tidy(self) -> None:
        """Between two passes: what the last one has freed is given back, where it matters."""
        if self._matters(held()):
            give_back()

    def _matters(self, holds: int) -> bool:
        return holds > self.allowed // 4

    @property
    def allowed(self) -> int:
        """The limit in bytes."""
        return self.bytes or int(machine_memory() * 0.8)

    @property
    def for_data(self) -> int:
        """What is left for values and tuples."""
        return max(self.allowed - AT_LEAST - self.held, 0)

    @property
    def _besides(self) -> str:
        """What else has its place in the limit, for the end of a clause."""
        return f" beside the {size_text(self.held)} that this program holds" if self.held else ""

    def check_start(self) -> None:
        """Refuse a limit in which nothing can run."""
        if self.allowed < AT_LEAST + self.held:
            raise self._refusal(
                f"memory: {size_text(self.allowed)} is not enough for any streaming run, which "
                f"takes {size_text(AT_LEAST)}{self._besides}"
            )

    def too_many_values(self, counts: Mapping[str, pl.DataFrame]) -> str | None:
        """The column with the longest list of values, where all lists together do not fit."""
        sizes = {name: int(frame.estimated_size()) for name, frame in counts.items()}
        if sum(sizes.values()) * _TEXT_COPIES <= self.for_data:
            return None
        return max(sizes, key=lambda name: sizes[name])

    def check_values(self, counts: Mapping[str, pl.DataFrame]) -> None:
        """Refuse columns whose lists of values do not fit."""
        largest = self.too_many_values(counts)
        if largest is not None:
            raise self._refusal(
                f"the list of the values of '{largest}' (more than {counts[largest].height:,}) "
                f"does not fit into {size_text(self.allowed)}{self._besides}",
                "give it the role identifier, which leaves it out, name every column in the "
                "project",
            )

    def check_tuples(self, tuples: int, bytes_each: int, attributes: Mapping[str, int]) -> None:
        """Refuse distinct tuples that do not fit; `attributes` have so many values."""
        if tuples * bytes_each <= self.for_data:
            return
        finest = max(attributes, key=lambda name: attributes[name])
        needed = AT_LEAST + tuples * bytes_each
        raise self._refusal(
            f"the data has more than {tuples:,} distinct combinations of its quasi-identifiers, "
            f"which need {size_text(needed)}{self._besides}, and {size_text(self.allowed)} are "
            "allowed",
            f"make the values of {finest} ({attributes[finest]:,} of them) coarser before, leave "
            "out a quasi-identifier",
        )

    def check_room(self, needed: int, what: str) -> None:
        """Refuse something beside a run, such as `another order`, that takes so many bytes."""
        if needed > self.for_data:
            raise self._refusal(
                f"{what} takes {size_text(needed)}, and {size_text(self.for_data)} are left of "
                f"{size_text(self.allowed)}{self._besides}"
            )

    def _refusal(self, problem: str, remedy: str = "") -> InputError:
        """An error with what helps: `remedy`, and in any case to allow more."""
        before = f"{remedy}, or " if remedy else ""
        allow_more = "allow more in the file of the project (run: {memory: 4GB})"
        if self.held:
            allow_more += ", or save it and run it as a command, which holds nothing else"
        return InputError(
            f"{problem}; {before}allow more with --memory",
            on_screen=f"{problem}; {before}{allow_more}",
        )
