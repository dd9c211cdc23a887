"""Tell about the events of a run: who asks gets the words of a narrator, or plain ones."""

from __future__ import annotations

from dataclasses import fields

from kanon_tui.core.lessons.lesson import Lesson, narrator_of
from kanon_tui.core.task.events import Event, name_in_words
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, joined, small_number


def lesson_of(event: Event, task: Task) -> Lesson:
    """Return what there is to tell about an event of a run on a task."""
    from kanon_tui.core.lessons import built_in  # noqa: F401  registers the narrators

    narrator = narrator_of(event)
    return Lesson(plain_sentence(event)) if narrator is None else narrator(event, task)


def plain_sentence(event: Event) -> str:
    """Return a sentence made of the name and the figures of an event.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class RunCut(Event):
    ...     first: int
    ...     size: int
    >>> plain_sentence(RunCut(first=3, size=1200))
    'Run cut: first 3 and size 1,200.'
    """
    name = name_in_words(type(event)).capitalize()
    values = {field.name: getattr(event, field.name) for field in fields(event) if field.repr}
    figures = [
        f"{name.replace('_', ' ')} {_figure(value)}"
        for name, value in values.items()
        if isinstance(value, int | float | str)
    ]
    decisions = [count_of(event.decisions, "decision")] if event.decisions > 1 else []
    details = joined([*decisions, *figures])
    return f"{name}: {details}." if details else f"{name}."


def _figure(value: float | str) -> str:
    if isinstance(value, float):
        return small_number(value)
    return f"{value:,}" if isinstance(value, int) else value
