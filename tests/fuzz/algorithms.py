"""Random tables, algorithms and options: every release is counted again, by code of its own."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.proof import prove
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, PSensitivity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import FULL_SPEED, RunContext, Task
from tests.core.algorithms.random_tables import COLUMNS, random_task
from tests.core.algorithms.ruled_tables import ruled_task

ROUNDING = 1e-9


def try_once(random: Random, folder: Path) -> str:
    seed = random.randrange(2**31)
    ruled = random.random() < 0.3
    task = ruled_task.__wrapped__(seed) if ruled else random_task.__wrapped__(seed)
    required: tuple[PrivacyModel, ...] = ()
    if not ruled and random.random() < 0.6:
        required = (some_requirement(random),)
    privacy = replace(
        task.privacy,
        max_suppression=random.choice([0.0, 0.0, 0.1, 0.5, 1.0]),
        requirements=required,
    )
    task = replace(task, privacy=privacy)
    name = random.choice(sorted(ALGORITHMS))
    pace = random.choice([1, 7, FULL_SPEED])
    try:
        result = conclude(Run(task, ALGORITHMS[name](), RunContext(pace)))
    except (NotReachedError, InputError):
        return "no release"
    recount(task, result)
    if ruled:
        return "counted again"
    proof = prove(PublishedTable(project_of(task, name), task, as_table(result.table)))
    assert proof.holds, proof.checks
    return "counted again and proven"


def project_of(task: Task, algorithm: str) -> Project:
    """The project of a random table, as a file would say it."""
    specs = {each.name: COLUMNS[each.name][1] for each in task.quasi}
    return Project(
        data=DataSource(path="table.csv"),
        attributes={
            **{name: replace(spec, role=Role.QUASI) for name, spec in specs.items()},
            "label": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=task.privacy,
        algorithm=AlgorithmChoice(algorithm),
    )


def some_requirement(random: Random) -> PrivacyModel:
    return random.choice(
        [
            DistinctLDiversity(random.choice([1, 2, 3]), "label"),
            EntropyLDiversity(random.choice([1.0, 1.5, 2.0, 2.9]), "label"),
            PSensitivity(random.choice([1, 2, 3]), "label"),
            TCloseness(random.choice([0.0, 0.2, 0.5, 1.0]), "label"),
            AlphaKAnonymity(random.choice([0.34, 0.5, 0.8, 1.0]), "label"),
        ]
    )


def recount(task: Task, result: Result) -> None:
    """Classes are equal rows of printed quasi-identifiers; a dictionary counts them."""
    names = [attribute.name for attribute in task.quasi]
    rows = result.table.to_dicts()
    assert len(rows) == task.n - result.measures.suppressed_records
    classes: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in names)].append(row)
    assert all(len(members) >= task.k for members in classes.values())
    for requirement in task.privacy.requirements:
        whole = Counter(row["label"] for row in rows)
        for members in classes.values():
            _check(requirement, Counter(row["label"] for row in members), whole)


def _check(requirement: PrivacyModel, values: Counter[str], whole: Counter[str]) -> None:
    size = values.total()
    total = whole.total()
    shares = [count / size for count in values.values()]
    bound = requirement.bound
    match requirement:
        case DistinctLDiversity():  # and p-sensitivity
            assert len(values) >= bound
        case EntropyLDiversity():
            assert math.exp(-sum(p * math.log(p) for p in shares)) >= bound - ROUNDING
        case TCloseness():
            distance = sum(abs(values[v] / size - whole[v] / total) for v in whole) / 2
            assert distance <= bound + ROUNDING
        case AlphaKAnonymity():
            assert max(shares) <= bound + ROUNDING
        case _:
            raise AssertionError(f"no recount for {requirement}")
