"""Recursive (c, l)-diversity, β-likeness, δ-disclosure privacy, t-closeness by hierarchy.

Every figure against a twin (pandas, and linear programming for the earth mover's distance), exact
searches against exhaustive search, clusterings, project files and the verifier.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from math import inf, log
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.twins.full_domain import Levels, all_strings, best
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, conclude, start
from kanon_tui.core.privacy.l_diversity import RecursiveDiversity
from kanon_tui.core.privacy.likeness import BasicLikeness, DisclosurePrivacy, EnhancedLikeness
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.t_closeness import HierarchicalTCloseness
from kanon_tui.core.privacy.verify import classes_without
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Column, GroupValues, Kind, Role
from kanon_tui.core.table.table import as_table, code_column
from kanon_tui.core.task.task import Family, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import classes
from tests.tries import tries

CLUSTERING = [name for name, a in ALGORITHMS.items() if a.family is Family.CLUSTERING]
MODELS: tuple[PrivacyModel, ...] = (
    RecursiveDiversity(2.0, "label"),
    RecursiveDiversity(6.0, "label", 3),
    BasicLikeness(0.6, "label"),
    EnhancedLikeness(0.9, "label"),
    DisclosurePrivacy(0.8, "label"),
    HierarchicalTCloseness(0.2, "label"),
)


def requiring(task: Task, seed: int) -> Task:
    """The task with one of the models, and a hierarchy above the labels."""

    def grounded(column: Column) -> Column:
        if column.name != "label":
            return column
        labels = np.array([0, 0, 1, 1, 2])[: len(column.values)]
        spelt = getattr(column, "spelt", None)
        if spelt is not None:
            column = replace(column, spelt=replace(spelt, ground=(labels,)))  # type: ignore[call-arg]
        return replace(column, ground=(labels,))

    chosen = (random.Random(seed).choice(MODELS),)
    privacy = replace(task.privacy, requirements=chosen)
    return replace(task, sensitive=tuple(map(grounded, task.sensitive)), privacy=privacy)


# --- twins


def emd(p: dict[str, float], q: dict[str, float], near: dict[str, int]) -> float:
    """The least cost of moving p to q, by linear programming."""
    names = list(q)
    cost = (0.0 if a == b else 0.5 if near[a] == near[b] else 1.0 for a in names for b in names)
    return least_cost(tuple(cost), tuple(p.get(a, 0.0) for a in names), tuple(q.values()))


@cache
def least_cost(cost: tuple[float, ...], here: tuple[float, ...], there: tuple[float, ...]) -> float:
    """Searches ask again and again about the same classes."""
    from scipy.optimize import linprog

    n = len(here)
    out = np.kron(np.eye(n), np.ones(n))
    into = np.kron(np.ones(n), np.eye(n))
    found = linprog(cost, A_eq=np.vstack([out, into]), b_eq=[*here, *there])
    return float(found.fun)


def figure(model: PrivacyModel, inside: list[str], whole: list[str], column: Column) -> float:
    """By the definitions, of a class without missing values."""
    counts = Counter(inside)
    table = Counter(whole)
    p = {value: n / len(inside) for value, n in counts.items()}
    q = {value: n / len(whole) for value, n in table.items()}
    match model:
        case RecursiveDiversity():
            falling = sorted(counts.values(), reverse=True)
            tail = sum(falling[model.l - 1 :])
            return falling[0] / tail if tail else inf
        case EnhancedLikeness():
            gains = {v: (p[v] - q[v]) / q[v] for v in p}
            return max(0.0, *(inf if g > -log(q[v]) + 1e-12 else g for v, g in gains.items()))
        case BasicLikeness():
            return max(0.0, *((p[v] - q[v]) / q[v] for v in p))
        case DisclosurePrivacy():
            return inf if len(p) < len(q) else max(abs(log(p[v] / q[v])) for v in q)
        case _:
            assert column.ground is not None
            near = dict(zip(column.values, column.ground[0].tolist(), strict=True))
            return emd(p, q, near)


def misses(task: Task, records: list[int]) -> bool:
    if len(records) < task.k:
        return True
    (model,) = task.privacy.requirements
    column = next(c for c in task.sensitive if c.name == "label")
    whole = [column.values[code] for code in column.codes]
    found = figure(model, [whole[i] for i in records], whole, column)
    if isinstance(model, RecursiveDiversity | DisclosurePrivacy):
        return found >= model.bound - 1e-9
    return found > model.bound + 1e-9


def must_go(task: Task, levels: Levels) -> set[int]:
    return {i for records in classes(task, levels) if misses(task, records) for i in records}


# --- searches and clusterings


@pytest.mark.parametrize("seed", range(tries(16)))
def test_searches_are_exact_against_exhaustive_search(seed: int) -> None:
    task = requiring(searchable_task(seed), seed)
    allowed = min(task.allowed_suppressed, task.n - 1)
    strings = [s for s in all_strings(task) if len(must_go(task, s)) <= allowed]
    for name in ("global", "hybrid", "distributed", "incognito"):
        if not strings:
            with pytest.raises(NotReachedError):
                Run(task, ALGORITHMS[name]()).finish()
            continue
        result = conclude(Run(task, ALGORITHMS[name]()))
        gone = set(np.flatnonzero(result.grouping.labels < 0).tolist())
        assert gone == must_go(task, result.grouping.levels), name
        if name != "incognito":
            assert result.grouping.levels == best(task, strings), name


@pytest.mark.parametrize("name", CLUSTERING)
@pytest.mark.parametrize("seed", range(tries(5)))
def test_every_clustering_keeps_it_or_says_why(name: str, seed: int) -> None:
    task = requiring(random_task(seed), seed)
    if task.n < task.k:
        return
    try:
        result: Result = conclude(Run(task, ALGORITHMS[name]()))
    except NotReachedError:
        assert misses(task, list(range(task.n))) or name == "gcka"
        return
    for number in range(len(result.release.class_sizes)):
        assert not misses(task, np.flatnonzero(result.release.classes == number).tolist())


# --- figures


@pytest.mark.parametrize("seed", range(tries(25)))
def test_figures_and_the_verifier_equal_their_definitions(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(4, 40)
    label = [rng.choice("aabbcd") for _ in range(n)]
    group = np.array([rng.randrange(3) for _ in range(n)])
    group[:3] = [0, 1, 2]
    column = code_column(pl.Series("label", label), Kind.CATEGORICAL)
    column = replace(column, ground=(np.array([0, 0, 1, 1])[: len(column.values)],))
    printed = pl.DataFrame({"cell": group.astype(str), "label": label})
    for model in MODELS:
        required = ColumnRequirement(model, column)
        groups = GroupValues.from_records(group, column.codes, 3)
        twins = [
            figure(model, [label[i] for i in np.flatnonzero(group == one)], label, column)
            for one in range(3)
        ]
        if isinstance(model, HierarchicalTCloseness) and len(set(column.ground[0])) < 2:  # type: ignore[index]
            continue
        assert required.figures(groups).tolist() == pytest.approx(twins), model
        missed = int((required.gaps(groups) > 0).sum())
        assert classes_without(printed, ["cell"], required.claim()) == missed, model


@pytest.mark.parametrize("seed", range(40))
def test_what_holds_apart_holds_together_and_enough_must_go(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(6, 30)
    label = [rng.choice("aabbcd") for _ in range(n)]
    group = np.array([i % 2 for i in range(n)])
    column = code_column(pl.Series("label", label), Kind.CATEGORICAL)
    column = replace(column, ground=(np.array([0, 0, 1, 1])[: len(column.values)],))
    for model in MODELS:
        required = ColumnRequirement(model, column)
        apart = required.gaps(GroupValues.from_records(group, column.codes, 2))
        whole = GroupValues.from_records(np.zeros(n, dtype=np.int64), column.codes, 1)
        if not apart.any():
            assert not required.gaps(whole).any(), model
        gone = int(required.least_removed(whole)[0])
        assert gone == 0 or required.gaps(whole)[0] > 0


def test_missing_values_are_no_values() -> None:
    label = ["a", "a", "b", "?", "?", "?"]
    column = code_column(pl.Series("label", label), Kind.CATEGORICAL)
    group = np.array([0, 0, 0, 1, 1, 1])
    groups = GroupValues.from_records(group, column.codes, 2)
    assert RecursiveDiversity(2, "label").figures(groups, column).tolist() == [2.0, inf]
    assert DisclosurePrivacy(2, "label").figures(groups, column).tolist() == [0.0, 0.0]
    # That it is missing is told of everybody in the second class, twice as often as of all.
    assert BasicLikeness(2, "label").figures(groups, column).tolist() == [1.0, 1.0]


# --- projects


PROJECT = """\
data: {path: x.csv}
attributes:
  age: {role: quasi, kind: numeric}
  ill: {role: sensitive, hierarchy: {levels: {flu: [lung], cold: [lung], gout: [joint]}}}
