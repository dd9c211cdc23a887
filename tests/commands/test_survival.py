"""Input that asks for too much, or is too much to say again, ends in one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.commands import COMMANDS
from tests.commands.command_line import ENVIRONMENT, said

MASKED = """\
data: {path: people.csv}
attributes: {zip: {role: quasi, kind: categorical, hierarchy: {builder: mask}}}
privacy: {k: 2}
algorithm: {name: mondrian}
"""


def test_a_very_long_cell_under_a_mask(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "people.csv").write_text("zip,n\n" + "x" * 100_000 + ",1\n" + "y,2\n" * 5)
    (here / "p.yaml").write_text(MASKED)
    message = said("run", "p.yaml", capsys=capsys)
    assert "its longest value has 100,000 characters" in message
    assert "set levels to at most" in message


def test_out_of_memory_says_what_would_help(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(args: object) -> int:
        raise MemoryError

    monkeypatch.setattr(COMMANDS["algorithms"], "execute", too_much)
    assert "the memory is not enough; close other programs" in said(
        "algorithms", capsys=capsys, code=3
    )


def test_memory_that_is_refused_is_a_sentence(here: Path) -> None:
    """A process with little memory, and a file that fits into a quarter of it no more."""
    (here / "people.csv").write_text("a,b\n" + "1,2\n" * 40_000_000)
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (600_000_000,) * 2); "
        "from kanon_tui.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "people.csv", "--quasi", "a", "--k", "2"],
        cwd=here, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "people.csv holds more than 150MB" in done.stderr


def test_a_key_of_a_million_letters_is_not_said_again(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "p.yaml").write_text("data: {path: people.csv}\n? " + "k" * 1_000_000 + "\n: 1\n")
    message = said("run", "p.yaml", capsys=capsys)
    assert len(message) < 1500
    assert message.startswith("p.yaml: kkk")
    assert "unknown key" in message


@pytest.mark.parametrize("name", ["\0size", "a\0b", "\ud800".encode("utf-8", "replace").decode()])
def test_odd_names_of_columns(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = {name: ["1", "1", "2", "2"], "age": ["1", "1", "2", "2"]}
    pl.DataFrame(columns).write_parquet(here / "odd.parquet")
    assert "k = 2 is reached" in said(
        "check", "odd.parquet", "--quasi", f"age,{name}", "--k", "2", capsys=capsys, code=0
    )


def test_a_path_with_a_line_break_is_one_sentence(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "does not exist" in said("run", "a\nb.yaml", capsys=capsys)
