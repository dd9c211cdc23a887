"""The memory that a run may take: what fits, and what to say where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import memory as machine_memory
from kanon_tui.core.reading import size_text

__all__ = ["AT_LEAST", "MemoryLimit"]

AT_LEAST = 600_000_000
"""Bytes that any streaming run takes: Python with its libraries and one piece at work."""
_TEXT_COPIES = 4
"""A list of values is held so many times while it is used."""


@dataclass(frozen=True)
class MemoryLimit:
    """How many bytes a run may take; 0 for most of what the machine has."""

    bytes: int = 0

    @property
    def allowed(self) -> int:
        """The limit in bytes."""
        return self.bytes or int(machine_memory() * 0.8)

    @property
    def for_data(self) -> int:
        """What is left for values and tuples."""
        return max(self.allowed - AT_LEAST, 0)

    def check_start(self) -> None:
        """Refuse a limit in which nothing can run."""
        if self.allowed < AT_LEAST:
            raise InputError(
                f"memory: {size_text(self.allowed)} is not enough for any streaming run, which "
                f"takes {size_text(AT_LEAST)}; allow more with --memory"
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
            raise InputError(
                f"the list of the values of '{largest}' (more than {counts[largest].height:,}) "
                f"does not fit into {size_text(self.allowed)}; give it the role identifier, which "
                f"leaves it out, name every column in the project, or allow more with --memory"
            )

    def check_tuples(self, tuples: int, bytes_each: int, attributes: Mapping[str, int]) -> None:
        """Refuse distinct tuples that do not fit; `attributes` have so many values."""
        if tuples * bytes_each <= self.for_data:
            return
        finest = max(attributes, key=lambda name: attributes[name])
        needed = AT_LEAST + tuples * bytes_each
        raise InputError(
            f"the data has more than {tuples:,} distinct combinations of its quasi-identifiers, "
            f"which need {size_text(needed)} and {size_text(self.allowed)} are allowed; make the "
            f"values of {finest} ({attributes[finest]:,} of them) coarser before, leave out a "
            f"quasi-identifier, or allow more with --memory"
        )
