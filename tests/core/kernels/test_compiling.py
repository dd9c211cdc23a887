"""Machine code on disk is used exactly as long as it fits the sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.core.kernels import compiling

ADDING = """\
from {module} import Pair
from kanon_tui.core.kernels import kernel

@kernel
def add(pair):
    return pair.a + pair.b

print(add(Pair(1, 2)), sum(add.stats.cache_hits.values()))
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
