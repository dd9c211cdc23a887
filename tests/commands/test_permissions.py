"""Who may read what a command writes, and folders in which an ordinary user may not write."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.commands.command_line import (
    CONSOLE_SCRIPT,
    ENVIRONMENT,
    PATIENCE,
    PEOPLE,
    PROJECT,
    kanon,
)

WITH_KEY = PROJECT.replace("{role: identifier}", "{role: identifier, identifier: pseudonym}")

ORDINARY_USER = """
import os, shutil, sys
from kanon_tui.cli import main

lines, before = [line.split() for line in sys.argv[1:]], set(os.listdir())
for line in lines:  # in a writable folder: another user may not read the modules to import later
    assert main(line) == 0, line
for made in set(os.listdir()) - before:
    (shutil.rmtree if os.path.isdir(made) else os.unlink)(made)
for made in os.listdir("out"):
    os.unlink(os.path.join("out", made))
os.chmod("out", 0o777)
os.chmod(".", 0o555)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for line in lines:
    assert main(line) == 2, line
assert main([*lines[0][:2], "--out", "people-before.csv", "--force"]) == 2
"""


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_files_are_as_open_as_was_asked_and_the_key_is_closed(umask: int, folder: Path) -> None:
    (folder / "key.yaml").write_text(WITH_KEY)
    before = os.umask(umask)
    inputs = set(folder.iterdir())
    try:
        for line in (
            "run key.yaml --out r.csv --report r.md --mapping r.json",
            "run p.yaml --engine stream --out s.csv --report s.html",
            "run p.yaml --engine stream --out parts/",
            "sweep p.yaml --k 2,3 --algorithms mondrian --out w.csv",
            "run p.yaml --report i.json --annex a.md",
            "explain p.yaml --out h.md",
            "uniques p.yaml --scores u.csv",
        ):
            assert kanon(*line.split(), folder=folder).returncode == 0
    finally:
        os.umask(before)
    made = {path: stat.S_IMODE(path.stat().st_mode) for path in set(folder.rglob("*")) - inputs}
    assert made.pop(folder / "pseudonyms.key") == 0o600
    assert made.pop(folder / "parts") == 0o777 & ~umask
    internal = {"r.md", "i.json", "a.md", "h.md", "u.csv"}  # with records or figures of the input
    for name in internal:
        assert made.pop(folder / name) == 0o600
    assert set(made.values()) == {0o666 & ~umask}
    assert {path.name for path in made} == {
        "r.csv", "r.json", "s.csv", "s.html", "w.csv", "part-00000.parquet",
    }  # fmt: skip


def test_a_read_only_folder_is_a_sentence_and_stays_as_it_is() -> None:
    """For nobody where the tests run as root, whom no mode stops."""
    lines = (
        "run p.yaml --out r.csv --report r.md",
        "run p.yaml --out s.csv --engine stream",
        "run p.yaml --out parts/ --engine stream",
        "sweep p.yaml --k 2,3 --algorithms mondrian --out w.csv",
        "hierarchy build people.csv --attribute zip --builder mask --out zip.csv",
        "run key.yaml --out out/r.csv --report out/r.md",
    )
    with tempfile.TemporaryDirectory() as place:  # pytest's own is closed to other users
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "out").mkdir()
        for name, text in (
            ("people.csv", PEOPLE), ("people-before.csv", PEOPLE), ("p.yaml", PROJECT),
            ("key.yaml", WITH_KEY),
        ):  # fmt: skip
            (folder / name).write_text(text)
        inputs = {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}
        done = subprocess.run(
            [sys.executable, "-c", ORDINARY_USER, *lines], cwd=folder, env=ENVIRONMENT,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
        )  # fmt: skip
        folder.chmod(0o755)
        assert {p: p.is_file() and p.read_bytes() for p in folder.rglob("*")} == inputs
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    named = ["r.csv", "s.csv", "parts", "w.csv", "zip.csv", "pseudonyms.key", "people-before.csv"]
    assert [each.split(": ")[1] for each in said] == named
    assert all("the folder . cannot be written to" in each for each in said if ".key" not in each)
    assert "name another file" in said[-2]


def test_a_release_is_not_printed_where_nobody_can_read_it(folder: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec '{CONSOLE_SCRIPT}' run p.yaml --out - >&-"],
        cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 2
    assert "standard output is closed" in done.stderr
    assert "wrote" not in done.stderr


def test_verify_tells_of_a_row_that_was_deleted(folder: Path) -> None:
    header, *people = PEOPLE.splitlines(keepends=True)
    (folder / "people.csv").write_text("".join([header, *people * 3]))
    kanon("run", "p.yaml", "--out", "r.csv", folder=folder)
    text = (folder / "r.csv").read_text().splitlines(keepends=True)
    complete = kanon("verify", "r.csv", "--project", "p.yaml", folder=folder)
    assert "not proven is" not in complete.stdout
    classes = [line.rsplit(",", 2)[0] for line in text]
    removable = next(row for row, cells in enumerate(classes) if classes.count(cells) > 2)
    (folder / "r.csv").write_text("".join([*text[:removable], *text[removable + 1 :]]))
    done = kanon("verify", "r.csv", "--project", "p.yaml", folder=folder)
    assert done.returncode == 0
    assert "not proven is that it is complete: 1 record of the data beyond its rows" in done.stdout
