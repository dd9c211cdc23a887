"""The verifier: refuses what does not hold, computed by the definitions and on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, PSensitivity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.privacy.verify import classes_without, verify
from kanon_tui.core.privacy.verify_figures import Claim, People
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.task import Grouping, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.twins.beyond_k import gap, with_requirements
from tests.helpers import make_task

SENSITIVE = AttributeSpec(role=Role.SENSITIVE)


def requiring(task: Task, *requirements: PrivacyModel) -> Task:
    return replace(task, privacy=replace(task.privacy, requirements=requirements))


@pytest.mark.parametrize("seed", range(60))
def test_counts_the_classes_that_miss_a_requirement(seed: int) -> None:
    """Against plain Python, on releases of classes drawn at random."""
    task = with_requirements(random_task(seed), seed)
    labels = np.random.default_rng(seed).integers(0, max(1, task.n // 4), task.n).astype(np.int32)
    release = recode(task, Grouping(labels))
    quasi = [attribute.name for attribute in task.quasi]
    for bound in task.requirements:
        classes = [
            np.flatnonzero(release.classes == c) for c in range(int(release.classes.max()) + 1)
        ]
        expected = sum(gap(bound, records.tolist()) > 0 for records in classes)
        assert classes_without(release.frame, quasi, bound.claim()) == expected


def test_li_2007_salaries() -> None:
    """Section 4: of 3k to 11k, the class {3, 4, 5} is 0.375 from the table, {6, 8, 11} 0.167."""
    salaries = [3, 4, 5, 6, 8, 11, 7, 9, 10]
    task = make_task(
        {"x": [1] * 3 + [2] * 3 + [3] * 3, "salary": salaries}, 3, {"salary": SENSITIVE}
    )
    frame = recode(task, Grouping(np.repeat(np.arange(3, dtype=np.int32), 3))).frame
    for t, without in [(0.374, 1), (0.376, 0), (0.16, 3)]:
        (bound,) = requiring(task, TCloseness(t)).requirements
        assert classes_without(frame, ["x"], bound.claim()) == without


def test_missing_is_one_value_whatever_its_token() -> None:
    task = make_task({"x": [1, 1, 1], "ill": ["?", "NA", ""]}, 3, {"ill": SENSITIVE})
    (bound,) = requiring(task, DistinctLDiversity(2)).requirements
    frame = pl.DataFrame({"x": ["1"] * 3, "ill": ["?", "NA", ""]})
    assert classes_without(frame, ["x"], bound.claim()) == 1


def test_a_release_that_misses_a_requirement_is_refused() -> None:
    task = make_task({"x": [1, 1, 2, 2], "ill": ["a", "a", "b", "c"]}, 2, {"ill": SENSITIVE})
    claims = [each.claim() for each in requiring(task, PSensitivity(2)).requirements]
    frame = recode(task, Grouping(np.array([0, 0, 1, 1], dtype=np.int32))).frame
    assert verify(frame, ["x"], [], 2) == 2
    with pytest.raises(NotReachedError, match="1 of its classes is with fewer than 2 distinct"):
        verify(frame, ["x"], [], 2, claims)


def test_starred_records_are_a_class_that_must_hold_too() -> None:
    """gcka suppresses both b; as a class of stars they would show one illness."""
    levels = {"a": ["A", "*"], "b": ["B", "*"], "c": ["A", "*"]}
    town = AttributeSpec(hierarchy={"levels": levels}, magvals=("A", "B"))
    columns = {"town": ["a", "c", "b", "b"], "ill": ["x", "y", "x", "x"]}
    task = make_task(columns, 2, {"town": town, "ill": SENSITIVE})
    task = requiring(task, DistinctLDiversity(2))
    from kanon_tui.core.algorithms.gcka import Gcka

    result = conclude(Run(task, Gcka()))
    assert result.table["town"].to_list() == ["A", "A"]
    assert result.notes[-1].endswith("what is required beyond k: 2")
    starred = replace(task, output=Output(suppressed="star"))
    with pytest.raises(NotReachedError, match="2 suppressed records, which does not keep what is"):
        conclude(Run(starred, Gcka()))


def test_the_figure_of_the_worst_class_is_reported() -> None:
    columns = {"x": [1, 1, 2, 2, 9, 9], "ill": ["a", "a", "b", "a", "c", "b"]}
    task = requiring(
        make_task(columns, 2, {"ill": SENSITIVE}),
        DistinctLDiversity(2),
        AlphaKAnonymity(0.75, "ill", ("a",)),
    )
    report = conclude(Run(task, Mondrian())).report
    assert report["privacy"]["required"] == [
        {"model": "l_distinct", "attribute": "ill", "bound": 2, "values": None, "reached": 2.0},
        {"model": "alpha", "attribute": "ill", "bound": 0.75, "values": ["a"], "reached": 0.75},
    ]


def test_spellings_of_a_person_and_of_a_value_count_as_one() -> None:
    """Ann has two records under two spellings; of `a` and `A` the label of the first counts."""
    shares = {"attribute": "ill", "only_values": (), "fault": "", "numbers": None}
    spelt = {"missing_tokens": (), "spellings_differ": False}
    people = People(["Ann", "Bob"], ["Ann", "ann ", "Bob"], {"ill": ["a", "a", "b"]})
    release = pl.DataFrame({"age": ["1", "1"], "ill": ["a", "b"]})
    claim = Claim(model="t", bound=0.1, values=("a", "b"), counts=(2, 1), **shares, **spelt)
    assert classes_without(release, ["age"], claim, people=people) == 0
    release = pl.DataFrame({"age": list("11222222"), "ill": list("bbaaAAcc")})
    claim = Claim(
        model="t_hierarchy", bound=0.6, values=("a", "A", "b", "c"), counts=(2, 2, 2, 2),
        ground=((0, 1, 0, 1),), **shares, **spelt,
    )  # fmt: skip
    assert classes_without(release, ["age"], claim) == 0
