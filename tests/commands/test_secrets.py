"""A password in an address that an argument or a project has is printed by no command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.commands.command_line import PEOPLE, PROJECT, kanon_in_turn

SECRET = "s3cret"
ADDRESSES = [
    f"postgresql://ann:{SECRET}@localhost:1/clinic",
    f"postgresql://ann:a/{SECRET}@localhost:1",
    f"postgresql://ann:two {SECRET}@localhost:1/clinic.csv",
    f"postgresql:/ann:{SECRET}@localhost:1/clinic",
    f"postgresql://localhost:1/clinic?user=ann&password={SECRET}",
]
COMMANDS = [
    "ADDRESS",
    "run ADDRESS",
    "run p.yaml --out ADDRESS",
    "run p.yaml --out=ADDRESS",
    "run p.yaml --report ADDRESS",
    "run p.yaml --mapping ADDRESS",
    "run p.yaml --earlier ADDRESS",
    "run p.yaml --engine dask --scheduler ADDRESS",
    "run p.yaml --engine ADDRESS",
    "run p.yaml --k ADDRESS",
    "run p.yaml --set ADDRESS",
    "run p.yaml --levels ADDRESS",
    "run p.yaml ADDRESS",
    "check ADDRESS --k 2 --quasi age",
    "risk ADDRESS",
    "attack p.yaml --release people.csv --external ADDRESS",
    "apply ADDRESS people.csv",
    "hierarchy build ADDRESS --attribute age --builder mask --out h.csv",
    "hierarchy convert ADDRESS h.csv",
    "explain ADDRESS",
    "demo ADDRESS",
    "serve ADDRESS",
    "sweep p.yaml --out ADDRESS",
]


PROJECTS = [
    f"{{path: 'postgresql+psycopg://ann:{SECRET}@localhost:1/clinic', query: SELECT 1}}",
    f"{{path: 'postgresql+psycopg://localhost:1/d?password={SECRET}', query: SELECT 1}}",
    f"{{path: 'postgresql+psycopg://localhost:1/d?nonsense={SECRET}', query: SELECT 1}}",
    f"{{path: 'postgresql://ann:{SECRET}@localhost:1/clinic', query: SELECT 1}}",
    f"{{path: 'nonsense://ann:{SECRET}@localhost/clinic', query: SELECT 1}}",
    f"{{path: 'postgresql:/ann:{SECRET}@localhost/clinic', query: SELECT 1}}",
    f"{{path: ['postgresql://ann:{SECRET}@localhost/clinic']}}",
    f"{{path: 'sqlite:///none.db?password={SECRET}', query: SELECT 1}}",
    f"{{path: people.csv, sheet: 'postgresql://ann:{SECRET}@host/d', quote: 'a://b:{SECRET}@c'}}",
    f"'postgresql://ann:{SECRET}@localhost/clinic'",
    f"{{path: 'postgresql://ann:{SECRET}@localhost/clinic",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "p.yaml").write_text(PROJECT)
    return folder


def check_refused(folder: Path, commands: list[list[str]]) -> None:
    """Run commands that must each fail in one sentence, without the secret, and write nothing."""
    before = sorted(each.name for each in folder.iterdir())
    for done in kanon_in_turn(commands, folder, folder.with_name("written")):
        assert done.returncode == 2, done
        assert SECRET not in done.stdout + done.stderr, done.args
        assert done.stderr.count("\n") == 1, done
    assert sorted(each.name for each in folder.iterdir()) == before


def test_no_argument_is_printed_with_its_password(folder: Path) -> None:
    commands = []
    for number, command in enumerate(COMMANDS):
        for address in {ADDRESSES[0], ADDRESSES[number % len(ADDRESSES)]}:
            commands.append([word.replace("ADDRESS", address) for word in shlex.split(command)])
    commands += [["run", "p.yaml", "--out", address] for address in ADDRESSES]
    check_refused(folder, commands)


def test_no_failure_of_a_project_tells_its_password(folder: Path) -> None:
    commands = []
    for number, data in enumerate(PROJECTS):
        (folder / f"{number}.yaml").write_text(PROJECT.replace("{path: people.csv}", data))
        commands.append(["run", f"{number}.yaml", "--out", "r.csv"])
        commands.append(["levels", f"{number}.yaml"])
    check_refused(folder, commands)
