"""Signals at random moments of commands, in a process of its own: a crash ends that one alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

from tests.commands.command_line import ENVIRONMENT

SIGNALS = 25
"""Per try."""


def try_once(random: Random, folder: Path) -> str:
    """Some signals to some commands; `signal_fuzz` says what must hold after each."""
    arguments = [str(SIGNALS), str(random.randrange(2**32))]
    done = subprocess.run(
        [sys.executable, "-m", "tests.commands.signal_fuzz", *arguments],
        cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
    return f"{SIGNALS} signals"
