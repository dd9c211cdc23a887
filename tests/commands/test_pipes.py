"""Pipes as a shell makes them, formats of standard input, and the short forms of options."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.table.writing import write_table
from tests.commands.command_line import ENVIRONMENT, PATIENCE, kanon

KANON = f"{sys.executable} -m kanon_tui"
ROLES = "--quasi age,zip --sensitive flu -k 2 --algorithm mondrian"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of bash, in which `kanon-tui` is this one."""
    return subprocess.run(
        ["bash", "-c", command.replace("kanon-tui", KANON)],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.fixture
def release(folder: Path) -> str:
    """The release that every way in and out has to give."""
    done = kanon("run", "people.csv", *ROLES.split(), "-o", "r.csv", "-q", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return (folder / "r.csv").read_text()


@pytest.mark.parametrize(
    "command",
    [
        f"kanon-tui run <(cat people.csv) {ROLES} --out -",
        f"kanon-tui run <(cat people.csv) {ROLES} --out - --engine stream",
        f"kanon-tui run people.csv {ROLES} --out /dev/stdout | cat",
        f"kanon-tui run people.csv {ROLES} --out /dev/fd/1 | cat",
        f"cat people.csv | kanon-tui run /dev/stdin {ROLES} --out -",
        f"kanon-tui run people.csv {ROLES} -q --out >(cat > out.csv); wait $!; cat out.csv",
        f"gzip -c people.csv | kanon-tui run - {ROLES} --out -",
    ],
)
def test_every_way_through_a_pipe(command: str, folder: Path, release: str) -> None:
    done = shell(command, folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == release


@pytest.mark.parametrize(
    "ending", [".jsonl", ".json", ".parquet", ".feather", ".xlsx", ".csv.xz", ".csv.zip", ".sqlite"]
)
def test_standard_input_is_known_by_its_bytes(ending: str, folder: Path, release: str) -> None:
    write_table(folder / f"p{ending}", pl.read_csv(folder / "people.csv", infer_schema=False))
    done = shell(f"cat p{ending} | kanon-tui run - {ROLES} -q --out -", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == release


def test_a_format_that_the_bytes_do_not_tell_is_named(folder: Path, release: str) -> None:
    write_table(folder / "p.dta", pl.read_csv(folder / "people.csv", infer_schema=False))
    done = shell(f"cat p.dta | kanon-tui run - --format dta {ROLES} -q --out -", folder)
    assert (done.returncode, done.stdout) == (0, release), done.stderr
    lines = "".join(json.dumps({"a": 1} | {str(n): n}) + "\n" for n in range(3))
    (folder / "x.jsonl").write_text("\n" + lines)
    check = "kanon-tui check - --format jsonl --quasi a -k 3 < x.jsonl"
    assert shell(check, folder).returncode == 0
    on_file = kanon("run", "people.csv", *ROLES.split(), "--format", "csv", folder=folder)
    assert on_file.returncode == 2
    assert "--format says what a pipe holds, and people.csv is a file" in on_file.stderr
    unknown = shell("kanon-tui check - --format docx --quasi a -k 3 < x.jsonl", folder)
    assert unknown.returncode == 2
    assert "Traceback" not in unknown.stderr


def test_check_reads_pipes(folder: Path, release: str) -> None:
    assert release
    from_file = kanon("check", "r.csv", "--quasi", "age,zip", "--k", "2", folder=folder)
    assert from_file.returncode == 0
    for command in (
        "cat r.csv | kanon-tui check - --quasi age,zip -k 2",
        "kanon-tui check <(cat r.csv) --quasi=age --quasi=zip -k 2",
        f"kanon-tui run people.csv {ROLES} -o - | kanon-tui check - --quasi age,zip -k2",
    ):
        done = shell(command, folder)
        assert (done.returncode, done.stdout) == (0, from_file.stdout), done.stderr


def test_a_repeated_option_adds_names(folder: Path, release: str) -> None:
    again = "--quasi=age --quasi=zip --sensitive=flu -k 2 --algorithm mondrian -o s.csv -q"
    done = kanon("run", "people.csv", *again.split(), folder=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "s.csv").read_text() == release
    kept = kanon("run", "people.csv", *again.split(), folder=folder)
    assert kept.returncode == 2
    assert kanon("run", "people.csv", *again.split(), "-f", folder=folder).returncode == 0


def test_standard_input_that_is_closed_is_a_sentence(folder: Path) -> None:
    done = shell(f"kanon-tui run - {ROLES} <&-", folder)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "standard input" in done.stderr or "stdin is empty" in done.stderr
