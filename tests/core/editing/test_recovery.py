"""Unsaved work: kept, offered, and never touched by another program on the same project."""

from __future__ import annotations

import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.core.editing.session import ChangedFileError, Session, open_session
from kanon_tui.core.editing.state_folder import RecentFiles, RecoveryStore
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


def edited(path: Path, weight: float) -> Session:
    session = open_session(path)
    session.change_attributes(["age"], "weight", weight=weight)
    return session


def test_unsaved_work_is_kept_until_it_is_saved(session: Session, path, tmp_path) -> None:
    store = RecoveryStore(tmp_path / "state")
    store.keep(session)
    assert store.unsaved_work(path) is None  # nothing unsaved
    session.change_attributes(["age"], "weight", weight=0.4)
    store.keep(session)
    unsaved = store.unsaved_work(path)
    assert unsaved is not None
    again = unsaved.session()
    assert again.attribute("age").weight == 0.4
    assert again.dirty
    again.undo()
    assert again.attribute("age").weight is None
    session.save()
    store.keep(session)
    assert store.unsaved_work(path) is None


def test_state_survives_damage_and_a_folder_it_cannot_write(session: Session, path, tmp_path):
    session.change_attributes(["age"], "weight", weight=0.4)
    store = RecoveryStore(tmp_path / "state")
    store.keep(session)
    RecentFiles(tmp_path / "state").add(path)
    for file in (tmp_path / "state").rglob("*.json"):
        file.write_text("{half")
    assert store.unsaved_work(path) is None
    assert RecentFiles(tmp_path / "state").paths() == []
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    RecoveryStore(blocked).keep(session)
    RecentFiles(blocked).add(path)


def test_a_closed_store_does_not_bring_back_what_was_discarded(session, path, tmp_path) -> None:
    session.change_attributes(["age"], "weight", weight=0.4)
    store = RecoveryStore(tmp_path / "state")
    store.keep(session)
    store.forget(session)
    store.close()
    store.keep(session)  # a thread that was slow
    assert store.unsaved_work(path) is None


def test_what_a_living_program_keeps_is_neither_offered_nor_removed(path, tmp_path) -> None:
    first, second = (RecoveryStore(tmp_path / "state") for _ in range(2))
    one = edited(path, 0.4)
    two = edited(path, 0.9)
    first.keep(one)
    assert second.unsaved_work(path) is None
    assert second.drafts() == []
    second.keep(two)
    second.forget(two)
    second.close()
    third = RecoveryStore(tmp_path / "state")
    assert third.unsaved_work(path) is None
    first.close()  # as when it is killed: the lock is gone, the file is not
    kept = third.unsaved_work(path)
    assert kept is not None
    assert kept.session().attribute("age").weight == 0.4


def test_two_programs_that_were_cut_off_leave_both_their_edits(path, tmp_path) -> None:
    for weight in (0.4, 0.9):
        store = RecoveryStore(tmp_path / "state")
        store.keep(edited(path, weight))
        store.close()
    store = RecoveryStore(tmp_path / "state")
    weights = []
    while (kept := store.unsaved_work(path)) is not None:
        weights.append(kept.session().attribute("age").weight)
        store.discard(kept)
    assert sorted(weights) == [0.4, 0.9]
    assert not list((tmp_path / "state").rglob("*.lock"))


def test_kept_files_are_for_their_owner_alone(session, tmp_path) -> None:
    store = RecoveryStore(tmp_path / "state")
    session.change_attributes(["age"], "weight", weight=0.4)
    store.keep(session)
    files = [file for file in (tmp_path / "state").rglob("*") if file.is_file()]
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_work_taken_up_again_in_the_same_program_stays_kept(path, tmp_path) -> None:
    store = RecoveryStore(tmp_path / "state")
    store.keep(edited(path, 0.4))  # then another file is opened, then this one again
    kept = store.unsaved_work(path)
    assert kept is not None
    again = kept.session()
    store.keep(again)
    store.discard(kept)
    store.close()
    assert RecoveryStore(tmp_path / "state").unsaved_work(path) is not None


def test_a_data_file_saved_as_a_project_leaves_nothing_unsaved(tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    data.write_text("age,city\n30,Rome\n31,Rome\n")
    store = RecoveryStore(tmp_path / "state")
    session = open_session(data)
    session.edit(replace(session.project, seed=7), "seed")
    store.keep(session)
    assert [draft.file for draft in store.drafts()] == [data]
    session.save(tmp_path / "people.yaml")
    store.keep(session)
    assert store.unsaved_work(data) is None
    assert store.drafts() == []


def test_a_save_finds_what_another_program_saved(path: Path) -> None:
    one = edited(path, 0.4)
    two = open_session(path)
    two.edit(replace(two.project, privacy=Privacy(k=3)), "k = 3")
    two.save()
    with pytest.raises(ChangedFileError) as refused:
        one.save()
    assert refused.value.differences == [
        "privacy, k: 3 in the file, 2 here",
        "age, weight: nothing in the file, 0.4 here",
    ]
    assert Project.load(path).privacy.k == 3
    assert one.dirty
    one.save(over_changes=True)
    assert Project.load(path).privacy.k == 2
    one.change_attributes(["age"], "weight", weight=0.5)
    one.save()  # the file is now as this one wrote it


def test_other_comments_and_the_same_edits_are_no_change(path: Path) -> None:
    one = edited(path, 0.4)
    path.write_text(path.read_text() + "# a note\n")
    one.save()
    assert "# a note" in path.read_text()
    edited(path, 0.6).save()
    one.change_attributes(["age"], "weight", weight=0.6)
    one.save()


def test_a_file_that_became_unreadable_is_told_and_one_that_is_gone_is_written(path) -> None:
    one = edited(path, 0.4)
    path.write_text("data: [")
    with pytest.raises(ChangedFileError, match=r"project\.yaml"):
        one.save()
    path.unlink()
    one.save()
    assert Project.load(path).attributes["age"].weight == 0.4


def test_work_taken_up_again_remembers_which_file_it_began_with(path, tmp_path) -> None:
    store = RecoveryStore(tmp_path / "state")
    store.keep(edited(path, 0.4))
    edited(path, 0.9).save()
    kept = store.unsaved_work(path)
    assert kept is not None
    with pytest.raises(ChangedFileError):
        kept.session().save()


def test_another_reading_is_unsaved_work_and_is_taken_up_again(session, path, tmp_path) -> None:
    session.change_attributes(["age"], "weight", weight=0.4)
    data = session.project.data
    renamed = replace(data, read_options=replace(data.read_options, rename={"age": "years"}))
    reread = session.reread(renamed)
    assert reread.dirty
    store = RecoveryStore(tmp_path / "state")
    store.keep(reread)
    again = store.unsaved_work(path).session()
    assert again.dirty
    assert again.attribute("years").weight == 0.4
    again.save()
    assert not again.dirty
    assert open_session(path).attribute("years").weight == 0.4


def test_unsaved_work_that_cannot_be_removed_stops_nothing(session, path, tmp_path) -> None:
    session.change_attributes(["age"], "weight", weight=0.4)
    store = RecoveryStore(tmp_path / "state")
    store.keep(session)
    (kept,) = (tmp_path / "state").rglob("*.json")
    kept.unlink()
    kept.mkdir()  # like a file of a folder that can no longer be written to
    store.forget(session)
    session.save()
