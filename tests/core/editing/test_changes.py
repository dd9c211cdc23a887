"""What changed since a result was made, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kanon_tui.core.editing.changes import changes_since, staleness
from kanon_tui.core.editing.readiness import State, readiness
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.pipeline.run import anonymize, conclude, start
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.rules import Apart, RuleTable
from tests.police_stops import police_stops, stops_project


@pytest.fixture(scope="module")
def project() -> Project:
    return open_session(find_sample("patients").project).project


def with_k(project: Project) -> Project:
    return replace(project, privacy=replace(project.privacy, k=project.privacy.k + 1))


def with_rule(project: Project) -> Project:
    name = quasi(project)
    spec = replace(project.attributes[name], rules=RuleTable(rules=(Apart(("a",), ("b",), 1.0),)))
    return replace(project, attributes={**project.attributes, name: spec})


def quasi(project: Project) -> str:
    return next(n for n, spec in project.attributes.items() if spec.role is Role.QUASI)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (with_k, "k "),
        (lambda p: replace(p, seed=p.seed + 1), "seed 1 → 2"),
        (lambda p: replace(p, algorithm=AlgorithmChoice("sd")), "algorithm "),
        (with_rule, "rules"),
        (lambda p: replace(p, weights="auto"), "weights"),
    ],
)
def test_every_setting_has_words(
    project: Project, change: Callable[[Project], Project], words: str
) -> None:
    (said,) = changes_since(project, change(project))
    assert words in said


def test_nothing_changed_and_only_the_file_changed(project: Project, tmp_path) -> None:
    assert changes_since(project, project) == []
    assert changes_since(project, project.save(tmp_path / "elsewhere.yaml")) == []
    (tmp_path / "people.csv").write_text("age,sex\n20,m\n30,w\n")
    session = open_session(tmp_path / "people.csv")
    new = session.project
    session.save()
    assert session.project.data.path == "people.csv"
    assert changes_since(new, session.project) == []


def test_a_result_is_stale_until_the_setting_comes_back() -> None:
    session = open_session(find_sample("contingency").project)
    session.results.append(conclude(start(session.project, task=session.task()), session.project))
    assert readiness(session)["results"].state is State.DONE
    before = session.project
    session.edit(with_k(before), "k")
    assert staleness(session.results[0], session.project).startswith("k ")
    marked = readiness(session)
    assert marked["results"].state is State.ATTENTION
    assert marked["run"].state is State.ATTENTION
    assert "changed since" in marked["results"].why
    session.undo()
    assert readiness(session)["results"].state is State.DONE


def test_a_release_with_a_severe_caution_is_not_done() -> None:
    """The step bar shows no green tick over an amber release."""
    table = as_table(police_stops())
    session = Session(stops_project(), table)
    session.results.append(anonymize(session.project, table))
    results = readiness(session)["results"]
    assert results.state is State.ATTENTION
    assert results.problems == 1
    assert "records are unique" in results.why
