"""Signals, pipes and terminals."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import termios
import textwrap
from pathlib import Path

import pytest

from kanon_tui.core.editing.state_folder import RecoveryStore
from kanon_tui.core.table.column import Role
from tests.commands.command_line import ENVIRONMENT, PATIENCE, started, wait_for_file
from tests.terminal import application

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

SLOW = """
    import sys, time
    from dataclasses import dataclass
    from pathlib import Path
    from kanon_tui.core.algorithms import ALGORITHMS
    from kanon_tui.core.algorithms.mondrian import Mondrian
    from kanon_tui.core.task.events import Event
    from kanon_tui.core.task.task import Step
    import kanon_tui.core.table.writing as writing

    def wait():
        Path("ready").touch()
        time.sleep(600)

    @dataclass(frozen=True)
    class Slow(Mondrian):
        def steps(self, task, context):
            for i in range(5):
                yield Step(Event(), progress=i / 5)
            WAIT_IN_RUN
            return (yield from super().steps(task, context))

    def put_half(table, file, path, *more, put=writing.put_table):
        put(table, file, path, *more)
        file.flush()
        WAIT_IN_WRITE

    ALGORITHMS["mondrian"] = Slow
    writing.put_table = put_half
    from kanon_tui.__main__ import main
    main()
"""


def slow(where: str, folder: Path) -> list[str]:
    code = textwrap.dedent(SLOW).replace(where, "wait()")
    for other in ("WAIT_IN_RUN", "WAIT_IN_WRITE"):
        code = code.replace(other, "pass")
    (folder / "ready").unlink(missing_ok=True)
    return [sys.executable, "-c", code]


@pytest.mark.parametrize(
    ("where", "number"),
    [*(("WAIT_IN_RUN", number) for number in SIGNALS), ("WAIT_IN_WRITE", signal.SIGTERM)],
)
def test_an_interrupted_run_leaves_nothing(
    number: signal.Signals, where: str, folder: Path
) -> None:
    command = [*slow(where, folder), "run", "p.yaml", "--out", "r.csv", "--report", "r.md"]
    with started(command, folder) as process:
        wait_for_file(folder / "ready", process)
        if where == "WAIT_IN_WRITE":
            assert any(name.endswith(".part") for name in os.listdir(folder))
        process.send_signal(number)
        _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert stderr == "kanon-tui: interrupted; nothing was written\n"
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv", "ready"]


@pytest.mark.parametrize(
    "line",
    [
        "run p.yaml --out r.csv",
        "run p.yaml --engine stream --out r.csv",
        "run p.yaml --engine dask --out r.csv",
        "sweep p.yaml --k 2,3 --algorithms mondrian --out r.csv",
    ],
)
def test_many_interrupts_to_all_processes_of_a_command(line: str, folder: Path) -> None:
    """As a terminal sends them while Ctrl-C is held down."""
    with started([*slow("WAIT_IN_RUN", folder), *line.split()], folder) as process:
        wait_for_file(folder / "ready", process)
        for _ in range(30):
            os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE)  # until the last of them has ended
    assert (process.returncode, stderr) == (130, "kanon-tui: interrupted; nothing was written\n")
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv", "ready"]


def test_a_bar_is_shown_on_a_terminal_and_only_there(folder: Path) -> None:
    command = [*slow("nowhere", folder), "run", "p.yaml"]
    piped = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=True)
    assert piped.stderr == b""
    ours, theirs = os.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stderr=theirs, stdout=subprocess.PIPE
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # how a pseudo-terminal ends
        pass
    out, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    assert process.returncode == 0
    assert b"mondrian" in shown
    assert b"verified" in out


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "kanon_tui", "algorithms"],
        cwd=tmp_path, env=ENVIRONMENT, stdout=write, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


# -- signals at any moment


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_modules_are_imported(number: signal.Signals, folder: Path) -> None:
    code = f"""
