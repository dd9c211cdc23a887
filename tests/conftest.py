"""Settings for all tests, and what happens once before several workers share them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.paths import ROOT

# A slow machine is not a failure, and a run should not depend on the luck of the draw.
settings.register_profile(
    "kanon", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kanon")

SLOW_FOLDERS = [ROOT / "tests" / name for name in ("commands", "screens")]
"""Every test in them starts an application or a process."""

MERGING = ("bottom-up", "top-down", "udc", "udc-suppress", "euclidean")
"""These share their kernels, and compiling them takes as long as compiling all others."""


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are processors: tests of screens wait half of the time."""
    return (yield) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(folder in item.path.parents for folder in SLOW_FOLDERS):
            item.add_marker(pytest.mark.slow)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before there are several workers, which would each compile them."""
    options = session.config.option
    if options.numprocesses and not options.collectonly:
        compile_kernels()


def compile_kernels() -> None:
    """Compile what is not on disk yet, in two processes."""
    from kanon_tui.core.algorithms import ALGORITHMS
    from kanon_tui.core.run.warm_up import is_warm

    if is_warm():
        return
    others = [name for name in ALGORITHMS if name not in MERGING]
    code = "from kanon_tui.core.run.warm_up import warm_up; warm_up({})"
    compilers = [
        subprocess.Popen([sys.executable, "-c", code.format(names)], cwd=ROOT)
        for names in (others, MERGING)
    ]
    for compiler in compilers:
        compiler.wait()
