"""Compiling ahead of time reaches every kernel, and knows when there is nothing left to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kanon_tui.core.run import warm_up as warmup

COMPILE = """\
from kanon_tui.core import algorithms
from kanon_tui.core.run.warm_up import compile_all
algorithms.ALGORITHMS = {name: algorithms.ALGORITHMS[name] for name in ("datafly", "sd")}
print(*compile_all())
"""
ASK = "from kanon_tui.core.run.warm_up import is_warm; print(is_warm())"


def test_after_warm_up_every_kernel_is_on_disk() -> None:
    warmup.warm_up()
    assert list(warmup.uncompiled()) == []
    assert warmup.is_warm()


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
