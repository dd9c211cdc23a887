"""`kanon-tui run`: what it writes, what it keeps, and when it writes nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import write_table
from tests.commands.command_line import PEOPLE, PROJECT, kanon, said


def test_run_writes_a_release_and_every_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = kanon("run", "p.yaml", "--out", "r.csv", "--report", "r.json", folder=folder)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "k = 2, verified" in done.stdout
    assert "wrote r.csv and r.json" in done.stdout
    release = pl.read_csv(folder / "r.csv", infer_schema=False)
    assert release.columns == ["age", "zip", "sex", "flu"]
    assert release.height == 8
    report = json.loads((folder / "r.json").read_text())
    smallest = release.group_by("age", "zip").len()["len"].min()
    assert report["smallest_class"] == smallest
    starts = {
        "md": b"# Dossier of a release with k = 2",
        "html": b"<!doctype html>",
        "pdf": b"%PDF",
    }
    for ending, start in starts.items():
        report, annex = (str(folder / f"{name}.{ending}") for name in ("r", "annex"))
        command = ("run", str(folder / "p.yaml"), "--report", report, "--internal")
        said(*command, "--annex", annex, "--attacks", capsys=capsys, code=0)
        assert Path(report).read_bytes().startswith(start)
        if ending != "pdf":
            again = "kanon-tui run p.yaml --algorithm mondrian --k 2 --seed 0"
            assert again in Path(annex).read_text()
            text = Path(report).read_text()
            assert again not in text
            for told in (
                "Is singling out possible?",
                "prosecutor",
                "SHA-256 of the project p.yaml",
            ):
                assert told in text
    everything = "".join(
        path.read_text() for path in folder.glob("*.*") if path.suffix in (".md", ".html", ".json")
    )
    assert "Secret" not in everything + done.stdout


def test_timings_of_all_phases(folder: Path) -> None:
    command = ("run", "p.yaml", "--out", "r.csv", "--report", "r.json", "--timings")
    done = kanon(*command, folder=folder)
    phases = json.loads((folder / "r.json").read_text())["phases"]
    names = ["read", "prepare", "search", "recode", "verify", "measure", "write"]
    assert list(phases) == names
    assert all(seconds > 0 for seconds in phases.values())
    printed = dict(line.split()[:2] for line in done.stderr.splitlines())
    assert list(printed) == [*names, "together", "all"]
    assert {name: float(printed[name]) for name in names} == {
        name: pytest.approx(seconds, abs=0.001) for name, seconds in phases.items()
    }


def test_run_takes_what_is_typed_instead_of_the_project(folder: Path) -> None:
    done = kanon(
        *("run", "p.yaml", "--k", "4", "--seed", "9", "--set", "relaxed=true"),
        *("--report", "r.json", "--out", "r.parquet"),
        folder=folder,
    )
    assert done.returncode == 0
    report = json.loads((folder / "r.json").read_text())
    assert (report["k"], report["seed"], report["params"]["relaxed"]) == (4, 9, True)
    assert pl.read_parquet(folder / "r.parquet").height == 8


def test_another_algorithm_does_not_get_the_old_parameters(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "p.yaml"
    file.write_text(PROJECT.replace("mondrian}", "mondrian, params: {relaxed: true}}"))
    assert "Datafly" in said("run", str(file), "--algorithm", "datafly", capsys=capsys, code=0)


def test_run_without_files_prints_a_summary_only(folder: Path) -> None:
    done = kanon("run", "p.yaml", folder=folder)
    assert done.returncode == 0
    assert "nothing was written" in done.stdout
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv"]


def test_existing_files_are_kept_and_found_before_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, out, report = (str(folder / name) for name in ("p.yaml", "r.csv", "r.md"))
    for path in (out, report):
        Path(path).write_text("mine")

    def never(*args: object) -> None:
        raise AssertionError("it ran")

    with monkeypatch.context() as patch:
        patch.setattr("kanon_tui.core.pipeline.run.start", never)
        for option in ("--out", "--report"):
            path = out if option == "--out" else report
            assert said("run", project, option, path, capsys=capsys) == (
                f"{path} exists and is kept; use --force to replace it or name another file"
            )
    assert Path(out).read_text() == "mine"
    assert "wrote" in said("run", project, "--out", out, "--force", capsys=capsys, code=0)
    assert Path(out).read_text().startswith("age,zip,sex,flu")
    assert Path(report).read_text() == "mine"


def test_levels_that_a_person_chose_are_published_or_refused(folder: Path) -> None:
    done = kanon("run", "p.yaml", "--levels", "age=0,zip=9", folder=folder)
    assert done.returncode == 2
    assert "zip has the levels 0 to" in done.stderr
    done = kanon("run", "p.yaml", "--levels", "zip=0", "--k", "1", "--report", "r.json",
                 folder=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads((folder / "r.json").read_text())["search"]["answer"]
    assert answer["zip"] == 0
    done = kanon("run", "p.yaml", "--levels", "age=0,zip=0", "--k", "7", folder=folder)
    assert done.returncode == 1
    assert "does not pass" in done.stderr


def test_the_input_is_never_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(folder / "people.csv")
    message = said("run", str(folder / "p.yaml"), "--out", out, "--force", capsys=capsys)
    assert message == f"{out} is read by this run and cannot be replaced; name another"
    assert (folder / "people.csv").read_text() == PEOPLE


def test_when_the_report_fails_there_is_no_release_either(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kanon_tui.core.pipeline.run.report_bytes", full)
    project, out, report = (str(folder / name) for name in ("p.yaml", "r.csv", "r.md"))
    assert "no space left" in said(
        "run", project, "--out", out, "--report", report, capsys=capsys, code=3
    )
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv"]


def test_privacy_that_is_not_reached_is_exit_code_1(folder: Path) -> None:
    # A single record is suppressed, and publishing it with stars would single it out.
    (folder / "people.csv").write_text("age\n" + "20\n" * 5 + "90\n")
    (folder / "p.yaml").write_text(
        "data: {path: people.csv}\n"
        "attributes: {age: {role: quasi, kind: numeric}}\n"
        "privacy: {k: 3, max_suppression: 0.2}\n"
        "algorithm: {name: incognito}\noutput: {suppressed: star}\n"
    )
    done = kanon("run", "p.yaml", "--out", "r.csv", folder=folder)
    assert done.returncode == 1
    assert "would publish a class of 1 suppressed record, k is 3" in done.stderr
    assert "use suppressed: drop" in done.stderr
    assert not (folder / "r.csv").exists()


def test_the_order_of_the_input_is_warned_about(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "p.yaml"
    told = {}
    for written in ("order: sorted", "order: input", "shuffle: false", "shuffle: true"):
        file.write_text(f"{PROJECT}output: {{{written}}}\n")
        told[written] = said("run", str(file), capsys=capsys, code=0)
    assert "warning: the records stand in the order of the input" in told["order: input"]
    assert "warning: the records stand in the order of the input" in told["shuffle: false"]
    assert "order of the input" not in told["order: sorted"] + told["shuffle: true"]


def test_formulas_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "people.csv").write_text(PEOPLE.replace(",F,", ",=F,"))
    file = folder / "p.yaml"
    told = said("run", str(file), capsys=capsys, code=0)
    assert "would take for formulas: 4, kept" in told
    file.write_text(f"{PROJECT}output: {{formulas: escape}}\n")
    out = folder / "r.csv"
    assert "formulas: 4, escaped" in said(
        "run", str(file), "--out", str(out), capsys=capsys, code=0
    )
    assert out.read_text().count(",'=F,") == 4


@pytest.mark.parametrize("ending", ["jsonl", "xlsx", "dta", "sav", "sqlite", "duckdb"])
def test_a_project_reads_and_writes_the_files_that_people_have(
    ending: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said("run", str(folder / "p.yaml"), "--out", str(folder / "r.csv"), capsys=capsys, code=0)
    people = pl.read_csv(folder / "people.csv", infer_schema=False)
    write_table(folder / f"people.{ending}", people)
    (folder / "q.yaml").write_text(PROJECT.replace("people.csv", f"people.{ending}"))
    out = folder / f"r.{ending}"
    said("run", str(folder / "q.yaml"), "--out", str(out), capsys=capsys, code=0)
    expected = pl.read_csv(folder / "r.csv", infer_schema=False)
    assert read_table(out, ReadOptions(header=True)).frame.equals(expected)
    assert b"Secret" not in out.read_bytes()


def test_a_password_reaches_no_report_and_no_message(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = pl.read_csv(folder / "people.csv", infer_schema=False)
    write_table(folder / "people.sqlite", people)
    address = f"sqlite:///{folder}/people.sqlite?password=hush"
    data = f"data: {{path: '{address}', query: 'SELECT * FROM release'}}"
    (folder / "q.yaml").write_text(PROJECT.replace("data: {path: people.csv}", data))
    for ending in ("json", "md", "html"):
        report = folder / f"r.{ending}"
        out = said("run", str(folder / "q.yaml"), "--report", str(report), capsys=capsys, code=0)
        assert "hush" not in out + report.read_text()


def test_a_required_risk_is_told_with_what_was_reached(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = (here / "p.yaml").read_text()
    risk = "privacy: {k: 2, risk: {model: marketer, max: 0.5}}"
    (here / "p.yaml").write_text(project.replace("privacy: {k: 2}", risk))
    out = said("run", "p.yaml", "--out", "r.csv", "--report", "r.md", capsys=capsys, code=0)
    assert "the release has an average marketer risk of at most 0.5: it is 0.5" in out
    assert "wrote r.csv and r.md" in out


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_roles_that_are_only_guessed_need_consent(folder: Path, engine: str) -> None:
    open_guess = PROJECT.replace("  sex: {role: other}", "  sex: {role: other, guessed: true}")
    assert open_guess != PROJECT
    (folder / "p.yaml").write_text(open_guess)
    command = ("run", "p.yaml", "--engine", engine, "--out", "r.csv")
    refused = kanon(*command, folder=folder)
    assert refused.returncode == 2
    lines = [line.split() for line in refused.stdout.splitlines() if line.startswith("  ")]
    assert lines[0] == ["published", "as", "it", "is", "sex", "other", "?"]
    assert ["left", "out", "name", "identifier"] in lines
    assert "--accept-guesses" in refused.stderr
    assert not (folder / "r.csv").exists()
    assert kanon(*command, "--accept-guesses", folder=folder).returncode == 0
    assert (folder / "r.csv").exists()


def test_titles_and_totals_of_a_data_file_are_no_people(tmp_path: Path) -> None:
    records = [f"{20 + x % 5};{'mw'[x % 2]};8{x % 3};D{x % 4}" for x in range(40)]
    lines = ["Auszug 2025", "", "Alter;Geschlecht;PLZ;Befund", *records, "Summe;;;160"]
    (tmp_path / "export.csv").write_text("\n".join(lines) + "\n")
    command = ("run", "export.csv", "--quasi", "Alter,PLZ", "--sensitive", "Befund", "--k", "2")
    refused = kanon(*command, "--out", "r.csv", folder=tmp_path)
    assert refused.returncode == 2
    for fact in ("export.csv", "2 lines before the header", "Summe", "{first: 2, last: 1}"):
        assert fact in refused.stderr
    assert not (tmp_path / "r.csv").exists()
    accepted = kanon(*command, "--out", "r.csv", "--accept-guesses", folder=tmp_path)
    assert accepted.returncode == 0
    assert "40 records" in accepted.stdout
    assert "first 2, last 1" in accepted.stdout
    with pytest.raises(kn.InputError, match="Summe"):
        kn.anonymize(tmp_path / "export.csv", quasi="Alter", k=2)


def test_people_who_are_unique_by_all_published_columns_are_warned_of(folder: Path) -> None:
    asked = ("run", "p.yaml", "--set", "max_suppression=0", "--out", "r.csv")
    done = kanon(*asked, folder=folder)
    assert done.returncode == 0
    release = pl.read_csv(folder / "r.csv", infer_schema=False)
    groups = release.group_by("age", "zip", "sex").len()["len"]
    unique = int((groups == 1).sum())
    assert unique > 0
    sentence = f"by all but the sensitive ones {unique} of 8 records"
    assert f"warning: k covers 2 of 4 published columns; {sentence}" in done.stdout
    assert done.stdout.count(sentence) == 1


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_strict_writes_nothing_that_is_warned_of(folder: Path, engine: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    strict = ("--engine", engine, "--strict", "--report", "r.json")
    done = kanon("run", "p.yaml", "--out", "r.csv", *strict, folder=folder)
    assert done.returncode == 1
    assert "--strict: k covers 2 of 4 published columns" in done.stderr
    assert "nothing was written" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before
    project = (folder / "p.yaml").read_text()
    (folder / "p.yaml").write_text(project.replace("{role: other}", "{role: identifier}"))
    done = kanon("run", "p.yaml", "--out", "r.csv", *strict, folder=folder)
    assert done.returncode == 0
    assert json.loads((folder / "r.json").read_text())["cautions"] == []
