"""What tests of the command line share: a small project, and the command run in two ways."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.cli import main
from tests.paths import ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENVIRONMENT.pop("KANON_DEBUG", None)

PEOPLE = """\
name,age,zip,sex,flu
Ann Secret,21,46201,F,yes
Bob Secret,22,46202,M,no
Cid Secret,23,46203,M,no
Dee Secret,40,46204,F,yes
Eve Secret,41,46311,F,no
Fay Secret,42,46312,F,no
Gus Secret,64,46313,M,yes
Hal Secret,65,46314,M,no
"""
PROJECT = """\
data: {path: people.csv}
attributes:
  name: {role: identifier}
  age:
    role: quasi
    hierarchy: {builder: intervals, widths: [5, 20]}
    rules: {keep: [{boundary: [64, 65], importance: 5}]}
  zip: {role: quasi, kind: categorical, hierarchy: {builder: mask}}
  sex: {role: other}
  flu: {role: sensitive}
privacy: {k: 2}
algorithm: {name: mondrian}
"""


def kanon(*args: str, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "kanon_tui", *args],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
        **more,  # type: ignore[call-overload]
    )
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert len(done.stderr.strip().splitlines()) <= 1, done.stderr
    return done


def said(*args: str, capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    """What the command says on stderr, run in this process: quicker, for the many refusals."""
    assert main(args) == code
    captured = capsys.readouterr()
    if code:
        assert len(captured.err.splitlines()) == 1
        assert captured.err.startswith("kanon-tui: ")
    return captured.err.removeprefix("kanon-tui: ").rstrip() if code else captured.out
