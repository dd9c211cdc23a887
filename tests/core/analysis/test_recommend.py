"""Who loses least, tried on the data at hand; and what is said of a release full of stars."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kanon_tui.core.analysis import recommend as module
from kanon_tui.core.analysis.recommend import keeps_more, question, recommend
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, conclude, start
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is slow, and what is found must not depend on it."""
    monkeypatch.setattr(module, "BUDGET", 60.0)


def project_of(name: str) -> Project:
    return Project.load(find_sample(name).project)


def test_every_wish_of_the_data_has_an_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {one.want: one for one in recommend(prepare(project_of("census")))}
    assert list(found) == [
        "one level per column",
        "least loss",
        "least loss, round ends",
        "rules kept",
        "MAGVals respected",
    ]
    assert found["one level per column"].algorithm == "global"
    losses = {want: one.trial.ncp for want, one in found.items()}
    assert losses["least loss"] < losses["one level per column"]
    assert found["rules kept"].trial.rules_kept > found["least loss"].trial.rules_kept
    assert "NCP" in found["least loss"].figures
    round_ends = found["least loss, round ends"]
    assert losses["least loss"] < losses["least loss, round ends"] < 1.5 * losses["least loss"]
    taken = round_ends.taken_over(project_of("census"))
    assert {n for n, spec in taken.attributes.items() if spec.publish == "rounded"} == {"age"}
    monkeypatch.setattr(module, "BUDGET", 0.1)
    offered_again = [one.want for one in recommend(prepare(taken))]
    assert "least loss, round ends" not in offered_again


@pytest.mark.parametrize("name", ["census", "locations", "race-rules", "ward"])
def test_nobody_recommended_loses_less_than_the_least(name: str) -> None:
    found = {one.want: one for one in recommend(prepare(project_of(name)))}
    losses = [one.trial.ncp for one in found.values() if one.max_suppression is None]
    assert found["least loss"].trial.ncp == min(losses)


@pytest.mark.slow
def test_suppressing_a_few_is_recommended_where_it_keeps_much_more() -> None:
    project = project_of("census")
    strict = replace(project, privacy=replace(project.privacy, max_suppression=0.0))
    found = {one.want: one for one in recommend(prepare(strict))}
    few = found["one level per column, 1% suppressed"]
    assert few.trial.ncp < 0.8 * found["one level per column"].trial.ncp
    taken = few.taken_over(strict)
    assert taken.privacy.max_suppression == 0.01
    assert taken.algorithm.name == few.algorithm
    allowed = recommend(prepare(taken))
    assert all(one.max_suppression is None for one in allowed)


def test_without_rules_and_marks_there_is_no_such_wish() -> None:
    found = recommend(prepare(project_of("mondrian")))
    assert {one.want for one in found} <= {
        "one level per column",
        "least loss",
        "least loss, round ends",
    }


def test_nothing_is_recommended_when_stopped() -> None:
    assert recommend(prepare(project_of("census")), stop=lambda: True) == ()


def test_the_algorithm_and_the_file_do_not_change_the_question() -> None:
    project = project_of("census")
    other = replace(project, algorithm=AlgorithmChoice("sd"), path=None)
    assert question(project) == question(other)
    assert question(project) != question(replace(project, seed=3))


def stars() -> Result:
    """Datafly hides the zip codes of the census from everybody."""
    project = replace(project_of("census"), algorithm=AlgorithmChoice("datafly"))
    return conclude(start(project), project)


def test_a_release_that_hides_columns_names_who_keeps_more() -> None:
    result = stars()
    said = keeps_more(result)
    assert "hidden from everybody" in said
    assert "would keep more: NCP" in said
    assert "may keep more" in keeps_more(result, try_others=False)


def test_nothing_is_said_of_a_release_that_hides_no_column() -> None:
    project = replace(project_of("census"), algorithm=AlgorithmChoice("mondrian"))
    assert keeps_more(conclude(start(project), project)) == ""


@pytest.mark.parametrize("name", ["patients"])
def test_a_tiny_table_is_run_whole(name: str) -> None:
    assert all(one.trial.is_of_whole_table for one in recommend(prepare(project_of(name))))
