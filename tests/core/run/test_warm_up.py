"""Compiling ahead of time reaches every kernel, and knows when there is nothing left to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.run import warm_up as warmup

COMPILE = """\
from kanon_tui.core import algorithms
from kanon_tui.core.run.warm_up import compile_all
algorithms.ALGORITHMS = {name: algorithms.ALGORITHMS[name] for name in ("datafly",)}
print(*compile_all())
"""
CALLED = """\
import sys
from kanon_tui.core.run.warm_up import kernels_by_name, warm_up
warm_up([sys.argv[1]])
print(*(name for name, function in kernels_by_name().items() if function.ready))
"""
ASK = "from kanon_tui.core.run.warm_up import is_warm; print(is_warm())"


def test_after_warm_up_every_kernel_is_on_disk_once() -> None:
    """One set of types each: int32 and int64 or a constant would be compiled again."""
    warmup.warm_up()
    assert list(warmup.uncompiled()) == []
    assert warmup.is_warm()
    kept = {
        name: len(list(function.files.folder.glob(f"{function.__name__}-*")))
        for name, function in warmup.kernels_by_name().items()
    }
    assert set(kept.values()) == {1}, kept


def test_an_empty_cache_is_cold(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"


def test_compiling_in_helpers_tells_how_many_are_missing(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", COMPILE], env=environment, capture_output=True, text=True, check=True
    )
    left = [int(number) for number in answer.stdout.split()]
    assert left == sorted(left, reverse=True)
    assert left[-1] < len(warmup.kernels_by_name())


@pytest.mark.parametrize("algorithm", ["global", "incognito", "udc", "sbc"])
def test_the_kernels_of_an_algorithm_are_among_those_it_imports(algorithm: str) -> None:
    warmup.warm_up([algorithm])
    called = subprocess.run(
        [sys.executable, "-c", CALLED, algorithm], capture_output=True, text=True, check=True
    )
    assert called.stdout.split()
    modules = {name.rpartition(".")[2] for name in warmup._kernel_modules(algorithm)}
    assert {name.partition(".")[0] for name in called.stdout.split()} <= modules


def test_an_algorithm_is_not_blamed_for_the_kernels_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cold = {"frequency.count_classes", "mondrian.measure"}
    names = {id(function): name for name, function in warmup.kernels_by_name().items()}
    monkeypatch.setattr(warmup, "on_disk", lambda function: names[id(function)] not in cold)
    assert set(warmup.uncompiled("global")) == {"frequency.count_classes"}
    of_one = warmup.SECONDS["frequency.count_classes"]
    assert warmup.compile_seconds("global") == warmup.SECONDS_AT_FIRST + of_one
    assert warmup.compile_seconds("k-member") == 0


def test_refining_compiles_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "on_disk", lambda function: False)
    alone, refined = (set(warmup.uncompiled("k-member", refined)) for refined in (False, True))
    assert alone < refined
    assert {"refining.propose", "refining.carry_out", "near_rows.look_along"} <= refined - alone
    assert warmup.compile_seconds("k-member") < warmup.compile_seconds("k-member", True)


def test_what_is_known_of_a_kernel_is_of_one_that_there_is() -> None:
    assert set(warmup.SECONDS) <= set(warmup.kernels_by_name())


def test_algorithms_that_share_their_kernels_are_compiled_by_one_process() -> None:
    families = [set(family) for family in warmup._families()]
    assert sorted(name for family in families for name in family) == sorted(ALGORITHMS)
    assert any({"global", "local", "incognito"} <= family for family in families)
    assert any({"udc", "udc-suppress"} <= family for family in families)
    assert not any({"mondrian", "global"} <= family for family in families)
