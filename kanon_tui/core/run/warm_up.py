"""Compiling ahead of time, so that no run has to wait for it.

`warm_up` runs every algorithm on a tiny table that has all kinds of values. Whatever they call is
then compiled for the very types they use, and stays on disk for later processes. Call it in a
background thread, or, where a screen must stay smooth, as a process of its own:
`python -m kanon_tui.core.run.warm_up`. `compile_all` does it on all cores and tells how far it is.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core import kernels
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import as_table
from kanon_tui.core.data.word_table import WordTable
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.helper_processes import Processes, cores
from kanon_tui.core.kernels.compiling import Kernel, on_disk
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.run.prepare import prepare
from kanon_tui.core.run.run import Run
from kanon_tui.core.task.rules import Apart, RuleTable
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.task.task import Task

__all__ = [
    "compile_all", "compile_seconds", "is_warm", "kernel_folder", "kernels_by_name", "uncompiled",
    "warm_up",
]  # fmt: skip

SECONDS = {
    "merging.advance": 5.0,
    "similarity.advance": 4.0,
    "refining.propose": 4.0,
    "level_cubes.walk_box": 4.0,
    "k_member.advance": 3.0,
    "mondrian.advance": 2.5,
    "frequency.count_classes": 2.0,
    "box_tree._divide_all": 1.5,
    "leftover_records.measure_leftovers": 1.0,
    "partner_search.cheapest_partner": 1.0,
    "partner_tree.divide_into_leaves": 1.0,
    "partner_tree.fill_nodes": 1.0,
}
"""What large kernels take to compile with all they call, rounded, on one core of a busy machine."""
OTHER_SECONDS = 0.4
"""Of any other."""
SECONDS_AT_FIRST = 2.0
"""Before the first of them: numba gets ready."""
_COMPILER = {f"{kernels.__name__}.{name}" for name in ("linking", "lowering")}
"""Has no kernels, and imports numba."""
_CORE = Path(kernels.__path__[0]).parent
_IMPORT = re.compile(
    r"^\s*from (kanon_tui\.core[\w.]*) import (?:\(([^)]*)\)|([\w, ]*))", re.MULTILINE
)

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
_REFINING = "kanon_tui.core.clustering.refining"
_REFINED = "mondrian"
"""The algorithm whose classes are refined as well; what that calls is the same for all. So is what
runs over pieces of a table call beside the algorithm."""
_OFTEN = 0.5
"""Seconds between two looks at what is compiled."""
_CITIES = {"Rome": ["Italy"], "Milan": ["Italy"], "Paris": ["France"], "Lyon": ["France"]}


def warm_up(names: Iterable[str] | None = None) -> None:
    """Compile and load what these algorithms call, or what all of them do."""
    from kanon_tui.core.algorithms import ALGORITHMS

    task = _tiny_task()
    for name in ALGORITHMS if names is None else names:
        with suppress(KanonError):  # that one finds no release here does not matter
            _finish(Run(task, ALGORITHMS[name](**_PARAMETERS.get(name, {}))))
            if name in _WATCHED:
                _finish(Run(task, ALGORITHMS[name](), RunContext(1)))
            if name == _REFINED:
                _finish(Run(task, with_parameters(ALGORITHMS[name], {"refine": True}, name)))
                WordTable().find(WordTable.of(np.arange(3, dtype=np.uint64)).keys)


def _finish(run: Run) -> None:
    """Run with machine code, however small the table is."""
    run.small = False
    run.finish()


def is_warm() -> bool:
    """Whether every run can start without compiling."""
    return not any(uncompiled())


def uncompiled(algorithm: str | None = None, refined: bool = False) -> Iterator[str]:
    """The kernels, as `module.function`, that are not compiled: of one algorithm, or all.

    Those of an algorithm are the kernels of all modules that it imports by whatever detour. It may
    not call all of them. Refining its classes calls more.
    """
    modules = None if algorithm is None else _kernel_modules(algorithm, refined)
    for name, function in kernels_by_name(modules).items():
        if not on_disk(function):
            yield name


def compile_seconds(algorithm: str, refined: bool = False) -> float:
    """What a run of an algorithm first takes to compile; 0 when everything is on disk."""
    missing = [SECONDS.get(name, OTHER_SECONDS) for name in uncompiled(algorithm, refined)]
    return SECONDS_AT_FIRST + sum(missing) if missing else 0.0


@cache
def _kernel_modules(algorithm: str, refined: bool = False) -> frozenset[str]:
    """The modules of kernels that an algorithm imports, also inside functions and by detours."""
    from kanon_tui.core.algorithms import ALGORITHMS

    seen: set[str] = set()
    waiting = [ALGORITHMS[algorithm].__module__, *([_REFINING] if refined else [])]
    while waiting:
        name = waiting.pop()
        path = _CORE.parent.parent / f"{name.replace('.', '/')}.py"
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        if not name.endswith(".compiling"):
            for source, *names in _IMPORT.findall(path.read_text(encoding="utf-8")):
                found = re.findall(r"\w+", " ".join(names))
                waiting += [source, *(f"{source}.{name}" for name in found)]  # may be modules
    return frozenset(name for name in seen if name.startswith(f"{kernels.__name__}."))


def kernels_by_name(modules: Container[str] | None = None) -> dict[str, Any]:
    """All kernels, as `module.function`; not what is compiled into other kernels only."""
    found = {}
    for module in pkgutil.iter_modules(kernels.__path__, f"{kernels.__name__}."):
        if module.name in _COMPILER or (modules is not None and module.name not in modules):
            continue
        for name, function in vars(importlib.import_module(module.name)).items():
            if type(function) is Kernel and function.__module__ == module.name:
                found[f"{module.name.rpartition('.')[2]}.{name}"] = function
    return found


def kernel_folder(all_users: bool = False) -> Path:
    """Where this process keeps what it compiles; beside the package for `all_users`."""
    from kanon_tui.core.kernels import machine_code

    if all_users and not machine_code.keep_for_all_users():
        raise InputError(
            f"{machine_code.BESIDE_PACKAGE}: it cannot be written to; ask whoever installed Kanon "
            f"to do this, or leave --all-users out"
        )
    if not machine_code.places():
        raise InputError(
            "no folder can be written to in which compiled kernels could be kept; set "
            "XDG_CACHE_HOME to a folder of your own"
        )
    return machine_code.places()[0]


def compile_all(all_users: bool = False) -> Iterator[int]:
    """Compile what is not on disk yet, on all cores; tells again and again how many are missing."""
    families = _families()
    to_come = len(families)
    with Processes(min(cores(), to_come), _compiler, all_users) as helpers:
        helpers.submit(families)
        while to_come:
            to_come -= helpers.result(_OFTEN) is not None
            yield len(list(uncompiled()))


def _families() -> list[list[str]]:
    """Algorithms with the same kernels together, so that hardly any is compiled twice."""
    from kanon_tui.core.algorithms import ALGORITHMS

    families: dict[frozenset[str], list[str]] = {}
    for name in sorted(ALGORITHMS, key=lambda name: -len(_kernel_modules(name))):
        own = _kernel_modules(name)
        whole = next((modules for modules in families if own <= modules), own)
        families.setdefault(whole, []).append(name)
    by_length = sorted(families.values(), key=lambda names: -compile_seconds(names[0]))
    return sorted(by_length, key=lambda names: _REFINED not in names)


def _compiler(all_users: bool) -> Callable[[list[str]], None]:
    """What a helper process does for the names of algorithms."""
    from kanon_tui.core.kernels.linking import NEW_OBJECTS

    kernel_folder(all_users)
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])  # also after each kernel
    return warm_up


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
