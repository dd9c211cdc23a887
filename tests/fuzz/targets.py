"""The contents page: every target by name."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz import algorithms, command_line, kernels, keys, projects, readers, signals

Target = Callable[[Random, Path], str]

TARGETS: dict[str, Target] = {
    "readers": readers.try_once,
    "projects": projects.try_once,
    "command line": command_line.try_once,
    "algorithms": algorithms.try_once,
    "kernels": kernels.try_once,
    "keys": keys.try_once,
    "signals": signals.try_once,
}


def try_seed(target: str, seed: int) -> str:
    """One try in a folder of its own; a failure names what repeats it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return TARGETS[target](Random(seed), Path(folder))
        except BaseException as error:
            error.add_note(f"repeat with: make fuzz TARGET='{target}' SEED={seed}")
            raise
