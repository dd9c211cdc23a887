"""Every command with hostile names, values, labels and files: what it prints is harmless.

As bytes: standard output and error, on a terminal too, and the reports for people.
"""

from __future__ import annotations

import csv
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kanon_tui.cli import main
from kanon_tui.commands import COMMANDS
from tests.commands.command_line import ENVIRONMENT, PATIENCE
from tests.hostile import HOSTILE, IN_A_CELL, assert_harmless

AGE = f"age{HOSTILE}"
CITY = f"city{IN_A_CELL}"
FLU = f"flu{HOSTILE}"
TABLE = f"people{HOSTILE}.csv".replace("/", "|")
RELEASE = f"r{HOSTILE}.csv".replace("/", "|")
PROJECT = f"p{HOSTILE}.yaml".replace("/", "|")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a project in which everything is hostile; commands are run in it."""
    monkeypatch.chdir(tmp_path)
    cities = [f"{name}{IN_A_CELL}" for name in ("Rome", "Oslo", "Bern")]
    rows = [[20 + n, cities[n % 3], f"{'yn'[n % 2]}{HOSTILE}"] for n in range(12)]
    for name in (TABLE, "plain.csv"):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[AGE, CITY, FLU], *rows])
    levels = {city: [f"south{HOSTILE}" if city == cities[0] else f"north{HOSTILE}"]
              for city in cities}  # fmt: skip
    project = {
        "data": {"path": TABLE, "header": True},
        "attributes": {
            AGE: {"role": "quasi", "kind": "numeric"},
            CITY: {
                "role": "quasi",
                "kind": "categorical",
                "hierarchy": {"levels": levels},
                "rules": {"keep": [{"apart": [cities[0], cities[1]], "importance": 3}]},
            },
            FLU: {"role": "sensitive"},
        },
        "privacy": {"k": 2},
        "algorithm": {"name": "mondrian"},
    }
    (tmp_path / PROJECT).write_text(yaml.safe_dump(project), encoding="utf-8")
    wrong = {**project, "attributes": {**project["attributes"], f"no{HOSTILE}": {"role": "quasi"}}}
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump(wrong), encoding="utf-8")
    key = {**project, f"key{HOSTILE}": HOSTILE}
    (tmp_path / "key.yaml").write_text(yaml.safe_dump(key), encoding="utf-8")
    gap = {**project, "attributes": {CITY: {"role": "quasi", "hierarchy": {
        "levels": dict(list(levels.items())[:1])}}}}  # fmt: skip
    (tmp_path / "gap.yaml").write_text(yaml.safe_dump(gap), encoding="utf-8")
    (tmp_path / "ragged.csv").write_text(f"{HOSTILE},b\n{HOSTILE}\n1,2,{HOSTILE}\n")
    return tmp_path


def command(*args: str, capfdbinary: pytest.CaptureFixture[bytes]) -> bytes:
    """What a command writes on standard output and error."""
    assert main(args) in (0, 1, 2)
    out, errors = capfdbinary.readouterr()
    assert_harmless(out)
    assert_harmless(errors)
    return out + errors


def on_a_terminal(*args: str, folder: Path) -> bytes:
    """What a terminal gets, progress included."""
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-m", "kanon_tui", *args], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    got = b""
    try:
        while part := os.read(ours, 65536):
            got += part
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(ours)
        process.wait(PATIENCE)
    assert_harmless(got, sequences=True)
    return got


def test_every_command_prints_harmless_bytes(hostile: Path, capfdbinary) -> None:
    run = [PROJECT, "--out", RELEASE]
    lines = [
        ["run", *run, "--report", "r.md"],
        ["run", PROJECT, "--out", "t.csv", "--report", "r.html"],
        ["run", PROJECT, "--algorithm", "global", "--out", "g.csv", "--report", "r.json"],
        ["run", *run],  # it exists
        ["sweep", PROJECT, "--k", "2,3", "--algorithms", "mondrian,global", "--out", "s.svg"],
        ["sweep", PROJECT, "--k", "2,99", "--algorithms", "global", "--json"],
        ["check", RELEASE, "--quasi", f'"{AGE}"', "--k", "2", "--sensitive", FLU],
        ["levels", PROJECT],
        ["levels", PROJECT, "--json"],
        ["attack", PROJECT, "--release", RELEASE, "--external", TABLE, "--on", f'"{AGE}"'],
        ["partition", PROJECT, "--release", RELEASE, "--target", FLU],
        ["partition", PROJECT, "--release", RELEASE, "--target", FLU, "--json"],
        ["utility", PROJECT, "--release", RELEASE, "--target", FLU],
        ["utility", PROJECT, "--release", RELEASE, "--json"],
        ["rerelease", PROJECT, "--release", RELEASE, "--earlier", RELEASE],
        ["rerelease", PROJECT, "--release", RELEASE, "--earlier", TABLE],
        ["verify", RELEASE, "--project", PROJECT],
        ["verify", RELEASE, "--project", PROJECT, "--json"],
        ["explain", PROJECT],
        ["explain", PROJECT, "--algorithm", "global"],
        ["hierarchy", "build", TABLE, "--attribute", AGE, "--builder", "intervals"],
        ["hierarchy", "validate", TABLE],
        ["hierarchy", "convert", TABLE, f"o{HOSTILE}.yaml"],
        ["algorithms"],
        ["simulate", "--attributes", "2", "--k", "2", "--records", "20"],
        ["uniques", PROJECT],
        ["uniques", PROJECT, "--json"],
        ["uniques", PROJECT, "--attributes", HOSTILE],
        ["risk", PROJECT],
        ["risk", PROJECT, "--json"],
        ["run", PROJECT, "--algorithm", "global", "--out", "m.csv", "--mapping", "m.json"],
        ["apply", "m.json", TABLE, "--out", "applied.csv"],
        ["apply", TABLE, TABLE, "--out", "refused.csv"],
        ["export-mapping", "m.json", "--out", "m.sql"],
        ["export-mapping", TABLE],
        ["papers", HOSTILE],
        ["papers", "sbc-figure-4-2a-ncp", "--on", PROJECT],
        ["demo", HOSTILE],
        ["serve", HOSTILE],
        ["completion", HOSTILE],
        ["warmup", HOSTILE],
    ]  # fmt: skip
    assert {line[0] for line in lines} >= set(COMMANDS)
    said = b"".join(command(*line, capfdbinary=capfdbinary) for line in lines)
    assert "age␛]2;OWNED␇".encode() in said
    for report in ("r.md", "r.html", "r.json", "s.svg"):
        assert_harmless((hostile / report).read_bytes())
    for line in (
        ["run", PROJECT, "--out", "tty.csv"],
        ["sweep", PROJECT, "--k", "2,3", "--algorithms", "mondrian"],
        ["export-mapping", "m.json"],
    ):
        on_a_terminal(*line, folder=hostile)


def test_every_refusal_prints_harmless_bytes(hostile: Path, capfdbinary) -> None:
    for line in (
        [HOSTILE],
        ["--" + HOSTILE],
        ["run", HOSTILE],
        ["run", "wrong.yaml"],
        ["run", "key.yaml"],
        ["run", "gap.yaml"],
        ["run", PROJECT, "--" + HOSTILE],
        ["run", PROJECT, "--algorithm", HOSTILE],
        ["run", PROJECT, "--k", HOSTILE],
        ["run", PROJECT, "--set", f"{HOSTILE}={HOSTILE}"],
        ["run", PROJECT, "--out", f"nowhere{HOSTILE}/{HOSTILE}.csv"],
        ["check", "ragged.csv", "--quasi", "b", "--k", "2"],
        ["check", TABLE, "--quasi", HOSTILE, "--k", "2"],
        ["attack", PROJECT, "--release", TABLE, "--external", TABLE, "--on", HOSTILE],
        ["partition", PROJECT, "--release", TABLE, "--target", HOSTILE],
        ["hierarchy", HOSTILE],
        ["hierarchy", "build", "plain.csv", "--attribute", HOSTILE],
    ):
        assert command(*line, capfdbinary=capfdbinary)
    on_a_terminal("check", "ragged.csv", "--quasi", HOSTILE, "--k", "2", folder=hostile)
