"""Risk models: figures against pandas, bounds kept exactly by searches and by every clustering."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.twins.full_domain import Levels, all_strings, best
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.risk import RISK_IN_WORDS, RiskBound, risk_figures
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.verify import RiskClaim, verify
from kanon_tui.core.privacy.verify_figures import People
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Family, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import classes
from tests.core.privacy.test_people import shared
from tests.tries import tries

CLUSTERING = [name for name, a in ALGORITHMS.items() if a.family is Family.CLUSTERING]
BOUNDS = (
    RiskBound("prosecutor", 0.2),
    RiskBound("marketer", 0.15, "average"),
    RiskBound("marketer", 0.1, "average", population=200),
    RiskBound("prosecutor", 0.3, "share", 0.2),
    RiskBound("journalist", 0.05, population=150),
    RiskBound("journalist", 0.25, "share", 0.1, population=80),
)


def bounded(task: Task, seed: int) -> Task:
    risk = random.Random(seed).choice(BOUNDS)
    return replace(task, privacy=replace(task.privacy, risk=risk))


def holds(task: Task, sizes: list[int]) -> bool:
    """By the definitions, on the sizes of the published classes."""
    risk = task.privacy.risk
    assert risk is not None
    sampled = risk.model != "prosecutor" and risk.population is not None
    larger = max(risk.population / task.people, 1.0) if sampled else 1.0  # type: ignore[operator]
    records = pd.Series(np.repeat(sizes, sizes)) * larger
    found = {
        "highest": (1 / records).max(),
        "average": (1 / records).mean(),
        "share": (1 / records > risk.threshold + 1e-12).mean(),
    }
    return bool(found[risk.measure] <= risk.max + 1e-9)


def kept_sizes(task: Task, levels: Levels) -> list[int]:
    sizes = [len(records) for records in classes(task, levels)]
    return [size for size in sizes if size >= task.k]


def passes(task: Task, levels: Levels) -> bool:
    sizes = kept_sizes(task, levels)
    gone = task.n - sum(sizes)
    return bool(sizes) and gone <= task.allowed_suppressed and holds(task, sizes)


@pytest.mark.parametrize("seed", range(tries(20)))
def test_searches_are_exact_against_exhaustive_search(seed: int) -> None:
    task = bounded(searchable_task(seed), seed)
    strings = [string for string in all_strings(task) if passes(task, string)]
    for name in ("global", "hybrid", "distributed", "incognito"):
        if not strings:
            with pytest.raises(NotReachedError):
                conclude(Run(task, ALGORITHMS[name]()))
            continue
        result = conclude(Run(task, ALGORITHMS[name]()))
        assert result.grouping.levels in strings, name
        if name != "incognito":
            assert result.grouping.levels == best(task, strings), name


@pytest.mark.parametrize("name", CLUSTERING)
@pytest.mark.parametrize("seed", range(8))
def test_every_clustering_keeps_it_or_says_why(name: str, seed: int) -> None:
    task = bounded(random_task(seed), seed)
    try:
        result = conclude(Run(task, ALGORITHMS[name]()))
    except NotReachedError:
        assert not holds(task, [task.n]) or task.n < task.k or name == "gcka"
        return
    assert holds(task, result.release.class_sizes.tolist())


def test_people_are_counted() -> None:
    task = replace(shared(random_task(3), 3, required=False))
    task = replace(task, privacy=replace(task.privacy, risk=RiskBound("marketer", 0.2, "average")))
    result = conclude(Run(task, ALGORITHMS["mondrian"]()))
    who = task.table.frame["patient"].to_numpy()
    people = pd.Series(who).groupby(result.release.classes).nunique()
    assert len(people) / people.sum() <= 0.2


@pytest.mark.parametrize("seed", range(20))
def test_figures_equal_a_recount_over_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 9)
    larger = sizes * rng.integers(1, 30, 9)
    risk = pd.Series(np.repeat(1 / larger, sizes))
    found = risk_figures(sizes, larger.astype(float), 0.1)
    assert found.highest == pytest.approx(risk.max())
    assert found.average == pytest.approx(risk.mean())
    assert found.share == pytest.approx((risk > 0.1).mean())


def test_the_verifier_counts_by_itself() -> None:
    release = pl.DataFrame({"age": ["a"] * 3 + ["b"] * 2})
    claim = RiskClaim("average", 0.4, 1.0, 0.2, "an average risk of at most 0.4")
    assert verify(release, ["age"], (), 2, risk=claim) == 2
    people = People(["x", "y", "y", "z", "u"], [], {})
    with pytest.raises(NotReachedError, match=r"at most 0\.4 is required, and it has 0\.5"):
        verify(release, ["age"], (), 2, people=people, risk=claim)
    share = RiskClaim("share", 0.3, 1.0, 0.4, "a share")
    with pytest.raises(NotReachedError, match=r"a share is required, and it has 0\.4"):
        verify(release, ["age"], (), 2, risk=share)


@pytest.mark.parametrize(
    ("written", "bound"),
    [
        ("{model: marketer, max: 0.05}", RiskBound("marketer", 0.05, "average")),
        ("{model: prosecutor, max: 0.2}", RiskBound("prosecutor", 0.2)),
        (
            "{model: journalist, max: 0.1, measure: share, threshold: 0.2, population: 5000}",
            RiskBound("journalist", 0.1, "share", 0.2, 5000),
        ),
    ],
)
def test_it_is_a_key_of_the_project(tmp_path: Path, written: str, bound: RiskBound) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(f"data: {{path: x.csv}}\nprivacy: {{k: 2, risk: {written}}}\n")
    read = Project.load(path)
    assert read.privacy.risk == bound
    read.save(path)
    assert Project.load(path).privacy == read.privacy


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{model: marketer}", "risk: the key max is missing"),
        ("{model: burglar, max: 0.1}", "risk.model"),
        ("{model: marketer, max: 2}", "risk.max"),
        ("{model: marketer, max: 0.1, threshold: 0.2}", "a threshold is for measure: share"),
        ("{model: prosecutor, max: 0.1, population: 9}", "a prosecutor knows who is in"),
    ],
)
def test_refused(tmp_path: Path, written: str, message: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(f"data: {{path: x.csv}}\nprivacy: {{k: 2, risk: {written}}}\n")
    with pytest.raises(InputError, match=message):
        Project.load(path)


@pytest.mark.parametrize(
    ("words", "bound"),
    [
        ("marketer 0.05", RiskBound("marketer", 0.05, "average")),
        ("journalist 0.1 of 5000", RiskBound("journalist", 0.1, population=5000)),
        ("prosecutor share 0.1 above 0.25", RiskBound("prosecutor", 0.1, "share", 0.25)),
        ("", None),
    ],
)
def test_a_form_takes_it_in_words(words: str, bound: RiskBound | None) -> None:
    field = next(each for each in fields_of(Privacy) if each.name == "risk")
    typed = replace(field, type=RISK_IN_WORDS)
    assert typed.parse(words, "form") == bound
    assert typed.parse(typed.text(bound), "form") == bound
    with pytest.raises(InputError, match="words like: marketer"):
        typed.parse("something else entirely", "form")


@pytest.mark.parametrize("seed", range(12))
def test_refined_classes_keep_a_bound_for_the_whole_release(seed: int) -> None:
    name = ("k-member", "bottom-up", "mondrian", "sbc")[seed % 4]
    bound = RiskBound("marketer", 0.2, ("average", "share")[seed % 2])
    task = random_task(seed)
    task = replace(task, privacy=replace(task.privacy, risk=bound))
    try:
        conclude(Run(task, ALGORITHMS[name]()))
    except NotReachedError:
        return  # there is no such release
    result = conclude(Run(task, ALGORITHMS[name](refine=True)))
    assert result.risk_reached is not None
    assert result.risk_reached <= bound.max + 1e-9