import os, sys
class SignalAtImport:
    def find_spec(self, name, path=None, target=None):
        if name == "kanon_tui.core.project.project":
            os.kill(os.getpid(), {int(number)})
sys.meta_path.insert(0, SignalAtImport())
sys.argv = ["kanon-tui", "run", "p.yaml", "--out", "r.csv"]
from kanon_tui.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 128 + number
    assert done.stderr == "kanon-tui: interrupted; nothing was written\n"
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv"]


def test_a_signal_in_a_finaliser_is_not_lost(folder: Path) -> None:
    """Where Python swallows every exception."""
    code = """
import os, signal, sys
import kanon_tui.core.pipeline.run as result
class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        sum(range(1000))
def conclude(*args, really=result.conclude):
    Finalised()
    return really(*args)
result.conclude = conclude
sys.argv = ["kanon-tui", "run", "p.yaml", "--out", "r.csv"]
from kanon_tui.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (143, "kanon-tui: interrupted; nothing was written\n")


def test_what_is_ignored_stays_ignored(folder: Path) -> None:
    """As nohup asks."""
    command = [*slow("WAIT_IN_RUN", folder), "run", "p.yaml"]
    with started(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command], folder) as process:
        wait_for_file(folder / "ready", process)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 143


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_the_application_leaves_the_terminal_as_it_was(
    number: signal.Signals, folder: Path
) -> None:
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    environment = {**ENVIRONMENT, "TERM": "xterm", "XDG_STATE_HOME": str(folder / "state")}
    process = subprocess.Popen(
        [sys.executable, "-m", "kanon_tui", "people.csv"],
        cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    shown = b""
    while b"46201" not in shown:  # a cell: the table is on the screen
        shown += os.read(ours, 65_536)
    process.send_signal(number)
    while select.select([ours], [], [], 0.0 if process.poll() is not None else 0.2)[0]:
        shown += os.read(ours, 65_536)
        if process.poll() is not None and not select.select([ours], [], [], 0)[0]:
            break
    assert process.wait(PATIENCE) == 128 + number
    while select.select([ours], [], [], 0)[0]:
        shown += os.read(ours, 65_536)
    after = termios.tcgetattr(theirs)
    os.close(theirs)
    os.close(ours)
    assert after == before
    assert b"interrupted; unsaved changes are kept" in shown
    assert b"Traceback" not in shown
    assert shown.rindex(b"\x1b[?1049l") > shown.rindex(b"\x1b[?1049h")


@pytest.mark.parametrize("ignored", [(), (signal.SIGHUP,)])
def test_a_terminal_that_vanishes_ends_the_application(
    ignored: tuple[signal.Signals, ...], folder: Path
) -> None:
    """Whether its signal is heard or ignored, as under nohup; unsaved work is kept."""
    state = folder / "state"
    with application(folder / "p.yaml", state, ignored=ignored) as terminal:
        terminal.wait_for(b"46201")
        terminal.press(b"2")
        terminal.press(b"o")  # another role for an attribute: an edit that nobody saves
        assert terminal.vanish() == 128 + signal.SIGHUP
    (kept,) = RecoveryStore(state / "kanon-tui").drafts()
    assert kept.project.attributes["name"].role is Role.OTHER


# -- output that cannot be written


@pytest.mark.parametrize("command", [("algorithms",), ("run", "p.yaml")])
def test_a_full_or_closed_output_is_no_mistake_of_ours(
    command: tuple[str, ...], folder: Path
) -> None:
    line = " ".join([sys.executable, "-m", "kanon_tui", *command])
    full, closed, nothing = (
        subprocess.run(
            ["sh", "-c", f"{line} {redirection}"],
            cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False,
        )
        for redirection in (">/dev/full", ">&-", "<&- >&- 2>&-")
    )  # fmt: skip
    assert full.returncode == 3
    assert full.stderr == (
        "kanon-tui: the output could not be written: no space left; nothing else was lost\n"
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    assert nothing.returncode == 0
