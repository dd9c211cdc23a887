"""Small tasks for tests, made the way a person makes them: a table and a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.formats import report_bytes
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Task


def report_text(result: FinishedRun, path: Path, *more: Any, **options: Any) -> str:
    """The report of a result as text, in the format of a file name's ending."""
    return report_bytes(result, path, *more, **options).decode()


def make_task(
    columns: Mapping[str, Sequence[object]],
    k: int = 2,
    specs: Mapping[str, AttributeSpec] | None = None,
    *,
    max_suppression: float = 0.0,
    seed: int = 0,
    **project: Any,
) -> Task:
    """A task over in-memory columns; columns without a spec are quasi-identifiers.

    Kind is numeric where every value is a number, else categorical.
    """
    texts = {name: [str(value) for value in values] for name, values in columns.items()}
    attributes = {}
    for name, values in columns.items():
        spec = (specs or {}).get(name, AttributeSpec())
        numeric = all(isinstance(value, (int, float)) for value in values)
        kind = spec.kind or (Kind.NUMERIC if numeric else Kind.CATEGORICAL)
        attributes[name] = AttributeSpec(
            **{**spec.__dict__, "role": spec.role or Role.QUASI, "kind": kind}
        )
    made = Project(
        data=DataSource(path="table.csv"),
        attributes=attributes,
        privacy=Privacy(k=k, max_suppression=max_suppression),
        seed=seed,
        **project,
    )
    return prepare(made, as_table(pl.DataFrame(texts)))


def says(step: RunStep, *facts: str) -> None:
    """Assert that the sentence of a step names these facts."""
    tells(step.sentence, *facts)


def tells(text: str, *facts: str) -> None:
    """Assert that a text names these facts, whatever its other words."""
    for fact in facts:
        assert fact in text, (fact, text)
