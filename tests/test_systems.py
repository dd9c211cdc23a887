"""What not every operating system has is not needed to import, to help and to run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hatch_build import TARGETS, library_name
from kanon_tui.core.kernels import library
from tests.commands.command_line import ENVIRONMENT, PATIENCE
from tests.paths import SAMPLES

pytestmark = pytest.mark.slow

ELSEWHERE = """
import asyncio, os, pkgutil, signal, sqlite3, subprocess, sys, tempfile, threading
import numpy, pandas, platformdirs, polars, rich.console, sklearn.tree, textual.app, textual.driver
import textual.drivers.linux_driver, textual.drivers.web_driver, aiohttp.web, textual_serve.server
import altair, cryptography.x509, distributed, fpdf

for name in ("getuid", "geteuid", "getgid", "getegid", "fchmod", "fchown", "chown", "killpg",
             "getpgrp", "getpgid", "setsid", "sysconf", "sched_getaffinity", "mkfifo", "uname",
             "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"):
    delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGTSTP", "SIGCONT", "SIGWINCH", "SIGUSR1", "SIGALRM"):
    delattr(signal, name)
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty"):
    sys.modules[name] = None
"""
"""Takes away, once libraries are imported, what Windows does not have."""


def run_elsewhere(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ELSEWHERE + code],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_every_module_is_imported(tmp_path: Path) -> None:
    code = """
import kanon_tui
names = [module.name for module in pkgutil.walk_packages(kanon_tui.__path__, "kanon_tui.")]
for name in names:
    if not name.endswith("__main__"):
        __import__(name)
print(len(names))
"""
    done = run_elsewhere(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["serve", "--help"]])
def test_help_is_given(arguments: list[str], tmp_path: Path) -> None:
    code = (
        f"sys.argv = ['kanon-tui', *{arguments!r}]\nfrom kanon_tui.__main__ import main\nmain()\n"
    )
    done = run_elsewhere(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: kanon-tui")


def test_a_release_is_written_and_replaced(tmp_path: Path) -> None:
    project = SAMPLES / "ward" / "project.yaml"
    (tmp_path / "release.csv").write_text("old\n")
    arguments = ["run", str(project), "--out", "release.csv", "--force"]
    code = f"from kanon_tui.cli import main\nsys.exit(main({arguments!r}))\n"
    done = run_elsewhere(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "release.csv").read_text().count("\n") > 10


def test_the_kernels_are_called_as_the_build_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in TARGETS.values():
        monkeypatch.setattr(sys, "platform", target.platform)
        assert library.library_path().name == library_name(target.platform)
