"""A limit is kept: the peak of a process that streams is measured, what it holds is counted."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.stream import stream
from kanon_tui.core.processes import memory_limit
from kanon_tui.core.processes.memory_limit import (
    AT_LEAST,
    MemoryLimit,
    give_memory_back,
    held_memory,
    held_memory_at_rest,
)
from tests.core.pipeline.test_stream import people, project

LIMIT = 700_000_000
PROGRAM = """
import json, sys
from pathlib import Path
from kanon_tui.core.pipeline.stream import stream
from kanon_tui.core.project.project import Project
stream(Project.load(sys.argv[1]), sys.argv[2])
status = Path("/proc/self/status").read_text()
print(json.dumps(int(status.partition("VmHWM:")[2].split()[0]) * 1024))
"""
"""The peak of this program alone: what `getrusage` tells of a process includes that of whoever
started it, which here is a worker of the tests."""


@pytest.mark.slow
def test_the_peak_of_a_streaming_run_stays_below_its_limit(tmp_path):
    rng = np.random.default_rng(0)
    n = 1_500_000
    pl.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.integers(0, 99, n),
            "job": rng.integers(0, 400, n),
            "ill": rng.integers(0, 9, n),
        }
    ).write_parquet(tmp_path / "in.parquet", row_group_size=100_000)
    (tmp_path / "p.yaml").write_text(
        "data: {path: in.parquet}\n"
        "attributes:\n"
        "  id: {role: identifier, kind: categorical}\n"
        "  age: {role: quasi, kind: numeric}\n"
        "  job: {role: quasi, kind: categorical}\n"
        "  ill: {role: sensitive, kind: categorical}\n"
        "algorithm: {name: mondrian}\n"
        f"run: {{engine: stream, memory: {LIMIT // 10**6}MB}}\n"
    )
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "p.yaml"), str(tmp_path / "o.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) <= LIMIT
    assert (tmp_path / "o.csv").stat().st_size > n * 5


def test_what_the_process_holds_already_is_taken_off_what_a_run_may_take(tmp_path, monkeypatch):
    people(120).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv", run={"engine": "stream", "memory": "1GB"})
    holds = memory_limit._OF_EVERY_PROCESS + 300_000_000
    monkeypatch.setattr(memory_limit, "held_memory", lambda: holds + 100_000_000)  # freed now
    monkeypatch.setattr(memory_limit, "held_memory_at_rest", lambda: holds)
    assert MemoryLimit(10**9).with_held_memory().for_data == 10**9 - AT_LEAST - 300_000_000
    given_back = []
    monkeypatch.setattr(memory_limit, "give_memory_back", lambda: given_back.append(1))
    stream(asked, tmp_path / "out.csv")
    assert len(given_back) >= 2  # after the table is read, and after its rows are counted
    holds += 200_000_000
    with pytest.raises(InputError) as refused:
        stream(asked, tmp_path / "no.csv")
    assert "1GB is not enough" in str(refused.value)
    assert "takes 600MB beside the 500MB that this program holds" in str(refused.value)
    assert "run it as a command, which holds nothing else" in refused.value.on_screen
    assert "--memory" not in refused.value.on_screen
    assert not (tmp_path / "no.csv").exists()


_PIECES, _BYTES = 200_000, 600
"""Small ones, which the C library keeps when they are freed."""


def test_freed_memory_is_given_back():
    give_memory_back()  # what other tests freed would be taken first
    before = held_memory()
    pieces = [bytes(_BYTES) for _ in range(_PIECES)]
    kept = pieces[:: _PIECES // 100]  # the heap cannot shrink below these
    full = held_memory()
    assert full > before + _PIECES * _BYTES * 0.9
    del pieces
    give_memory_back()
    assert held_memory() < full - _PIECES * _BYTES * 0.8
    assert len(kept) == 100


def test_what_is_freed_in_the_background_is_waited_for(monkeypatch):
    told = iter([900, 700, 500, 499, 400])
    monkeypatch.setattr(memory_limit, "held_memory", lambda: next(told))
    monkeypatch.setattr(memory_limit.time, "sleep", lambda seconds: None)
    assert held_memory_at_rest() == 499
    falling = iter(range(10_000, 0, -200))  # somebody else frees all the time
    monkeypatch.setattr(memory_limit, "held_memory", lambda: next(falling))
    assert held_memory_at_rest() == 8_800
