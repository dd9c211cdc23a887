"""A password in an address that an argument or a project has is printed by no command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.commands.command_line import PEOPLE, PROJECT, kanon_process

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.yaml").write_text(PROJECT)
    return tmp_path


def refused(folder: Path, *words: str) -> str:
    """Run a command that must fail in one sentence, without the secret; gives the sentence."""
    done = kanon_process(*words, folder=folder)
    assert done.returncode == 2, done
    assert SECRET not in done.stdout + done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_no_argument_is_printed_with_its_password(command: str, folder: Path) -> None:
    address = ADDRESSES[COMMANDS.index(command) % len(ADDRESSES)]
    for each in {ADDRESSES[0], address}:
        refused(folder, *(word.replace("ADDRESS", each) for word in shlex.split(command)))


@pytest.mark.parametrize("address", ADDRESSES)
def test_where_a_release_goes_is_refused_unseen(address: str, folder: Path) -> None:
    refused(folder, "run", "p.yaml", "--out", address)
    assert sorted(each.name for each in folder.iterdir()) == ["p.yaml", "people.csv"]


@pytest.mark.parametrize(
    "data",
    [
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
    ],
)
def test_no_failure_of_a_project_tells_its_password(data: str, folder: Path) -> None:
    text = PROJECT.replace("{path: people.csv}", data)
    (folder / "p.yaml").write_text(text)
    refused(folder, "run", "p.yaml", "--out", "r.csv")
    refused(folder, "levels", "p.yaml")
