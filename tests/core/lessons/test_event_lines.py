"""Events as lines of JSON: figures for programs, and nothing about a single record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.clustering.events import GroupEvent
from kanon_tui.core.lessons.event_lines import event_line, figures_of
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.events import AttributeNumber, RecordNumber, Value, ValueCode, Word
from kanon_tui.core.task.task import Family, RunContext
from tests.helpers import make_task
from tests.test_every_algorithm import mixed

CLUSTERINGS = [name for name, each in ALGORITHMS.items() if each.family is Family.CLUSTERING]
SEARCHES = [name for name, each in ALGORITHMS.items() if each.family is Family.FULL_DOMAIN]
WORDS_OF_SEARCHES = {
    "rv", "values", "", "middle", "half-way", "raised", "in part", "descent", "neighbour",
    "best of box", "below", "no more general", "small class", "part", "above",
    "worth less", "loses tie",
}  # fmt: skip


@dataclass(frozen=True)
class Inner:
    """A part of an event."""

    size: int
    value: Value


@dataclass(frozen=True, eq=False)
class Everything(GroupEvent):
    """An event with a field of every kind."""

    count: int
    measure: float | None
    record: RecordNumber
    code: ValueCode
    value: Value
    text: str
    why: Word
    attribute: AttributeNumber
    levels: tuple[int, ...]
    members: np.ndarray
    inner: Inner
    both: tuple[AttributeNumber, int]


def test_figures_are_written_and_what_is_of_a_record_is_not() -> None:
    task = make_task({"age": [1, 2], "zip": ["x", "y"]})
    event = Everything(
        np.int64(3), float("nan"), 1, 4, "x", "y", "ncp", 1, (0, 2), np.arange(3), Inner(5, "x"),
        (0, 7), records=np.arange(2),
    )  # fmt: skip
    assert figures_of(event, task).keys() == {
        "count", "measure", "why", "attribute", "levels", "inner", "both"
    }  # fmt: skip
    run = Run(task, ALGORITHMS["mondrian"]())
    line = json.loads(event_line(1, next(run), task))
    assert line["event"] == "PartClosed"
    assert line["figures"]["part"]["size"] == 2


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a value of JSON, without the names of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from texts_of(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_of(part)


def keys_of(value: Any) -> Iterator[str]:
    """The names of all fields in a value of JSON."""
    if isinstance(value, list):
        for part in value:
            yield from keys_of(part)
    elif isinstance(value, dict):
        yield from value
        for part in value.values():
            yield from keys_of(part)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_no_event_writes_a_value(name: str) -> None:
    task = mixed()
    names = {attribute.name for attribute in task.quasi}
    values = {value for attribute in task.quasi for value in attribute.column.values}
    assert not names & values
    clusters = ALGORITHMS[name].family is Family.CLUSTERING
    algorithm = ALGORITHMS[name](refine=True) if clusters else ALGORITHMS[name]()
    for decisions in (1, 7):
        run = Run(task, algorithm, RunContext(decisions, watched=True))
        for number, step in enumerate(run, start=1):
            line = json.loads(event_line(number, step, task))
            texts = set(texts_of(line["figures"]))
            assert not texts & values
            assert not clusters or texts <= names | {"NCP", "RV", "ranges", "ncp", "rv"}
            assert line["decisions"] >= 1


def test_a_run_writes_its_events_for_its_owner_alone(tmp_path: Path) -> None:
    from kanon_tui.cli import main
    from tests.paths import SAMPLES

    project = SAMPLES / "mondrian" / "project.yaml"
    events = tmp_path / "events.jsonl"
    assert not main(["run", str(project), "--quiet", "--events", str(events)])
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["CutMade"] * 2 + ["PartClosed"] * 3
    assert lines[0]["figures"]["attribute"] == "zip"
    assert events.stat().st_mode & 0o077 == 0
    assert "23111" not in events.read_text()
