"""Signals, pipes and terminals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.commands.command_line import ENVIRONMENT, PATIENCE, started, wait_for_file

SLOW = """
    import sys, time
    from dataclasses import dataclass
    from pathlib import Path
    from kanon_tui.core.algorithms import ALGORITHMS
    from kanon_tui.core.algorithms.mondrian import Mondrian
    from kanon_tui.core.task.steps import Step
    import kanon_tui.core.data.writing as writing

    def wait():
        Path("ready").touch()
        time.sleep(600)

    @dataclass(frozen=True)
    class Slow(Mondrian):
        def steps(self, task, context):
            for i in range(5):
                yield Step("think", "thinking", progress=i / 5)
            WAIT_IN_RUN
            return (yield from super().steps(task, context))

    def put_half(table, file, path, put=writing.put_table):
        put(table, file, path)
        file.flush()
        WAIT_IN_WRITE

    ALGORITHMS["mondrian"] = Slow
    writing.put_table = put_half
    from kanon_tui.cli import main
    sys.exit(main(sys.argv[1:]))
"""


def slow(where: str, folder: Path) -> list[str]:
    code = textwrap.dedent(SLOW).replace(where, "wait()")
    for other in ("WAIT_IN_RUN", "WAIT_IN_WRITE"):
        code = code.replace(other, "pass")
    (folder / "ready").unlink(missing_ok=True)
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["WAIT_IN_RUN", "WAIT_IN_WRITE"])
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
    assert process.returncode == 130
    assert stderr == "kanon-tui: interrupted; nothing was written\n"
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
