"""Where the machine code of kernels is kept, so that a later process need not compile it again.

It lives in the user's cache folder, in one folder for each module and digest: of the sources that
the module's kernels are made of, of Python and numba, and of the processor. So it survives
installing Kanon again, several copies of Kanon share it, and it never fits other sources. What
`kanon-tui warmup --all-users` compiles lies beside the package instead, and is read there by all.

Every combination of types has a file of its own, named by what it is for and put in place whole:
processes that compile the same kernel at the same time cannot mix up their files.

Machine code is run as it is read. So a folder counts only when nobody else can write into it: it
belongs to this user, or lies beside the package and belongs to whoever owns that.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import stat
import sys
import time
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
from llvmlite import binding
from platformdirs import user_cache_path

from kanon_tui.core.kernels.argument_kinds import Kinds
from kanon_tui.core.kernels.loading import MachineCode, numba_folder

__all__ = ["BESIDE_PACKAGE", "KernelFiles", "keep_for_all_users", "places"]

_LARGEST = 256 * 2**20
"""Bytes that are kept: some fifteen versions of all kernels. What was not used for longest goes."""
_FORMAT = 3
"""Changes with what is in a file."""
_DAY = 24 * 3600.0
_BROKEN = (
    pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, OSError, TypeError,
    ValueError,
)  # fmt: skip
"""What reading a damaged file can raise."""
BESIDE_PACKAGE = Path(__file__).parent / "__pycache__" / "kernels"

_llvm: Any = binding
_for_all_users = False


class KernelFiles:
    """The machine code of one kernel on disk: a file for every combination of kinds."""

    def __init__(self, function: Any, sources: str) -> None:
        module = Path(function.__code__.co_filename).stem
        self._folder = f"{module}-{_digest(sources)}"
        self._prefix = f"{function.__qualname__}-{function.__code__.co_firstlineno}-"

    @property
    def folder(self) -> Path | None:
        """Where new files go."""
        return places()[0] / self._folder if places() else None

    def is_filled(self) -> bool:
        """Whether there is machine code for at least one combination of kinds."""
        return any(
            name.startswith(self._prefix) and name.endswith(".kernel")
            for place in places()
            for name in _names(place / self._folder)
        )

    def read(self, kinds: Kinds) -> MachineCode | None:
        """What was compiled for arguments of these kinds, or None."""
        for place in places():
            with suppress(*_BROKEN):
                path = place / self._folder / self._name(kinds)
                kept = MachineCode(*pickle.loads(path.read_bytes()))
                _mark_used(path.parent)
                return kept
        return None

    def keep(self, kinds: Kinds, compiled: MachineCode) -> None:
        """Keep what has just been compiled for arguments of these kinds."""
        if self.folder is not None:
            _prune(places()[0])
            _write(self.folder / self._name(kinds), pickle.dumps(tuple(compiled)))

    def _name(self, kinds: Kinds) -> str:
        digest = hashlib.sha256(repr(kinds).encode()).hexdigest()
        return f"{self._prefix}{digest[:20]}.kernel"


@cache
def places() -> tuple[Path, ...]:
    """The folders that machine code is read from; new one goes to the first, if it can be written.

    Somebody who sets numba's own folder for this gets just that.
    """
    if _for_all_users:
        return (BESIDE_PACKAGE,) if _is_of_package(BESIDE_PACKAGE, make=True) else ()
    if os.environ.get("NUMBA_CACHE_DIR"):
        chosen = Path(os.environ["NUMBA_CACHE_DIR"]) / "kanon-tui"
        return (chosen,) if _is_own(chosen) else ()
    own = user_cache_path("kanon-tui") / "kernels"
    found = (own,) if _is_own(own) else ()
    beside = _is_of_package(BESIDE_PACKAGE, make=not found)
    return (*found, BESIDE_PACKAGE) if beside else found


def keep_for_all_users() -> bool:
    """Read and write only beside the package from now on; whether that can be written."""
    global _for_all_users
    _for_all_users = True
    places.cache_clear()
    return any(os.access(place, os.W_OK) for place in places())


def _is_own(folder: Path) -> bool:
    """Make a folder that nobody else can look into, if there is none; whether there is one now."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_guarded(folder, {os.geteuid()}):
            return False
        folder.chmod(0o700)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _is_of_package(folder: Path, make: bool) -> bool:
    """Whether whoever owns the package has kept machine code beside it, or may do so now."""
    try:
        if make:
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        return _is_guarded(folder, {Path(__file__).stat().st_uid})
    except OSError:
        return False


def _is_guarded(folder: Path, owners: set[int]) -> bool:
    """Whether only its owner can write into a folder, and is one of these."""
    found = folder.lstat()
    foreign = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid in owners and not foreign


def _write(path: Path, content: bytes) -> None:
    """Put a file in place whole; where that fails, it is compiled again next time."""
    aside = path.with_name(f"{uuid.uuid4().hex}.part")
    with suppress(OSError):
        path.parent.mkdir(mode=0o755, exist_ok=True)
        try:
            aside.write_bytes(content)
            if BESIDE_PACKAGE in path.parents:  # all users read it, whatever root's habits
                aside.chmod(0o644)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)


@cache
def _mark_used(folder: Path) -> None:
    """Say once a day that a folder is in use; `_prune` looks at that."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime > _DAY:
            os.utime(folder)


@cache
def _prune(place: Path) -> None:
    """Make room, once in a process: remove what was not used for longest."""
    folders = []
    with suppress(OSError):
        for folder in place.iterdir():
            size = sum(file.stat().st_size for file in folder.iterdir())
            folders.append((folder.stat().st_mtime, size, folder))
    room = _LARGEST
    for _, size, folder in sorted(folders, reverse=True):
        room -= size
        if room < 0:
            shutil.rmtree(folder, ignore_errors=True)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


@cache
def _digest(sources: str) -> str:
    """What machine code fits: these sources, this Python, this numba, this processor."""
    numba = (numba_folder() / "_version.py").read_bytes()
    versions = (sys.implementation.cache_tag, numba, llvmlite.__version__)
    settings = [os.environ.get(f"NUMBA_{name}") for name in ("OPT", "CPU_NAME", "CPU_FEATURES")]
    described = repr((_FORMAT, sources, versions, settings, _processor()))
    return hashlib.sha256(described.encode()).hexdigest()[:20]


@cache
def _processor() -> tuple[str, str, str]:
    """What machine code is made for."""
    features = _llvm.get_host_cpu_features()
    return _llvm.get_process_triple(), _llvm.get_host_cpu_name(), features.flatten()
