"""The events of a run as lines of JSON, for programs.

A line has the figures of an event: counts, measures, flags, levels, names of attributes. It has no
value of the table and no number of a record: fields are left out that are declared as such
(`RecordNumber`, `ValueCode`, `Value`), that hold arrays, or texts other than a `Word`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from kanon_tui.core.clustering.events import GroupEvent
from kanon_tui.core.task.events import Event, Meaning
from kanon_tui.core.task.task import Step, Task

_OF_PICTURES = frozenset(field.name for field in fields(GroupEvent)) | {"changes", "decisions"}
"""Fields that say which records have which groups and which strings need no test, and `decisions`,
which every line has."""


def event_line(number: int, step: Step, task: Task) -> str:
    """Return a step of a run as a line of JSON, without the end of the line."""
    event = step.event
    line: dict[str, Any] = {"step": number, "event": type(event).__name__, "kind": event.kind}
    line |= {"decisions": event.decisions, "figures": figures_of(event, task)}
    line |= {"counters": dict(step.counters), "progress": step.progress}
    return json.dumps(_plain(line), ensure_ascii=False, allow_nan=False)


def figures_of(event: Event, task: Task) -> Mapping[str, object]:
    """Return the fields of an event that say nothing about a single record."""
    return _figures(event, task, _OF_PICTURES)


def _figures(holder: Any, task: Task, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    figures = {}
    for name, hint in _hints(holder.__class__).items():
        if name in without or not _is_written(hint):
            continue
        figures[name] = _figure(getattr(holder, name), hint, task)
    return {name: figure for name, figure in figures.items() if figure not in (None, {})}


@cache
def _hints(holder: Any) -> dict[str, Any]:
    """Return the fields of a dataclass with their types."""
    hints = get_type_hints(holder, include_extras=True)
    return {field.name: hints[field.name] for field in fields(holder)}


def _is_written(hint: Any) -> bool:
    """Return whether values of a type are written."""
    origin = get_origin(hint)
    if origin is Annotated:
        return hint.__metadata__[0] in (Meaning.ATTRIBUTE, Meaning.WORD)
    if origin in (Union, UnionType, tuple):
        inner = [part for part in get_args(hint) if part not in (type(None), Ellipsis)]
        return all(_is_written(part) for part in inner)
    return hint in (int, float, bool) or is_dataclass(hint)


def _figure(value: Any, hint: Any, task: Task) -> Any:
    """Return a value of a type that is written, as JSON has it."""
    if value is None:
        return None
    if is_dataclass(value):
        return _figures(value, task)
    parts = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return _figure(value, next(part for part in parts if part is not type(None)), task)
    if get_origin(hint) is tuple:
        types = [parts[0]] * len(value) if parts[-1] is Ellipsis else parts
        return [_figure(part, type_, task) for part, type_ in zip(value, types, strict=True)]
    if get_origin(hint) is Annotated and hint.__metadata__[0] is Meaning.ATTRIBUTE:
        return task.quasi[value].name
    return value


def _plain(value: Any) -> Any:
    """Return numbers of arrays as those of Python, and what is no number as null."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
