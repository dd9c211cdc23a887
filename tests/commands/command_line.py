"""What tests of the command line share: a small project, and the command run in three ways."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from kanon_tui.cli import main
from tests.paths import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENVIRONMENT.pop("KANON_DEBUG", None)

CONSOLE_SCRIPT = str(Path(sys.executable).with_name("kanon-tui"))
"""The installed command; `python -m` would search the current folder before Kanon runs."""

PATIENCE = 120.0
"""Seconds that nothing takes, however slow the machine."""

PEOPLE = """\
name,age,zip,sex,flu
Ann Secret,21,46201,F,yes
Bob Secret,22,46202,M,no
Cid Secret,23,46203,M,no
Dee Secret,40,46204,F,yes
Eve Secret,41,46311,F,no
Fay Secret,42,46312,F,no
Gus Secret,64,46313,M,yes
Hal Secret,65,46314,M,no
"""
PROJECT = """\
data: {path: people.csv}
attributes:
  name: {role: identifier}
  age:
    role: quasi
    hierarchy: {builder: intervals, widths: [5, 20]}
    rules: {keep: [{boundary: [64, 65], importance: 5}]}
  zip: {role: quasi, kind: categorical, hierarchy: {builder: mask}}
  sex: {role: other}
  flu: {role: sensitive}
privacy: {k: 2}
algorithm: {name: mondrian}
"""


def kanon_process(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own: `test_processes.py` does so with every command."""
    done = subprocess.run(
        [CONSOLE_SCRIPT, *args],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )
    return one_sentence_at_most(done)


_ONE_AFTER_THE_OTHER = """
import os, sys
from pathlib import Path
from kanon_tui.cli import main

place, commands = Path(sys.argv[1]), eval(sys.argv[2])
for number, command in enumerate(commands):
    for stream, name in ((1, "out"), (2, "err")):
        file = os.open(place / f"{number}.{name}", os.O_WRONLY | os.O_CREAT)
        os.dup2(file, stream)
    try:
        code = main(command)
    except SystemExit as left:
        code = left.code
    sys.stdout.flush()
    sys.stderr.flush()
    (place / f"{number}.code").write_text(str(code or 0))
"""


def kanon_in_turn(
    commands: Sequence[Sequence[str]], folder: Path, place: Path
) -> list[subprocess.CompletedProcess[str]]:
    """Run commands one after the other in one process; what they write to its streams is kept.

    Whatever a library writes past `sys.stderr` is kept too, unlike with `kanon`.
    """
    place.mkdir()
    subprocess.run(
        [sys.executable, "-P", "-c", _ONE_AFTER_THE_OTHER, str(place), repr(list(commands))],
        cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=True,
    )  # fmt: skip
    return [
        one_sentence_at_most(
            subprocess.CompletedProcess(
                command,
                int((place / f"{number}.code").read_text()),
                *((place / f"{number}.{name}").read_text() for name in ("out", "err")),
            )
        )
        for number, command in enumerate(commands)
    ]


def imported(folder: Path) -> str:
    """What was imported from a poisoned folder."""
    mark = folder / "imported"
    return mark.read_text() if mark.exists() else ""


def kanon(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, which starts no other Python: a second less each time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        chdir(folder), redirect_stdout(out), redirect_stderr(err),
        open(os.devnull) as nothing, pytest.MonkeyPatch.context() as patch,
    ):  # fmt: skip
        patch.setattr(sys, "stdin", nothing)
        try:
            code: object = main(args)
        except SystemExit as left:  # how argparse ends after --help
            code = left.code or 0
    told, said = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return one_sentence_at_most(subprocess.CompletedProcess(args, int(str(code)), told, said))


def one_sentence_at_most(
    done: subprocess.CompletedProcess[str],
) -> subprocess.CompletedProcess[str]:
    """What a command said: never a traceback, and of a failure one sentence."""
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert len(done.stderr.strip().splitlines()) <= 1, done.stderr
    return done


def said(*args: str, capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    """What the command says on stderr, run in this process: quicker, for the many refusals."""
    assert main(args) == code
    captured = capsys.readouterr()
    if code:
        assert len(captured.err.splitlines()) == 1
        assert captured.err.startswith("kanon-tui: ")
    return captured.err.removeprefix("kanon-tui: ").rstrip() if code else captured.out


@contextmanager
def started(command: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process to send signals to, or to the group that it leads; it never outlives the test."""
    with subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again until it is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited long enough"
        time.sleep(0.02)


def wait_for_file(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait for a file that a running process makes to say where it is."""

    def made() -> bool:
        assert process.poll() is None, "it ended before it was there"
        return path.exists()

    wait_until(made)