privacy:
  k: 2
  l: {attribute: ill, distinct: 2, c: 3, l: 3}
  t: {attribute: ill, hierarchy: 0.5}
  beta: {attribute: ill, basic: 2, enhanced: 1.5}
  delta: {attribute: ill, max: 1.5}
algorithm: {name: mondrian}
"""


def test_they_are_keys_of_a_project(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(PROJECT)
    read = Project.load(path)
    assert [(r.name, r.bound) for r in read.privacy.requirements] == [
        ("l_distinct", 2), ("l_recursive", 3), ("t_hierarchy", 0.5), ("beta", 2),
        ("beta_enhanced", 1.5), ("delta", 1.5),
    ]  # fmt: skip
    read.save(path)
    assert Project.load(path).privacy == read.privacy
    ills = ["flu", "cold", "gout"] * 6
    frame = pl.DataFrame({"age": [str(30 + i // 3) for i in range(18)], "ill": ills})
    result = conclude(start(Project.load(path), as_table(frame)))
    assert {each.requirement.model.name for each in result.measures.privacy.required} == {
        "l_distinct", "l_recursive", "t_hierarchy", "beta", "beta_enhanced", "delta",
    }  # fmt: skip
    assert result.report["privacy"]["t_hierarchy"]["ill"] == pytest.approx(0.0)


def test_a_distance_by_hierarchy_needs_one() -> None:
    specs = {
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    }
    made = Project(
        data=DataSource("x.csv"),
        attributes=specs,
        privacy=Privacy(k=2, requirements=(HierarchicalTCloseness(0.2, "ill"),)),
        algorithm=AlgorithmChoice("mondrian"),
    )
    table = as_table(pl.DataFrame({"age": ["1", "2", "3", "4"], "ill": ["a", "b", "a", "b"]}))
    with pytest.raises(InputError, match="required of ill, which has no hierarchy; give it one"):
        prepare(made, table)
