"""Command lines of known and odd words: a known exit code, a harmless sentence, no crash."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from random import Random

from kanon_tui.cli import main
from kanon_tui.commands import COMMANDS
from tests.commands.command_line import PEOPLE, PROJECT
from tests.fuzz.texts import random_text
from tests.hostile import assert_harmless

NEVER = {"serve", "demo"}
"""These wait for a browser or a person."""
OPTIONS = (
    "--algorithm", "--k", "--seed", "--set", "--out", "--report", "--force", "--json", "--levels",
    "--quasi", "--sensitive", "--attributes", "--records", "--values", "--repeats", "--release",
    "--external", "--on", "--target", "--algorithms", "--attribute", "--builder", "--from", "--to",
    "--help",
)  # fmt: skip
WORDS = (
    "p.yaml", "people.csv", "out.csv", "out.tsv", "out.parquet", "r.md", "r.json", "r.html",
    "2", "3", "1", "0", "-1", "99", "2,3", "age", "zip", "age,zip", "flu", "sex", "mondrian",
    "global", "x.svg",
    "datafly", "k-member", "mondrian,global", "relaxed=true", "a=b", "age=1,zip=2", "intervals",
    "mask", "build", "validate", "convert", ".", "/", "nowhere/x.csv", "", "--", "-", "20",
)  # fmt: skip


class _Terminal(io.TextIOWrapper):
    """A stream that remembers its bytes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def written(self) -> bytes:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


def try_once(random: Random, folder: Path) -> str:
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "p.yaml").write_text(PROJECT)
    inputs = {path: path.read_bytes() for path in folder.iterdir()}
    words = some_words(random)
    before = Path.cwd()
    os.chdir(folder)
    out = _Terminal()
    errors = _Terminal()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = _exit_code(words)
    finally:
        os.chdir(before)
    shown = repr(words)
    assert code in (0, 1, 2), (shown, code, errors.written())
    assert_harmless(out.written())
    assert_harmless(errors.written())
    said = errors.written().decode()
    assert "Traceback" not in said, shown
    if code:
        assert said.startswith("kanon-tui: "), (shown, said)
        assert len(said.splitlines()) >= 1
    assert not list(folder.rglob("*.part")), shown
    for path, content in inputs.items():
        assert path.read_bytes() == content, shown
    return f"exit code {code}"


def some_words(random: Random) -> list[str]:
    words = [random.choice([name for name in COMMANDS if name not in NEVER])]
    if words[0] == "hierarchy":
        words.append(random.choice(["build", "validate", "convert"]))
    if random.random() < 0.8:
        words.append(random.choice(["p.yaml", "people.csv"]))
    for _ in range(random.randint(0, 6)):
        kind = random.random()
        if kind < 0.45:
            words.append(random.choice(OPTIONS))
        elif kind < 0.92:
            words.append(random.choice(WORDS))
        else:
            words.append(random_text(random))
    return words


def _exit_code(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as end:  # --help
        return int(end.code or 0)
