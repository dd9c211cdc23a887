"""Columns that a project does not name: generalised, left out or published, and always told."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.session import open_session
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.trial import preflight
from kanon_tui.core.table.column import Role
from tests.commands.command_line import said

RECORDS = 40


def table() -> pl.DataFrame:
    """Age and sex are named by the project; the others are what it forgot."""
    rows = range(RECORDS)
    return pl.DataFrame(
        {
            "age": [str(20 + i % 30) for i in rows],
            "sex": ["F" if i % 2 else "M" for i in rows],
            "surname": [f"Person{i}" for i in rows],
            "city": ["Rome" if i % 4 else "Pisa" for i in rows],
            "wage": [f"{1000 + 7 * i}" for i in rows],
            "remark": ["ok" if i % 3 else "late" for i in rows],
        }
    )


def project(folder: Path, data: str = "") -> Path:
    table().write_csv(folder / "people.csv")
    file = folder / "p.yaml"
    file.write_text(
        f"data: {{path: people.csv{data}}}\n"
        "attributes: {age: {role: quasi}, sex: {role: quasi}}\n"
        "privacy: {k: 2}\nalgorithm: {name: mondrian}\n"
    )
    return file


def test_what_nobody_named_is_generalised_or_left_out(tmp_path: Path) -> None:
    result = kn.anonymize(project(tmp_path))
    assert result.table.columns == ["age", "sex", "city"]
    assert [attribute.name for attribute in result.task.quasi] == ["age", "sex", "city"]
    assert result.task.left_out == ("surname", "wage", "remark")
    assert result.task.published_as_they_are == ()
    assert result.table.group_by("age", "sex", "city").len()["len"].min() >= 2  # type: ignore[operator]


def test_publish_gives_all_but_what_seems_to_identify(tmp_path: Path) -> None:
    result = kn.anonymize(project(tmp_path, ", unlisted: publish"))
    assert result.table.columns == ["age", "sex", "city", "wage", "remark"]
    assert result.task.left_out == ("surname",)
    assert result.task.published_as_they_are == ("wage", "remark")


def test_a_frame_and_a_data_file_are_treated_alike(tmp_path: Path) -> None:
    named = kn.Project.load(project(tmp_path))
    assert kn.anonymize(named, table=table()).table.columns == ["age", "sex", "city"]
    released = kn.anonymize(_mondrian(tmp_path / "people.csv"), accept_guesses=True)
    assert released.table.columns == ["age", "sex", "city"]


def _mondrian(data: Path) -> kn.Project:
    from kanon_tui.core.project.project import AlgorithmChoice, DataSource

    return kn.Project(data=DataSource(path=str(data)), algorithm=AlgorithmChoice("mondrian"))


def test_the_application_treats_a_project_as_the_command_line_does(tmp_path: Path) -> None:
    session = open_session(project(tmp_path))
    assert session.names(Role.IDENTIFIER) == ["surname", "wage", "remark"]
    assert session.task().roles == prepare(kn.Project.load(tmp_path / "p.yaml")).roles
    assert not session.dirty
    fresh = open_session(tmp_path / "people.csv")  # a person sees the guesses before a run
    assert fresh.names(Role.SENSITIVE) == ["wage"]
    assert fresh.names(Role.OTHER) == ["remark"]
    reread = fresh.reread(fresh.project.data)
    assert reread.names(Role.OTHER) == ["remark"]
    saved = fresh.save(tmp_path / "saved.yaml")
    assert open_session(saved).task().roles == fresh.task().roles


def test_run_and_reports_say_what_is_published_and_who_is_singled_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(project(tmp_path))
    printed = said("run", file, capsys=capsys, code=0)
    assert "published as they are: none\n" in printed
    assert "left out: surname, wage, remark\n" in printed
    assert "not named in the project but generalised, as others may know them: city\n" in printed
    assert "singles" not in printed

    project(tmp_path, ", unlisted: publish")
    warning = "wage is published as it is: 100 % of its values belong to one person (40 of 40)"
    for ending in ("json", "md", "html"):
        report = tmp_path / f"r.{ending}"
        printed = said("run", file, "--report", str(report), "--internal", capsys=capsys, code=0)
        assert "published as they are: wage, remark\n" in printed
        assert f"warning: {warning}\n" in printed
        if ending != "json":
            assert warning in report.read_text()
    figures = json.loads((tmp_path / "r.json").read_text())
    assert figures["published_as_they_are"] == ["wage", "remark"]
    assert figures["left_out"] == ["surname"]
    assert figures["singling_out"] == [{"attribute": "wage", "unique": 40, "records": 40}]


def test_a_person_is_told_before_the_run(tmp_path: Path) -> None:
    loaded = kn.Project.load(project(tmp_path, ", unlisted: publish"))
    told = preflight(loaded, prepare(loaded), ALGORITHMS["mondrian"])
    assert "published as they are: wage, remark" in told.facts
    assert "left out: surname" in told.facts
    assert told.warnings[0].startswith("wage is published as it is: 100 %")


def test_an_unknown_word_for_unlisted_names_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(kn.InputError, match=r"data\.unlisted"):
        kn.Project.load(project(tmp_path, ", unlisted: keep"))
