"""Helper processes: results, errors, and an end that does not wait."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.processes.workers import Processes, cores
from tests.waiting import PATIENCE, wait_until


def collect(helpers: Processes, jobs: int) -> dict[int, object]:
    found: dict[int, object] = {}
    while len(found) < jobs:
        news = helpers.result(0.05)
        if news is not None:
            found[news[0]] = news[1]
    return found


def multiply(by: int) -> Callable[[int], int]:
    return lambda number: number * by


def refuse(name: str) -> Callable[[object], object]:
    def handle(job: object) -> object:
        raise InputError(f"{name}: {job} is not wanted; leave it out")

    return handle


def vanish() -> Callable[[int], int]:
    return os._exit


def announce(folder: str) -> Callable[[str], None]:
    def handle(name: str) -> None:
        (Path(folder) / name).write_text(str(os.getpid()))
        time.sleep(600)  # a job that takes longer than any test

    return handle


def test_every_job_gets_its_result_whatever_the_order() -> None:
    with Processes(2, multiply, 7) as helpers:
        helpers.submit(range(20))
        assert collect(helpers, 20) == {i: 7 * i for i in range(20)}
        helpers.submit([100])
        assert collect(helpers, 1) == {0: 700}


def test_an_error_in_a_helper_is_raised_here() -> None:
    with Processes(1, refuse, "part") as helpers:
        helpers.submit([3])
        with pytest.raises(InputError, match="part: 3 is not wanted"):
            collect(helpers, 1)


def test_a_helper_that_dies_is_one_clear_sentence() -> None:
    with Processes(1, vanish) as helpers:
        helpers.submit([9])
        with pytest.raises(InfrastructureError, match=r"ended early \(code 9\); .* workers: 1"):
            collect(helpers, 1)


def test_leaving_ends_helpers_in_the_middle_of_a_job(tmp_path: Path) -> None:
    with Processes(1, announce, str(tmp_path)) as helpers:
        helpers.submit(["busy", "next"])
        while not (tmp_path / "busy").exists() or not (tmp_path / "busy").read_text():
            assert helpers.result(0.02) is None
        number = int((tmp_path / "busy").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert not (tmp_path / "next").exists()


_KILLED_PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from kanon_tui.core.processes.workers import Processes
from tests.core.processes.test_helper_processes import announce

with Processes(1, announce, sys.argv[1]) as helpers:
    helpers.submit(["busy"])
    busy = Path(sys.argv[1]) / "busy"
    while not busy.exists() or not busy.read_text():
        helpers.result(0.02)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_program_without_main_guard_leaves_no_helper_behind(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_KILLED_PROGRAM)
    where = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, script, tmp_path], env=where, timeout=PATIENCE)
    assert ended.returncode == -signal.SIGKILL
    number = int((tmp_path / "busy").read_text())
    wait_until(lambda: not running(number))  # the helper ends with its program


def running(number: int) -> bool:
    """Whether a process is there and more than an entry that nobody has collected yet."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or ") Z " not in state.read_text()


def test_there_is_at_least_one_core() -> None:
    assert cores() >= 1
