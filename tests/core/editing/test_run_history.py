"""Runs of earlier sittings: figures and settings, nothing of the data, readable by the owner."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from kanon_tui.core.editing.session import open_session
from kanon_tui.core.editing.state_folder import MOST_RUNS, EarlierRun, RunHistory, earlier_run
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample

WHEN = datetime(2026, 11, 16, 14, 2)


@pytest.fixture(scope="module")
def made() -> tuple[Project, Result]:
    project = Project.load(find_sample("datafly").project)
    project = replace(project, algorithm=AlgorithmChoice("mondrian"))
    return project, anonymize(project)


def with_k(run: EarlierRun, k: int) -> EarlierRun:
    """Return the same run with another k."""
    return replace(run, settings={**run.settings, "privacy": {**run.settings["privacy"], "k": k}})


def test_runs_come_back_the_latest_first_and_can_be_made_again(made, tmp_path: Path) -> None:
    project, result = made
    history = RunHistory(tmp_path)
    assert history.runs(project) == ()
    first = earlier_run(result, project, WHEN)
    history.add(project, first)
    history.add(project, with_k(first, 3))
    again = RunHistory(tmp_path).runs(project)
    assert [run.project.privacy.k for run in again] == [3, project.privacy.k]
    assert again[1] == first
    assert first.figures["classes"] == result.measures.classes
    repeated = again[0].again(replace(project, algorithm=AlgorithmChoice("global")))
    assert repeated.algorithm.name == "mondrian"
    assert repeated.privacy.k == 3
    assert repeated.attributes == project.attributes
    history.clear(project)
    assert RunHistory(tmp_path).runs(project) == ()


def test_nothing_of_the_data_is_kept_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    file = find_sample("census").project
    session = open_session(file)
    alpha = AlphaKAnonymity(0.9, "diagnosis", ("Influenza",))
    privacy = replace(session.project.privacy, requirements=(alpha,))
    project = replace(session.project, algorithm=AlgorithmChoice("mondrian"), privacy=privacy)
    run = earlier_run(anonymize(project), project, WHEN)
    RunHistory(tmp_path).add(project, run)
    [written] = (tmp_path / "runs").iterdir()
    assert written.stat().st_mode & 0o777 == 0o600
    text = written.read_text()
    frame = session.table.frame
    values = {value for name in frame.columns for value in frame[name].unique().to_list()}
    words = {value for value in values if len(value) > 3 and not value[0].isdigit()}
    assert not [value for value in words if value in text]
    assert "Influenza" not in text
    [kept] = RunHistory(tmp_path).runs(project)
    with pytest.raises(InputError, match="certain values, which are not kept"):
        kept.again(project)


def test_what_is_required_beyond_k_is_kept(made, tmp_path: Path) -> None:
    project, result = made
    required = (DistinctLDiversity(2, "disease"),)
    risk = RiskBound("marketer", 0.5, "average")
    privacy = replace(project.privacy, requirements=required, risk=risk, subset_k=20)
    run = earlier_run(replace(result, project=replace(project, privacy=privacy)), project, WHEN)
    RunHistory(tmp_path).add(project, run)
    [kept] = RunHistory(tmp_path).runs(project)
    assert kept.project.privacy.short == "l≥2 risk≤0.5 any 2: 20"
    assert kept.again(project).privacy == privacy


def test_many_runs_and_damaged_files_are_borne(made, tmp_path: Path) -> None:
    project, result = made
    history = RunHistory(tmp_path)
    run = earlier_run(result, project, WHEN)
    for k in range(MOST_RUNS + 3):
        history.add(project, with_k(run, k + 1))
    kept = history.runs(project)
    assert len(kept) == MOST_RUNS
    assert kept[0].project.privacy.k == MOST_RUNS + 3
    [file] = (tmp_path / "runs").iterdir()
    for text in ("", "{", "[1]", '[{"when": "x"}]'):
        file.write_text(text)
        assert history.runs(project) == ()
    history.add(project, run)
    assert history.runs(project) == (run,)


def test_without_a_folder_nothing_is_kept(made) -> None:
    project, result = made
    history = RunHistory(Path(os.devnull))
    history.add(project, earlier_run(result, project, WHEN))
    assert history.runs(project) == ()
    history.clear(project)


def test_a_project_saved_under_a_name_keeps_the_runs_of_its_data(made, tmp_path: Path) -> None:
    project, result = made
    unsaved = replace(project, path=None, data=replace(project.data, path=str(project.data_path)))
    history = RunHistory(tmp_path / "state")
    run = earlier_run(result, project, WHEN)
    history.add(unsaved, run)
    saved = replace(unsaved, path=tmp_path / "study.yaml")
    assert history.runs(saved) == (run,)
    later: EarlierRun = with_k(run, 7)
    history.add(saved, later)
    assert history.runs(saved) == (later, run)
