"""Compiling ahead of time reaches every kernel, and knows when there is nothing left to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.core.kernels import compiling
from kanon_tui.core.run import warm_up as warmup

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
