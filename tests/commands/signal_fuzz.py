"""Signals at random moments of commands: `python -m tests.commands.signal_fuzz COUNT SEED`.

Modules are imported once; every command then runs in a fork of that process, which makes it cheap
enough for hundreds of moments. Each must end by itself before the signal came, or with the code of
the signal and one sentence; release and report are both there or neither, and nothing else is.
"""

from __future__ import annotations

import importlib
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.commands.command_line import PATIENCE, PEOPLE, PROJECT

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COMMANDS = (
    ("run", "p.yaml", "--out", "r.csv", "--report", "r.md"),
    ("run", "p.yaml", "--out", "r.csv", "--report", "r.json", "--force"),
    ("levels", "p.yaml"),
    (
        "hierarchy", "build", "people.csv", "--attribute", "zip", "--builder", "mask",
        "--out", "r.csv",
    ),
    ("sweep", "p.yaml", "--k", "2,3", "--algorithms", "mondrian,datafly", "--out", "r.csv"),
)  # fmt: skip
MODULES = (
    "kanon_tui.cli", "kanon_tui.commands.progress", "kanon_tui.core.pipeline.run",
    "kanon_tui.core.algorithms", "kanon_tui.core.analysis.sweep.sweep",
    "kanon_tui.core.pipeline.prepare",
)  # fmt: skip
SENTENCES = (
    "kanon-tui: interrupted; nothing was written\n",
    "kanon-tui: interrupted; r.csv had been written\n",
    "kanon-tui: interrupted; r.csv and r.md had been written\n",
    "kanon-tui: interrupted; r.csv and r.json had been written\n",
)


def signal_fuzz(count: int, seed: int) -> dict[int, int]:
    """Send so many signals; gives how often each exit code came. What goes wrong is raised."""
    for name in MODULES:
        importlib.import_module(name)
    choices = random.Random(seed)
    codes: dict[int, int] = {}
    usual = dict.fromkeys(COMMANDS, 1.0)  # seconds that a command takes, as far as is known
    for number in range(count):
        command = choices.choice(COMMANDS)
        sent = choices.choice(SIGNALS)
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            wait = choices.random() * usual[command]
            code, said = _interrupted(command, Path(folder), sent, wait)
            if code == 0:
                usual[command] = 0.9 * usual[command] + 0.1 * (time.monotonic() - begun)
            what = f"signal {number} of seed {seed}: {sent.name} to {command} after {wait:.4f} s"
            _check(code, said, sent, command, Path(folder), what)
            codes[code] = codes.get(code, 0) + 1
    return codes


def _interrupted(
    command: tuple[str, ...], folder: Path, sent: signal.Signals, wait: float
) -> tuple[int, str]:
    """The exit code of a command to which a signal was sent, and its standard error."""
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "p.yaml").write_text(PROJECT)
    if "--force" in command:
        (folder / "r.csv").write_text("old")
        (folder / "r.json").write_text("old")
    ours, theirs = os.pipe()
    ready, started = os.pipe()
    child = os.fork()
    if child == 0:
        _become(command, folder, theirs, started)
    os.close(theirs)
    os.close(started)
    os.read(ready, 1)
    os.close(ready)
    time.sleep(wait)
    os.kill(child, sent)
    said = b""
    end = time.monotonic() + PATIENCE
    while True:
        readable, _, _ = select.select([ours], [], [], max(0.0, end - time.monotonic()))
        if not readable:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError(f"{command} did not end after {sent.name}: {said.decode()}")
        piece = os.read(ours, 65_536)
        if not piece:
            break
        said += piece
    os.close(ours)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), said.decode()


def _become(command: tuple[str, ...], folder: Path, stderr: int, started: int) -> None:
    """What the fork does: it is the program from its first line on."""
    code = 99
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, stream in ((0, nowhere), (1, nowhere), (2, stderr)):
            os.dup2(stream, number)
        os.chdir(folder)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        sys.argv = ["kanon-tui", *command]
        from kanon_tui import __main__ as program

        listen = program._open_closed_streams

        def ready() -> None:  # from here on Kanon listens
            os.write(started, b".")
            os.close(started)
            listen()

        program._open_closed_streams = ready
        program.main()
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 98
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _check(
    code: int, said: str, sent: signal.Signals, command: tuple[str, ...], folder: Path, what: str
) -> None:
    what = f"{what}: {code}, {said!r}, {sorted(os.listdir(folder))}"
    assert code in (0, 128 + sent), what
    assert said in ("",) if code == 0 else said in SENTENCES, what
    made = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in ("people.csv", "p.yaml"):
        del made[name]
    targets = {name for name in command if name.startswith("r.")}
    assert set(made) in (set(), targets), what
    fresh = {name for name, content in made.items() if content != b"old"}
    assert fresh in (set(), targets), what
    if code:
        assert ("had been written" in said) == bool(fresh), what


if __name__ == "__main__":
    shutil.get_terminal_size()
    print(signal_fuzz(int(sys.argv[1]), int(sys.argv[2])))  # noqa: T201
