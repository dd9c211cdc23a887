"""A session: edits, undo, saving elsewhere, and what follows from the project."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.core.editing.readiness import State, readiness
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.editing.state_folder import RecentFiles, RecoveryStore
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Role


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


def test_an_edit_while_the_file_is_written_stays_unsaved(session, path, monkeypatch) -> None:
    session.change_attributes(["age"], "weight", weight=0.4)
    write = Project.save

    def edited_meanwhile(project: Project, target: Path) -> Project:
        session.change_attributes(["age"], "weight", weight=0.9)
        return write(project, target)

    monkeypatch.setattr(Project, "save", edited_meanwhile)
    session.save()
    assert session.attribute("age").weight == 0.9
    assert session.dirty
    assert Project.load(path).attributes["age"].weight == 0.4


def test_a_save_that_fails_changes_nothing(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("age,city\n30,Rome\n31,Rome\n")
    session = open_session(data)
    with pytest.raises(KanonError):
        session.save(tmp_path / "nowhere" / "people.yaml")
    assert session.project.path is None
    assert session.data_path == data


def test_recent_files_latest_first_and_only_those_that_exist(tmp_path: Path) -> None:
    recent = RecentFiles(tmp_path / "state")
    files = [tmp_path / f"{n}.csv" for n in range(12)]
    for file in files:
        file.touch()
        recent.add(file)
    recent.add(files[3])
    files[11].unlink()
    paths = recent.paths()
    assert paths[0] == files[3]
    assert files[11] not in paths
    assert len(paths) == len(set(paths)) == 11


def test_recent_files_hold_twenty_and_one_that_is_away_keeps_its_place(tmp_path: Path) -> None:
    recent = RecentFiles(tmp_path / "state")
    files = [tmp_path / f"{n}.csv" for n in range(25)]
    for file in files:
        file.touch()
        recent.add(file)
    assert recent.paths() == files[:4:-1]
    files[24].unlink()
    recent.add(files[23])
    files[24].touch()
    assert recent.paths()[:2] == [files[23], files[24]]


def fresh(tmp_path: Path) -> Session:
    """A session on a data file that nobody has said anything about."""
    rows = [f"{20 + i % 7},{1000 + 37 * i},{'ab'[i % 2]}" for i in range(40)]
    file = tmp_path / "fresh.csv"
    file.write_text("\n".join(["age,income,team", *rows]) + "\n", encoding="utf-8")
    return open_session(file)


def test_guesses_of_a_fresh_file_wait_to_be_confirmed(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    assert session.guessed == ["age", "income", "team"]
    states = readiness(session)
    assert states["attributes"].state is states["hierarchies"].state is State.GUESSED
    session.change_attributes(["age"], "age: quasi", role=Role.QUASI)  # agreed, though unchanged
    assert session.guessed == ["income", "team"]
    assert readiness(session)["hierarchies"].state is State.DONE
    session.edit(session.project.confirmed(), "guesses accepted")
    assert readiness(session)["attributes"].state is State.DONE
    session.undo()
    assert session.guessed == ["income", "team"]


def test_saving_does_not_confirm_guesses(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.change_attributes(["age"], "age: quasi", role=Role.QUASI)
    saved = session.save()
    assert not session.dirty
    assert open_session(saved).guessed == session.guessed == ["income", "team"]
    assert saved.read_text(encoding="utf-8").count("guessed: true") == 2


def test_unconfirmed_guesses_survive_a_crash(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    store = RecoveryStore(tmp_path / "state")
    session.change_attributes(["team"], "team: quasi", role=Role.QUASI)
    store.keep(session)
    unsaved = store.unsaved_work(session.data_path)
    assert unsaved is not None
    assert unsaved.session().guessed == ["age", "income"]


def test_a_column_that_singles_out_is_asked_about_once_per_role(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    assert [each.attribute for each in session.unanswered()] == ["income"]
    session.change_attributes(["income"], "published", publish_unique=True)
    assert session.unanswered() == []
    session.change_attributes(["income"], "income: other", role=Role.OTHER)
    assert [each.attribute for each in session.unanswered()] == ["income"]
    session.undo()
    assert session.unanswered() == []
    session.change_attributes(["income"], "income: quasi", role=Role.QUASI)
    assert session.unanswered() == []


def test_what_is_said_of_a_column_follows_its_new_name(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("age,job\n" + "".join(f"{x},j{x % 3}\n" for x in range(60)))
    (tmp_path / "p.yaml").write_text(
        "data: {path: data.csv, where: {age: '>= 10'}}\n"
        "attributes: {age: {role: quasi}, job: {role: sensitive}}\n"
        "privacy: {k: 2, l: {attribute: job, distinct: 2}}\n"
    )
    session = open_session(tmp_path / "p.yaml")

    def renamed(**rename: str) -> Session:
        options = replace(session.project.data.read_options, rename=rename)
        return session.reread(replace(session.project.data, read_options=options))

    session = renamed(age="years", job="work")
    assert session.table.names == ["years", "work"]
    assert session.task().n == 50
    assert [each.attribute for each in session.project.privacy.requirements] == ["work"]
    session = renamed()
    assert session.task().n == 50
    assert session.attribute("job").role is Role.SENSITIVE
    assert not session.dirty
