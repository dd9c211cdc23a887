"""A session: edits, undo, saving elsewhere, and what follows from the project."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.core.data.schema import Role
from kanon_tui.core.editing.readiness import State, readiness
from kanon_tui.core.editing.recovery import Desk
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.errors import InputError
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import find_sample


@pytest.fixture
def path(tmp_path: Path) -> Path:
    shutil.copytree(find_sample("locations").project.parent, tmp_path / "locations")
    return tmp_path / "locations" / "project.yaml"


@pytest.fixture
def session(path: Path) -> Session:
    return open_session(path)


def test_an_edit_after_undo_forgets_what_was_undone(session: Session) -> None:
    opened = session.project
    session.edit(replace(opened, seed=1), "one")
    session.edit(replace(opened, seed=2), "two")
    assert session.undo() == "two"
    assert session.project.seed == 1
    session.edit(replace(opened, seed=3), "three")
    assert session.redo() is None
    assert session.undo() == "three"
    assert session.undo() == "one"
    assert session.undo() is None
    assert session.project == opened


def test_an_edit_that_changes_nothing_is_none(session: Session) -> None:
    assert not session.edit(session.project, "nothing")
    assert session.undo() is None


def test_dirty_until_saved_and_again_after_undo(session: Session) -> None:
    assert not session.dirty
    session.change_attributes(["age"], "weight", weight=0.4)
    assert session.dirty
    session.save()
    assert not session.dirty
    session.undo()
    assert session.dirty


def test_saved_elsewhere_every_state_still_finds_its_files(session: Session, tmp_path) -> None:
    session.change_attributes(["age"], "weight", weight=0.4)
    (tmp_path / "other").mkdir()
    target = session.save(tmp_path / "other" / "moved.yaml")
    assert Project.load(target).data_path.resolve() == session.data_path.resolve()
    session.undo()
    assert session.task().quasi  # location.csv is still found


def test_task_is_made_once_per_project_and_errors_come_again(session: Session) -> None:
    assert session.task() is session.task()
    session.edit(replace(session.project, privacy=Privacy(k=99)), "k = 99")
    for _ in range(2):
        with pytest.raises(InputError, match="only 7 records"):
            session.task()
    session.undo()
    assert session.task().k == 2


def test_readiness_counts_problems(session: Session) -> None:
    states = readiness(session)
    assert states["hierarchies"].state is State.DONE
    assert states["rules"].state is State.NOT_YET
    session.change_attributes(
        ["location"], "broken", hierarchy={"levels": {"San Diego": ["x"]}}, magvals=()
    )
    states = readiness(session)
    assert states["hierarchies"].mark == "!1"
    assert "location" in states["hierarchies"].why
    session.change_attributes(session.names(Role.QUASI), "none", role=Role.OTHER)
    assert readiness(session)["attributes"].state is State.ATTENTION


def test_desk_keeps_unsaved_work_until_it_is_saved(session: Session, path, tmp_path) -> None:
    desk = Desk(tmp_path / "state")
    desk.keep(session)
    assert desk.abandoned_for(path) is None  # nothing unsaved
    session.change_attributes(["age"], "weight", weight=0.4)
    desk.keep(session)
    lost = desk.abandoned_for(path)
    assert lost is not None
    again = lost.session()
    assert again.attribute("age").weight == 0.4
    assert again.dirty
    again.undo()
    assert again.attribute("age").weight is None
    session.save()
    desk.keep(session)
    assert desk.abandoned_for(path) is None


def test_desk_survives_damage_and_a_folder_it_cannot_write(session: Session, path, tmp_path):
    session.change_attributes(["age"], "weight", weight=0.4)
    desk = Desk(tmp_path / "state")
    desk.keep(session)
    desk.remember(path)
    for file in (tmp_path / "state").rglob("*.json"):
        file.write_text("{half")
    assert desk.abandoned_for(path) is None
    assert desk.recent() == []
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    Desk(blocked).keep(session)
    Desk(blocked).remember(path)


def test_recent_files_latest_first_and_only_those_that_exist(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "state")
    files = [tmp_path / f"{n}.csv" for n in range(12)]
    for file in files:
        file.touch()
        desk.remember(file)
    desk.remember(files[3])
    files[11].unlink()
    recent = desk.recent()
    assert recent[0] == files[3]
    assert files[11] not in recent
    assert len(recent) == len(set(recent)) <= 8
