"""Settings for all tests, and what happens once before several workers share them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.paths import ROOT

# Whatever tests start would compile the whole package again, and every worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A slow machine is not a failure, and a run should not depend on the luck of the draw.
settings.register_profile(
    "kanon", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kanon")

SLOW_FOLDERS = tuple(f"{ROOT / 'tests' / name}{os.sep}" for name in ("commands", "screens"))
"""Every test in them starts an application or a process."""


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are processors: tests of commands wait for processes."""
    return (yield) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(SLOW_FOLDERS):
            item.add_marker(pytest.mark.slow)


def pytest_configure() -> None:
    """No table is so small that it would do without machine code, which is what tests are about.

    `tests/core/run/test_small_tables.py` compares both ways.
    """
    from kanon_tui.core.run import small_tables

    small_tables.MOST_CELLS = small_tables.MOST_REFINED = 0


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not look at them each time.

    An application leaves many objects behind, and looking at all that live takes long: a fifth of
    the time of a test of screens with Python's own thresholds.
    """
    keep_what_lives()
    gc.set_threshold(50_000, 5, 5)


def keep_what_lives() -> None:
    """Whatever is there now stays to the end, as far as the garbage collector is concerned."""
    gc.collect()
    gc.freeze()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before there are several workers, which would each compile them."""
    options = session.config.option
    if options.numprocesses and not options.collectonly:
        compile_kernels()


def compile_kernels() -> None:
    """Compile what is not on disk yet, on all cores."""
    from kanon_tui.core.run.warm_up import compile_all, is_warm

    if not is_warm():
        for _ in compile_all():
            pass
