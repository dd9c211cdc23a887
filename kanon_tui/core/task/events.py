"""What algorithms yield: events, frozen dataclasses that say what happened in the words of a paper.

An event has no sentence, candidates or colour. Who watches a run asks `lessons` for them. An event
never changes: arrays that an algorithm goes on writing to are copied into it, others are shared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, ClassVar


class Meaning(Enum):
    """The kind of thing that a figure of an event stands for, where it is no count or measure."""

    RECORD = "the number of a record"
    VALUE = "a value of the table, or its code"
    ATTRIBUTE = "the number of a quasi-identifier"
    WORD = "a word of the algorithm"


RecordNumber = Annotated[int, Meaning.RECORD]
ValueCode = Annotated[int, Meaning.VALUE]
Value = Annotated[str, Meaning.VALUE]
AttributeNumber = Annotated[int, Meaning.ATTRIBUTE]
Word = Annotated[str, Meaning.WORD]


def name_in_words(event_class: type) -> str:
    """Return the name of a class in words: `run cut` for RunCut."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", event_class.__name__).lower()


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """A decision of an algorithm, or a batch of them."""

    word: ClassVar[str] = ""
    """Its kind, where that is not the name of its class."""

    decisions: int = field(default=1, kw_only=True, repr=False)
    """The number of decisions that it stands for."""

    @property
    def kind(self) -> str:
        """A word for the decision: cut, raise, test, prune, merge, grow, suppress …"""
        return self.word or name_in_words(type(self))

    @property
    def landmark(self) -> str:
        """The name under which a viewer can jump to events of this kind."""
        return self.kind

    @property
    def cause(self) -> str:
        """The name of its cause, where lines of pseudo-code differ in that."""
        return ""

    @property
    def figures(self) -> Mapping[str, float]:
        """Measures of the run after it, by name: besides the counters of its step."""
        return {}
