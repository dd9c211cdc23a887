"""A new model is one class and one line of the contents page: all the rest follows.

Here it is `Minority`, made up for this test: in every class at least m records have another value
than the most frequent one. It must be read and written, asked for in a form, searched for, merged
for, reported and explained, and refused by the verifier, which learns its definition by itself.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import declarations_of, whole_number
from kanon_tui.core.metrics.privacy import check_published
from kanon_tui.core.numeric import Floats
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy import verify
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.settings import Privacy, requirements_type
from kanon_tui.core.privacy.shares import highest_shares
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.report.formats import markdown
from kanon_tui.core.report.story import story
from kanon_tui.core.table.column import Column, GroupValues, Kind, Role
from kanon_tui.core.task.task import RunContext, Task
from tests.core.analysis.why.twins import requiring, told
from tests.helpers import make_task, tells


class Minority(PrivacyModel):
    """At least so many records besides those of the most frequent value."""

    key = "minority"
    bound_key = "min"
    example = 2
    name = "minority"
    letter = "m"
    title = "minority"
    check_title = "records of other values than the most frequent"
    report_title = "Minority"
    report_meaning = "fewest records of other values in a class"
    at_least = True
    monotone = True
    digits = 0
    loosest = 0.0
    bound_type = whole_number(low=1)
    form_name = "minority"
    help = "Every class has at least so many records of other values"
    condition = "a minority of {bound} records in {attribute}"
    violation = "a minority of fewer than {bound} records in {attribute}"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Records of the class without those of its most frequent value."""
        return np.round(groups.sizes * (1 - highest_shares(groups)))


def proven(held: pl.DataFrame, claim: verify.Claim) -> Floats:
    records = pl.col("records")
    figures = held.group_by("class").agg(figure=records.sum() - records.max())["figure"]
    return figures.cast(pl.Float64).to_numpy()


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the contents page; a project's keys are declared from it on import."""
    monkeypatch.setitem(MODELS, "minority", Minority)
    monkeypatch.setitem(declarations_of(Privacy), "requirements", requirements_type())  # type: ignore[arg-type]


@pytest.fixture
def provable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(verify.FIGURES, "minority", proven)
    monkeypatch.setattr(verify, "AT_LEAST", verify.AT_LEAST | {"minority"})


ILL = AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL)
TREE = {"a": ["ab", "*"], "b": ["ab", "*"], "c": ["cd", "*"], "d": ["cd", "*"]}
PLACE = AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": TREE})


def task() -> Task:
    """At a and at b the minority is one record, at c and d it is two."""
    columns = {"place": list("aaabbbccccdddd"), "ill": list("ffcffhffccfchh")}
    return requiring(make_task(columns, 3, {"place": PLACE, "ill": ILL}), Minority(2))


def run(name: str) -> Result:
    return conclude(Run(task(), find_algorithm(name)(), RunContext(1)))


def test_it_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("data: {path: d.csv}\nprivacy: {k: 3, minority: {attribute: ill, min: 2}}\n")
    project = Project.load(path)
    assert project.privacy.requirements == (Minority(2, "ill"),)
    project.save(path)
    assert Project.load(path) == project
    path.write_text("data: {path: d.csv}\nprivacy: {minority: some}\n")
    with pytest.raises(InputError, match=r"privacy\.minority: 'some' is not a whole number of"):
        Project.load(path)


def test_a_form_asks_for_it() -> None:
    field = Minority.form_field()
    assert (field.parse("2", "form"), field.parse("", "form")) == (2, None)
    privacy = Privacy().with_bounds(["ill"], "ill", {"minority": 2})
    assert privacy.requirements == (Minority(2, "ill"),)
    assert privacy.bounds_of("ill") == {"minority": 2}


@pytest.mark.usefixtures("provable")
@pytest.mark.parametrize("name", ["global", "incognito"])
def test_a_search_tests_it(name: str) -> None:
    result = run(name)
    assert result.grouping.levels == (1,)
    assert result.measures.privacy.required[0].figure == 2


@pytest.mark.usefixtures("provable")
@pytest.mark.parametrize("name", ["bottom-up", "mondrian", "k-member"])
def test_a_clustering_merges_for_it_or_cuts_accordingly(name: str) -> None:
    result = run(name)
    assert (result.grouping.search["merged_on"] > 0) == (name != "mondrian")
    assert result.measures.privacy.figures["minority"]["ill"] >= 2


@pytest.mark.usefixtures("provable")
def test_it_is_reported() -> None:
    result = run("global")
    privacy = result.report["privacy"]
    assert privacy["minority"] == {"ill": 2}
    assert privacy["required"] == [
        {"model": "minority", "attribute": "ill", "bound": 2, "values": None, "reached": 2.0}
    ]
    text = markdown(story(result))
    assert "| ✓ Required minority: ill | 2 | every class has a minority of 2 records in" in text
    assert "| Minority: ill | 2 | fewest records of other values in a class |" in text
    assert check_published(result.table, ["place"], "ill", 3)["minority"] == 2


@pytest.mark.usefixtures("provable")
def test_it_is_explained() -> None:
    why = explainer(run("global")).of_attribute(0)
    lack = "a minority of fewer than 2 records in ill"
    assert why.because == f"level 0 would leave 6 of 14 records in classes with {lack}"
    assert told(why)[-1] == "minority of ill 1 instead of 2: place could stay at level 0"


def test_what_no_release_can_keep_is_refused() -> None:
    wanted = requiring(task(), Minority(9))
    with pytest.raises(NotReachedError) as error:
        conclude(Run(wanted, find_algorithm("mondrian")()))
    tells(str(error.value), "ill", "minority of 9", "only 7", "7 or less")


def test_nothing_is_published_that_the_verifier_cannot_prove() -> None:
    with pytest.raises(NotReachedError, match="the verifier does not know the model minority"):
        run("global")
