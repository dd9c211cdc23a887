"""Exporting the release, its report, its mapping and its command line."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Select

from kanon_tui.core.report.story import public_mapping
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.csv_format import CsvChoice
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.screens.results.export import CommandDialog, CsvDialog, SigningDialog
from kanon_tui.widgets.dialogs import Confirm
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.analyses.helpers import small_census
from tests.screens.conftest import session_of, settle
from tests.screens.results.helpers import answer, open_results, text_of


async def export(pilot: Pilot, number: int) -> None:
    await pilot.press("x", *["down"] * number, "enter")
    await settle(pilot)


async def test_export_release_report_and_mapping(sample, make_app, tmp_path: Path) -> None:
    async with make_app(sample("census")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        result = screen.result
        await export(pilot, 0)
        assert isinstance(pilot.app.screen, AskPath)
        proposed = Path(pilot.app.screen.query_one(Input).value)
        assert proposed == session_of(pilot).project.path.parent / "census-release.csv"
        await pilot.press("enter")
        await settle(pilot)
        assert pl.read_csv(proposed, infer_schema=False).equals(result.table)
        await export(pilot, 1)
        await answer(pilot, str(tmp_path / "shuffled.parquet"))
        shuffled = pl.read_parquet(tmp_path / "shuffled.parquet")
        assert not shuffled.equals(result.table)
        assert shuffled.sort(shuffled.columns).equals(result.table.sort(result.table.columns))
        await export(pilot, 2)
        await answer(pilot, str(tmp_path / "as-input.csv"))
        as_input = pl.read_csv(tmp_path / "as-input.csv", infer_schema=False)
        assert as_input.equals(result.release.in_file_order)
        await export(pilot, 3)
        await answer(pilot, str(tmp_path / "report.json"))
        assert json.loads((tmp_path / "report.json").read_text()) == public_mapping(result)
        await export(pilot, 4)
        await answer(pilot, str(tmp_path / "mapping.tsv"))
        mapping = pl.read_csv(tmp_path / "mapping.tsv", separator="\t", infer_schema=False)
        assert mapping.columns == ["attribute", "value", "level", "published"]
        assert pilot.app.screen is screen


async def test_export_never_overwrites_by_accident(sample, make_app, tmp_path: Path) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        there = tmp_path / "there.csv"
        there.write_text("precious")
        await export(pilot, 0)
        await answer(pilot, str(there))
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("n")
        await settle(pilot)
        assert there.read_text() == "precious"
        await export(pilot, 0)
        data = session_of(pilot).data_path
        before = data.read_bytes()
        await answer(pilot, str(data))
        assert isinstance(pilot.app.screen, AskPath)  # asked again, with what is wrong
        await answer(pilot, str(tmp_path / "release.docx"))
        assert "end in .csv, .tsv" in text_of(pilot.app.screen, "#problem")
        await answer(pilot, str(there))
        await pilot.press("y")
        await settle(pilot)
        assert data.read_bytes() == before
        assert there.read_text().startswith("birth,gender,zip,race,disease")
        assert pilot.app.screen is screen


async def test_the_command_line_is_sent_to_the_terminal_on_request(
    sample, make_app, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "mondrian", k=2)
        session = session_of(pilot)
        await export(pilot, 5)
        dialog = pilot.app.screen
        assert isinstance(dialog, CommandDialog)
        assert dialog.problem == ""  # algorithm and k are on the command line
        assert pilot.app.clipboard == ""
        await pilot.press("y")
        await settle(pilot)
        assert pilot.app.clipboard == dialog.command
        words = shlex.split(dialog.command)
        assert words[2] == str(session.project.path.resolve())
        assert words[3:7] == ["--algorithm", "mondrian", "--k", "2"]
        await pilot.press("s")
        await settle(pilot)
        await answer(pilot, str(tmp_path / "again.sh"))
        assert dialog.command in (tmp_path / "again.sh").read_text()
        screen = pilot.app.screen
        assert "changed since" not in text_of(screen, "#summary")
        pilot.app.host.edit(replace(session.project, weights="auto"), "weights")
        await settle(pilot)
        assert "! changed since: weights" in text_of(screen, "#summary")


async def test_the_command_line_says_when_it_is_not_exact(make_app, sample) -> None:
    data = sample("patients").parent / "patients.csv"
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "mondrian", k=2)
        pilot.app.copy_to_clipboard("before")
        await export(pilot, 5)
        assert "save it first" in pilot.app.screen.problem
        assert pilot.app.clipboard == "before"


async def test_formulas_are_asked_about(make_app, tmp_path: Path) -> None:
    data = tmp_path / "people.csv"
    rows = [f"{20 + i},{job}" for i, job in enumerate(["=1+1", "cook", "=1+1", "cook"])]
    data.write_text("\n".join(["age,job", *rows, ""]))
    project = tmp_path / "p.yaml"
    project.write_text(
        "data: {path: people.csv}\n"
        "attributes:\n  age: {role: quasi, kind: numeric}\n"
        "  job: {role: other, kind: categorical, publish_unique: true}\n"
        "privacy: {k: 2}\n"
    )
    async with make_app(project).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "mondrian", k=2)
        for key, written in (("y", "=1+1"), ("n", "'=1+1")):
            await export(pilot, 0)
            assert isinstance(pilot.app.screen, Confirm)
            await pilot.press(key)
            await settle(pilot)
            await answer(pilot, str(tmp_path / f"{key}.csv"))
            release = pl.read_csv(tmp_path / f"{key}.csv", infer_schema=False)
            assert set(release["job"]) == {written, "cook"}


async def test_a_release_keeps_the_dialect_of_its_source_and_offers_another(
    make_app, tmp_path: Path
) -> None:
    source = tmp_path / "orte.csv"
    rows = [f"{20 + i % 4};{('Köln', 'Lübeck')[i % 2]};{1 + i % 3},5" for i in range(24)]
    source.write_bytes("\r\n".join(["Alter;Wohnort;Wert", *rows, ""]).encode("latin-1"))
    out = tmp_path / "orte-release.csv"
    async with make_app(source).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "datafly")
        await export(pilot, 0)
        hint = " ".join(str(each.content) for each in pilot.app.screen.query(".hint"))
        assert "semicolon, latin-1, line ends crlf" in hint
        await pilot.press("enter")
        await settle(pilot)
        data = out.read_bytes()
        assert data.startswith(b"Alter;Wohnort;Wert\r\n")
        assert "Köln".encode("latin-1") in data or b"*" in data
        await export(pilot, 6)  # how text is written
        assert isinstance(pilot.app.screen, CsvDialog)
        pilot.app.screen.query_one("#p-encoding", Select).value = "utf-16"
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        assert session.project.output.csv.encoding == "utf-16"
        await pilot.press("escape")
        other = tmp_path / "other.csv"
        await export(pilot, 0)
        await answer(pilot, str(other))
        assert other.read_bytes().decode("utf-16").startswith("Alter;Wohnort;Wert\r\n")


async def test_a_character_without_a_place_offers_utf_8(make_app, tmp_path: Path) -> None:
    source = tmp_path / "orte.csv"
    rows = [f"{20 + i % 4};{('Köln', 'Łódź')[i % 2]}" for i in range(24)]
    source.write_text("\n".join(["Alter;Wohnort", *rows, ""]), encoding="utf-8")
    out = tmp_path / "orte-release.csv"
    async with make_app(source).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.change_attributes(["Wohnort"], "published", role=Role.OTHER)
        output = replace(session.project.output, csv=CsvChoice(encoding="latin-1"))
        session.edit(replace(session.project, output=output), "latin-1")
        await open_results(pilot, "datafly")
        await export(pilot, 0)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Confirm)
        assert not out.exists()
        await pilot.press("y")
        await settle(pilot)
        assert "Łódź" in out.read_text(encoding="utf-8")


async def test_a_release_goes_into_files_that_people_have(sample, make_app, tmp_path: Path) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        screen = await open_results(pilot, "datafly")
        for ending in ("xlsx", "sav", "dta", "jsonl", "sqlite", "duckdb"):
            await export(pilot, 0)
            await answer(pilot, str(tmp_path / f"release.{ending}"))
            written = read_table(tmp_path / f"release.{ending}", ReadOptions(header=True))
            assert written.frame.rows() == screen.result.table.rows()


async def test_the_texts_of_the_report_are_typed_and_written(
    sample, make_app, tmp_path: Path
) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=(80, 24)) as pilot:
        await open_results(pilot, "datafly")
        await export(pilot, 9)
        assert isinstance(pilot.app.screen, SigningDialog)
        await pilot.press(*"research", "tab", "tab", *"k is 5", "enter", *"age coded", "tab")
        await pilot.press(*"A. Officer", "ctrl+r")
        await settle(pilot)
        texts = session_of(pilot).project.report
        assert (texts.purpose, texts.recipients) == ("research", "")
        assert (texts.decisions, texts.signed_by) == (("k is 5", "age coded"), ("A. Officer",))
        await pilot.press("escape")
        await export(pilot, 10)
        await answer(pilot, str(tmp_path / "dossier.md"))
        report = (tmp_path / "dossier.md").read_text()
        assert "Is inference possible?" in report
        await export(pilot, 11)
        await answer(pilot, str(tmp_path / "annex.pdf"))
        assert (tmp_path / "annex.pdf").read_bytes().startswith(b"%PDF")
        assert all(text in report for text in ("research", "k is 5", "age coded", "A. Officer"))
        await export(pilot, 9)
        await pilot.press("x", "escape")
        await settle(pilot)
        assert session_of(pilot).project.report == texts
