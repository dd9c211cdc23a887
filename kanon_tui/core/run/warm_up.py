"""Compiling ahead of time, so that no run has to wait for it.

`warm_up` runs every algorithm on a tiny table that has all kinds of values. Whatever they call is
then compiled for the very types they use, and stays on disk for later processes. It takes seconds
to a minute the first time and next to nothing afterwards. Call it in a background thread, or, where
a screen must stay smooth, as a process of its own: `python -m kanon_tui.core.run.warm_up`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import suppress

import polars as pl

from kanon_tui.core import kernels
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import as_table
from kanon_tui.core.errors import KanonError
from kanon_tui.core.kernels.compiling import on_disk
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.run.prepare import prepare
from kanon_tui.core.run.run import Run
from kanon_tui.core.task.rules import Apart, RuleTable
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.task.task import Task

__all__ = ["is_warm", "uncompiled", "warm_up"]

_COLUMNS = {
    "age": ["31", "42", "31", "57", "?", "42", "60", "38", "31", "57", "44", "?", "29"],
    "born": ["1990-02-03", *["1981-05-06", "1990-07-08", "1966-09-10"] * 4],
    "city": ["Rome", *["Rome", "Milan", "Paris", "Paris", "Rome", "Lyon"] * 2],
    "job": ["cook", *["cook", "nurse", "cook", "guard"] * 3],
    "income": ["low", *["low", "high", "low"] * 4],
}
_PARAMETERS = {"distributed": {"part": 2, "workers": 1}}
"""For an algorithm that would take a shorter way on a tiny table."""
_WATCHED = ("bottom-up", "euclidean", "udc", "udc-suppress")
"""Algorithms that call more when every step is a decision."""
_CITIES = {"Rome": ["Italy"], "Milan": ["Italy"], "Paris": ["France"], "Lyon": ["France"]}


def warm_up(names: Iterable[str] | None = None) -> None:
    """Compile and load what these algorithms call, or what all of them do."""
    from kanon_tui.core.algorithms import ALGORITHMS

    task = _tiny_task()
    for name in ALGORITHMS if names is None else names:
        with suppress(KanonError):  # that one finds no release here does not matter
            Run(task, ALGORITHMS[name](**_PARAMETERS.get(name, {}))).finish()
            if name in _WATCHED:
                Run(task, ALGORITHMS[name](), RunContext(1)).finish()


def is_warm() -> bool:
    """Whether every run can start without compiling; costs little more than importing numba."""
    return not any(uncompiled())


def uncompiled() -> Iterator[str]:
    """The kernels, as `module.function`, whose machine code is not on disk."""
    for found in pkgutil.iter_modules(kernels.__path__):
        module = importlib.import_module(f"{kernels.__name__}.{found.name}")
        for name in module.__all__:
            function = getattr(module, name)
            if hasattr(function, "py_func") and not on_disk(function):
                yield f"{found.name}.{name}"


def _tiny_task() -> Task:
    """Numbers with gaps, dates, categories with and without hierarchy, marks, rules, labels."""
    attributes = {
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "born": AttributeSpec(role=Role.QUASI, kind=Kind.DATE, format="%Y-%m-%d"),
        "city": AttributeSpec(
            role=Role.QUASI,
            kind=Kind.CATEGORICAL,
            hierarchy={"levels": _CITIES},
            magvals=("France",),
        ),
        "job": AttributeSpec(
            role=Role.QUASI,
            kind=Kind.CATEGORICAL,
            rules=RuleTable(rules=(Apart(("cook",), ("nurse",), 1.0),)),
        ),
        "income": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    }
    project = Project(DataSource("tiny.csv"), attributes, weights="auto", privacy=Privacy(k=2))
    return prepare(project, as_table(pl.DataFrame(_COLUMNS)))


if __name__ == "__main__":
    warm_up()
