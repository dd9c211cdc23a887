"""Settings for all tests, and what happens once before several workers share them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from kanon_tui.core.kernels import library
from tests.paths import ROOT

# Whatever tests start would compile the whole package again, and every worker all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The workers share the processors: more threads that learn models only wait for one another.
os.environ["OMP_NUM_THREADS"] = "1"

# A slow machine is not a failure, and a run should not depend on the luck of the draw.
settings.register_profile(
    "kanon", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kanon")

SLOW_FOLDERS = tuple(f"{ROOT / 'tests' / name}{os.sep}" for name in ("commands", "screens"))
"""Every test in them starts an application or a process."""

SLOW_FILES = {
    "test_beyond_k.py", "test_blocks.py", "test_coarsening.py", "test_more_models.py",
    "test_people.py", "test_ranked_rows.py",
    "test_recommend.py", "test_release_pages.py", "test_source_pages.py", "test_stream.py",
    "test_watched_stream.py",
}  # fmt: skip
"""Files that compare releases in files, or every algorithm, with slow twins."""

LONG_FILES = {
    "test_boundary.py", "test_cluster.py", "test_cluster_is_closed.py", "test_coarsening.py",
    "test_doubled_keys.py", "test_fuzz.py", "test_hostile_texts.py", "test_journey.py",
    "test_packaging.py", "test_processes.py", "test_serve.py", "test_snapshots.py",
    "test_streamed_utility.py",
}  # fmt: skip
"""Files with a test of several seconds; they come first, so that no worker ends long after all."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kernels", help="use this build of the C kernels")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.kernels:
        library.use_library(ROOT / config.option.kernels)


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Twice as many workers as processors: tests of screens and commands mostly wait."""
    return 2 * (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(SLOW_FOLDERS) or item.path.name in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path.name not in LONG_FILES)


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not look at them each time.

    An application leaves many objects behind, and looking at all that live takes long: a fifth of
    the time of a test of screens with Python's own thresholds.
    """
    keep_what_lives()
    gc.set_threshold(500_000, 5, 5)


def keep_what_lives() -> None:
    """Whatever is there now stays to the end, as far as the garbage collector is concerned."""
    gc.collect()
    gc.freeze()
