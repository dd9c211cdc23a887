"""Machine code on disk is used exactly as long as it fits the sources."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numba
import numpy as np
import pytest

from kanon_tui.core.kernels import (
    compiling,
    inner_kernel,
    interpreted,
    kernel,
    machine_code,
    part_of_kernel,
)
from kanon_tui.core.numeric import Int32s, Int64s

ADDING = """\
import sys
from {module} import Pair
from kanon_tui.core.kernels import kernel

@kernel
def add(pair):
    return pair.a + pair.b

print(add(Pair(1, 2)), int("numba" not in sys.modules))
"""
PAIR = """\
from typing import NamedTuple

class Pair(NamedTuple):
    a: int
    b: int
"""


def test_machine_code_is_out_of_date_when_a_called_kernel_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numba alone watches only the file of the calling kernel."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(compiling, "_HERE", folder)
    monkeypatch.setattr(compiling, "_CORE", tmp_path)
    (folder / "caller.py").write_text("from kanon_tui.core.kernels.called import inner\n")
    (folder / "called.py").write_text("from kanon_tui.core.constants import SIZE\n")
    (folder / "other.py").write_text("")
    (tmp_path / "constants.py").write_text("SIZE = 1\n")

    def stamp() -> str:
        compiling._stamp.cache_clear()
        return compiling._stamp(folder / "caller.py")

    before = stamp()
    (folder / "other.py").write_text("changed = True\n")
    assert stamp() == before
    (folder / "called.py").write_text("from kanon_tui.core.constants import SIZE\n\n")
    after = stamp()
    assert after != before
    (tmp_path / "constants.py").write_text("SIZE = 2\n")
    assert stamp() not in (before, after)
    compiling._stamp.cache_clear()


@pytest.mark.slow
def test_machine_code_for_a_class_that_has_moved_is_out_of_date(tmp_path: Path) -> None:
    """numba alone would stop with an error: it cannot read an index that names a missing class."""

    def run(module: str) -> str:
        (tmp_path / "adding.py").write_text(ADDING.format(module=module))
        return subprocess.run(
            [sys.executable, "adding.py"],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    (tmp_path / "pairs.py").write_text(PAIR)
    assert run("pairs") == "3 0"
    assert run("pairs") == "3 1"
    (tmp_path / "pairs.py").rename(tmp_path / "twos.py")
    assert run("twos") == "3 0"
    assert run("twos") == "3 1"


@inner_kernel
def _filled(length: int, value: int) -> Int64s:
    """An array, to see that what it holds is let go of."""
    made = np.empty(length, dtype=np.int64)
    made[:] = value
    return made


@part_of_kernel
def _at(numbers: Int64s, place: int) -> int:
    return int(numbers[place])


@kernel
def _sum_up(places: Int32s) -> int:
    total = 0
    for place in places:
        numbers = _filled(3, place)
        total += _at(numbers, 0) + _at(_filled(len(numbers), 2), len(numbers) - 1)
    return total


@pytest.mark.slow
def test_a_function_that_kernels_call_is_compiled_once_and_not_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for a constant, nor for a short integer; its machine code is that of the kernel."""
    monkeypatch.setattr(machine_code, "places", lambda: (tmp_path,))
    monkeypatch.setattr(_sum_up, "ready", {})
    places = np.arange(4, dtype=np.int32)
    assert _sum_up(places) == 6 + 4 * 2
    with interpreted():
        assert _sum_up(places) == 6 + 4 * 2
    for inner in (_filled, _at):
        [compiled] = inner.called_inside.overloads.values()  # type: ignore[attr-defined]
        assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0
    assert [path.name.partition("-")[0] for path in tmp_path.rglob("*.kernel")] == ["_sum_up"]


@pytest.mark.slow
def test_a_function_of_somebody_else_is_compiled_as_numba_does() -> None:
    """It may call what became part of a kernel of ours, and Python may call it."""
    _sum_up(np.arange(2, dtype=np.int32))

    @numba.njit
    def theirs(length):
        return np.empty(length, dtype=np.int64).size + 1

    assert theirs(3) == 4
    [compiled] = theirs.overloads.values()
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cpython_wrapper_name)


def test_interpreting_ends_with_its_thread_and_its_block() -> None:
    told: list[bool] = []
    with interpreted():
        with interpreted(False):
            told.append(compiling._here.interpreted)
        other = Thread(target=lambda: told.append(compiling._here.interpreted))
        other.start()
        other.join()
        told.append(compiling._here.interpreted)
    told.append(compiling._here.interpreted)
    assert told == [False, False, True, False]


@pytest.mark.parametrize("thresholds", [(700, 10, 10), (0, 10, 10)])
def test_garbage_is_looked_for_as_before_once_a_kernel_is_compiled(
    thresholds: tuple[int, int, int],
) -> None:
    """Meanwhile seldom: it took a tenth of the time. Who wants none of it gets none of it."""
    seen = []

    @kernel
    def double(number: int) -> int:
        return 2 * number

    whole = double.compiler
    customize = whole._compiler._customize_flags

    def look(flags: object) -> object:
        seen.append(gc.get_threshold())
        return customize(flags)

    whole._compiler._customize_flags = look
    before = gc.get_threshold()
    try:
        gc.set_threshold(*thresholds)
        assert whole.compiled_for((2,)).entry_point(2) == 4
        assert gc.get_threshold() == thresholds
    finally:
        gc.set_threshold(*before)
    assert seen
    assert all(bool(now[0]) == bool(thresholds[0]) for now in seen)
    assert all(now[0] >= 10 * thresholds[0] for now in seen)
