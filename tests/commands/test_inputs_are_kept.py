"""No command writes over what it reads, not even with --force."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.commands.command_line import PROJECT, kanon, said

_reading: list[set[str]] = []
"""Where to note the files that are opened for reading, while somebody wants to know."""


def _note(event: str, args: tuple[Any, ...]) -> None:
    if not _reading or event != "open" or not isinstance(args[0], str):
        return
    path = os.path.realpath(args[0])
    if args[2] & (os.O_WRONLY | os.O_RDWR) or os.path.dirname(path) != os.getcwd():
        return
    if os.path.isfile(path):
        _reading[-1].add(os.path.basename(path))


sys.addaudithook(_note)  # which stays for as long as the process


def files_read(*command: str, folder: Path) -> set[str]:
    """Run a command; gives the files of the folder that it has read."""
    _reading.append(set())
    try:
        done = kanon(*command, folder=folder)
    finally:
        read = _reading.pop()
    assert done.returncode == 0, done.stderr
    return read


UTD = """<config><qid><att index='0' name='age'><vgh value='[0:100)'>
<node value='[0:50)'/><node value='[50:100)'/></vgh></att></qid></config>"""


@pytest.fixture
def inputs(here: Path) -> Path:
    (here / "zip.csv").write_text("".join(f"{z};{z[:3]};*\n" for z in ZIPS))
    (here / "age.xml").write_text(UTD)
    (here / "levels.yaml").write_text("levels: {F: [person], M: [person]}\n")
    project = PROJECT.replace("{builder: mask}", "{file: zip.csv}").replace(
        "{builder: intervals, widths: [5, 20]}", "{utd: age.xml}"
    )
    (here / "p.yaml").write_text(project)
    return here


ZIPS = ("46201", "46202", "46203", "46204", "46311", "46312", "46313", "46314")
WRITING = {
    ("run", "p.yaml", "--out"): {"p.yaml", "people.csv", "zip.csv", "age.xml"},
    ("run", "p.yaml", "--report"): {"p.yaml", "people.csv", "zip.csv", "age.xml"},
    ("sweep", "p.yaml", "--k", "2", "--out"): {"p.yaml", "people.csv", "zip.csv", "age.xml"},
    (
        "hierarchy", "build", "people.csv", "--attribute", "zip", "--builder", "mask", "--out",
    ): {"people.csv"},
    (
        "hierarchy", "build", "p.yaml", "--attribute", "zip", "--builder", "mask", "--out",
    ): {"p.yaml", "people.csv"},
    ("hierarchy", "convert", "levels.yaml"): {"levels.yaml"},
    (
        "hierarchy", "convert", "age.xml", "--data", "people.csv", "--attribute", "age",
    ): {"age.xml", "people.csv"},
}  # fmt: skip
ENDING = {"--report": ".md"}


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING, ids=lambda command: " ".join(command))
def test_what_a_command_reads_is_kept(
    command: Sequence[str], inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every file that it opens is refused as the one to write, by its name and by a hard link."""
    ending = ENDING.get(command[-1], ".csv")
    read = files_read(*command, "new" + ending, folder=inputs)
    inputs_read = {name for name in read if not name.endswith(".part")}  # what is read back
    assert inputs_read == WRITING[tuple(command)]
    before = {path.name: path.read_bytes() for path in inputs.iterdir()}
    for name in inputs_read:
        link = inputs / f"link{ending}"
        os.link(inputs / name, link)
        assert "is read by this run" in said(*command, link.name, "--force", capsys=capsys)
        link.unlink()
        if name.endswith(ending):
            assert "is read by this run" in said(*command, name, "--force", capsys=capsys)
    assert {path.name: path.read_bytes() for path in inputs.iterdir()} == before
