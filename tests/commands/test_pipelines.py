"""`run` in a pipeline: standard input and output, data files without a project, JSON, dry runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, unquote

import duckdb
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.cli import make_parser
from tests.commands.command_line import ENVIRONMENT, PATIENCE, kanon

ROLES = ("--quasi", "age,zip", "--sensitive", "flu", "--k", "2", "--algorithm", "mondrian")


def piped(*arguments: str, folder: Path, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "kanon_tui", "run", *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        input=data,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_from_standard_input_to_standard_output(folder: Path, engine: str) -> None:
    data = (folder / "people.csv").read_bytes()
    before = sorted(folder.iterdir())
    done = piped("-", *ROLES, "--out", "-", "--engine", engine, folder=folder, data=data)
    assert done.returncode == 0, done.stderr
    assert sorted(folder.iterdir()) == before
    assert b"verified" in done.stderr
    again = kanon("run", "people.csv", *ROLES, "--out", "r.csv", "--quiet", folder=folder)
    assert (again.returncode, again.stdout) == (0, "")
    assert (folder / "r.csv").read_bytes() == done.stdout
    assert pl.read_csv(done.stdout, infer_schema=False).columns == ["age", "zip", "flu"]


def test_a_full_disk_behind_standard_output_is_named(folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kanon_tui", "run", "people.csv", *ROLES, "--out", "-"],
            cwd=folder, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert b"standard output: could not be written: no space left" in done.stderr


def test_the_engine_changes_neither_the_answer_nor_the_exit_code(folder: Path) -> None:
    (folder / "sexes.csv").write_text("sex\n" + "m\n" * 6 + "f\n")
    sexes = ("sexes.csv", "--quasi", "sex", "--k", "3", "--algorithm", "datafly")
    for engine in ("memory", "stream"):
        done = kanon("run", *sexes, "--set", "max_suppression=0.5", "--engine", engine,
                     "--out", f"{engine}.csv", folder=folder)  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (folder / "memory.csv").read_bytes() == (folder / "stream.csv").read_bytes()
    tight = kanon("run", *sexes, "--memory", "300MB", "--engine", "memory", folder=folder)
    assert tight.returncode == 2
    assert "are allowed; allow more with --memory, or leave --engine out" in tight.stderr
    size = kanon("run", *sexes, "--memory", "4XB", folder=folder)
    assert "'4XB' is not" in size.stderr


def test_a_data_file_needs_roles_or_consent(folder: Path) -> None:
    refused = kanon("run", "people.csv", "--k", "2", folder=folder)
    assert refused.returncode == 2
    assert "--quasi" in refused.stderr
    assert "name" in refused.stdout
    accepted = kanon("run", "people.csv", "--k", "2", "--accept-guesses", folder=folder)
    assert accepted.returncode == 0
    both = kanon("run", "p.yaml", "--quasi", "age", folder=folder)
    assert both.returncode == 2
    unknown = kanon("run", "people.csv", "--quasi", "agee", "--k", "2", folder=folder)
    assert "did you mean 'age'" in unknown.stderr


def test_the_report_as_json(folder: Path) -> None:
    whole = json.loads(kanon("run", "p.yaml", "--json", folder=folder).stdout)
    public = json.loads(kanon("run", "p.yaml", "--json", "--public", folder=folder).stdout)
    assert whole["classes"] == public["classes"]
    assert whole["release"]["sha256"] == public["sha256"]
    assert "metrics" in whole
    assert not set(public) & set(whole["internal"]) - {"left_out"}
    clash = kanon("run", "p.yaml", "--json", "--out", "-", folder=folder)
    assert clash.returncode == 2


def test_the_html_report_is_public_unless_asked(folder: Path) -> None:
    for flags, internal in (((), False), (("--internal",), True)):
        command = ("run", "p.yaml", "--report", "r.html", "--force", "--quiet", *flags)
        assert kanon(*command, folder=folder).returncode == 0
        page = (folder / "r.html").read_text(encoding="utf-8")
        assert ("NCP" in page) is internal
        assert "SHA-256" in page or internal
    kanon("run", "p.yaml", "--report", "r.md", "--public", folder=folder)
    assert "NCP" not in (folder / "r.md").read_text(encoding="utf-8")


def test_a_dry_run_says_what_would_happen_and_does_nothing(folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = kanon("run", "p.yaml", "--dry-run", "--out", "r.csv", folder=folder)
    assert done.returncode == 0
    for fact in ("Mondrian", "8 records", "hierarchy of age", "would write r.csv", "left out"):
        assert fact in done.stdout
    assert sorted(folder.iterdir()) == before


def test_progress_is_plain_lines_where_nobody_watches(folder: Path) -> None:
    for engine, phases in (
        ("memory", ["mondrian"]),
        ("stream", ["code", "count tuples", "mondrian"]),
    ):
        command = ("run", "p.yaml", "--progress", "--quiet", "--engine", engine, "--timings")
        done = piped(*command[1:], folder=folder)
        lines = done.stderr.decode().splitlines()
        for phase in phases:
            assert [line for line in lines if line.startswith(f"{phase}: ")], lines
        assert [line for line in lines if line.endswith("s processor")]
        assert [line for line in lines if line.split()[:1] == ["search"] and "wall" in line]


def test_help_fits_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    parser = make_parser()
    commands = next(a for a in parser.actions if a.choices and "run" in a.choices).choices
    for name, command in commands.items():
        if name == "completion":  # paths that cannot be broken
            continue
        long = [line for line in command.format_help().splitlines() if len(line) > 80]
        assert not long, name


def test_the_recoding_as_a_query(folder: Path) -> None:
    run = kanon("run", "p.yaml", "--mapping", "m.json", "--out", "r.csv", folder=folder)
    assert run.returncode == 0, run.stderr
    printed = kanon("export-mapping", "m.json", "--table", "people", folder=folder)
    assert printed.returncode == 0, printed.stderr
    spark = ("--format", "spark", "--out", "q.sql")
    written = kanon("export-mapping", "m.json", *spark, folder=folder)
    assert written.returncode == 0, written.stderr
    assert "FROM `records`" in (folder / "q.sql").read_text()
    kept = kanon("export-mapping", "m.json", "--out", "q.sql", folder=folder)
    assert kept.returncode == 2
    with duckdb.connect() as connection:
        rows = f"read_csv('{folder}/people.csv', all_varchar=true)"
        connection.execute(f"CREATE TABLE people AS FROM {rows}")
        found = connection.execute(printed.stdout).fetchall()
        names = [each[0] for each in connection.description or ()]
    release = pl.read_csv(folder / "r.csv", infer_schema=False).select(names)
    assert sorted(found) == sorted(release.rows())


def test_a_release_in_folders_by_published_cells(folder: Path) -> None:
    asked = ("run", "p.yaml", "--out", "parts/", "--partition-by", "zip")
    done = kanon(*asked, "--report", "r.json", folder=folder)
    assert done.returncode == 0, done.stderr
    whole = kanon("run", "p.yaml", "--out", "r.csv", folder=folder)
    assert whole.returncode == 0
    release = pl.read_csv(folder / "r.csv", infer_schema=False)
    written = pl.read_parquet(folder / "parts", hive_schema={"zip": pl.String})
    assert sorted(written.select(release.columns).rows()) == sorted(release.rows())
    names = {unquote(each.name) for each in (folder / "parts").iterdir()}
    assert names == {f"zip={cell}" for cell in release["zip"].unique()}
    for cell in release["zip"].unique():
        part = pl.read_parquet(folder / "parts" / f"zip={quote(cell, '')}", glob=False,
                               hive_partitioning=False)  # fmt: skip
        rows = release.filter(pl.col("zip") == cell).drop("zip")
        assert part.columns == rows.columns
        assert part.rows() == rows.rows()
    proven = kanon("verify", "parts", "--project", "p.yaml", folder=folder)
    assert proven.returncode == 0, proven.stderr
    mapped = kanon("run", "p.yaml", "--out", "mapped/", "--partition-by", "zip",
                   "--engine", "stream", folder=folder)  # fmt: skip
    assert mapped.returncode == 0, mapped.stderr
    for part in (folder / "parts").rglob("*.parquet"):
        same = folder / "mapped" / part.relative_to(folder / "parts")
        assert same.read_bytes() == part.read_bytes()
    assert kanon(*asked, folder=folder).returncode == 2  # it is kept
    assert kanon(*asked, "--force", folder=folder).returncode == 0


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--out", "parts/", "--partition-by", "name"), "no column 'name'"),  # an identifier
        (("--out", "parts/", "--partition-by", "age,zip,sex,flu"), "all of its columns"),
        (("--out", "r.csv", "--partition-by", "zip"), "needs a folder"),
    ],
)
def test_folders_that_cannot_be_made(folder: Path, more: tuple[str, ...], reason: str) -> None:
    before = sorted(folder.iterdir())
    refused = kanon("run", "p.yaml", *more, folder=folder)
    assert refused.returncode == 2
    assert reason in refused.stderr
    assert sorted(folder.iterdir()) == before


def test_folders_appear_only_with_their_report(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise kn.InfrastructureError("the disk is full")

    before = sorted(folder.iterdir())
    monkeypatch.setattr(kn.Result, "write_files", fail)
    lost = kanon("run", "p.yaml", "--out", "parts/", "--partition-by", "zip", folder=folder)
    assert lost.returncode == 3
    assert sorted(folder.iterdir()) == before
