"""The command line that makes a release again: run as it is printed, it writes the same file."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.cli import main
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.report.reproduce import obstacle, reproduce, same_setup
from kanon_tui.core.task.output import Output


@pytest.fixture
def session(tmp_path: Path) -> Session:
    folder = tmp_path / "my samples; $HOME"
    shutil.copytree(find_sample("patients").project.parent, folder)
    return open_session(folder / "project.yaml")


def run(session: Session, project: Project):  # type: ignore[no-untyped-def]
    session.edit(project, "set-up")
    return conclude(start(project, task=session.task()), project)


@pytest.mark.parametrize(
    ("algorithm", "params", "in_file"),
    [
        ("mondrian", {"relaxed": True}, AlgorithmChoice("mondrian")),
        ("mondrian", {}, AlgorithmChoice("mondrian", {"relaxed": True})),
        ("k-member", {}, AlgorithmChoice("mondrian", {"relaxed": True})),
        ("datafly", {}, AlgorithmChoice("datafly")),
    ],
)
def test_the_command_writes_the_same_release(
    session: Session, tmp_path: Path, algorithm: str, params: dict, in_file: AlgorithmChoice
) -> None:
    session.edit(replace(session.project, algorithm=in_file), "in the file")
    session.save()
    project = replace(
        session.project,
        algorithm=AlgorithmChoice(algorithm, params),
        privacy=replace(session.project.privacy, k=3),
        seed=7,
    )
    result = run(session, project)
    assert obstacle(result, session.baseline) == ""
    out = tmp_path / "again it is.csv"
    words = shlex.split(reproduce(result, session.baseline, out))
    assert words[:2] == ["kanon-tui", "run"]
    stated = [word for word in words if word.startswith("relaxed=")]
    otherwise = algorithm == "mondrian" and (bool(params) or bool(in_file.params))
    assert stated == [f"relaxed={str(bool(params)).lower()}"] * otherwise
    assert main(words[1:]) == 0
    result.write(tmp_path / "first.csv")
    assert out.read_bytes() == (tmp_path / "first.csv").read_bytes()


def test_what_the_command_line_cannot_say_must_be_in_the_file(session: Session) -> None:
    project = session.project
    assert same_setup(project, replace(project, seed=9, privacy=replace(project.privacy, k=4)))
    result = run(session, replace(project, output=Output(order="shuffled")))
    assert "project.yaml does not have the set-up of this run" in obstacle(result, session.baseline)
    session.save()
    assert obstacle(result, session.baseline) == ""
    session.edit(replace(session.project, weights="auto"), "later")
    assert obstacle(result, session.baseline) == ""  # what is not saved does not count
    session.save()
    assert obstacle(result, session.baseline) != ""


def test_a_project_without_a_file_cannot_be_run_again(session: Session, tmp_path: Path) -> None:
    fresh = open_session(session.data_path)
    result = run(fresh, replace(fresh.project, algorithm=AlgorithmChoice("mondrian")))
    assert "save it first" in obstacle(result, fresh.baseline)
    fresh.save(tmp_path / "elsewhere.yaml")
    assert obstacle(result, fresh.baseline) == ""
    assert str(tmp_path / "elsewhere.yaml") in reproduce(result, fresh.baseline)
