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
import numba
from llvmlite.binding import address_of_symbol, get_host_cpu_name
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from platformdirs import user_cache_path

__all__ = ["BESIDE_PACKAGE", "KernelCache", "keep_for_all_users", "places"]

_LARGEST = 256 * 2**20
"""Bytes that are kept: some fifteen versions of all kernels. What was not used for longest goes."""
_FORMAT = 2
"""Changes with what is in a file."""
_DAY = 24 * 3600.0
_BROKEN = (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, OSError)
"""What reading a damaged file can raise, or one that names a class that has moved."""
BESIDE_PACKAGE = Path(__file__).parent / "__pycache__" / "kernels"
_ANNOTATIONS = 6
"""Where numba tells of a compiled function how it saw the types of every line: nobody asks."""


_numba_settings: Any = numba.config
_pack: Any = dumps
_runtime: Any = rtsys
_known_environment: Any = lookup_environment
_address_of: Any = address_of_symbol
_rebuild: Any = CompileResult._rebuild
_for_all_users = False


class KernelCache:
    """What numba asks for a kernel's machine code, and whom it hands what it has compiled."""

    def __init__(self, function: Any, sources: str) -> None:
        module = Path(function.__code__.co_filename).stem
        self._folder = f"{module}-{_digest(sources)}"
        self._prefix = f"{function.__qualname__}-{function.__code__.co_firstlineno}-"

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to."""
        return str(places()[0] / self._folder) if places() else None

    def is_filled(self) -> bool:
        """Whether there is machine code for at least one combination of types."""
        return any(
            name.startswith(self._prefix) and name.endswith(".kernel")
            for place in places()
            for name in _names(place / self._folder)
        )

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The kernel compiled for these types, or None."""
        key = signature, context.codegen().magic_tuple()
        for place in places():
            with suppress(*_BROKEN):
                path = place / self._folder / self._name(key)
                with path.open("rb") as file:
                    kept, needed, code = _Unpickler(file).load()
                if kept == key:
                    _runtime.initialize(context)
                    if not all(map(_address_of, needed)):
                        context.refresh()
                    _mark_used(path.parent)
                    return _rebuild(context, *code)
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what has just been compiled for these types."""
        if compiled.lifted or compiled.library.has_dynamic_globals or not places():
            return
        key = signature, compiled.codegen.magic_tuple()
        code = list(compiled._reduce())
        code[_ANNOTATIONS] = ""
        _prune(places()[0])
        content = _pack((key, _needed(compiled), tuple(code)))
        _write(places()[0] / self._folder / self._name(key), content)

    def flush(self) -> None:
        """Nothing is held back."""

    def _name(self, key: object) -> str:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return f"{self._prefix}{digest[:20]}.kernel"


class _Unpickler(pickle.Unpickler):
    """Reads machine code without importing what its parts were once compiled from."""

    def find_class(self, module: str, name: str) -> Any:
        """As usual, but for the environments of functions."""
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """What a compiled function knows of its surroundings: its constants.

    Functions of numba that became part of a kernel have one as well. numba imports their modules
    for it, and with one of them scipy; no compiled function ever looks there.
    """
    known = _known_environment(name)
    if known is None:
        known = Environment({"__name__": module})
        known.consts[:] = constants
        known.env_name = name
        Environment._memo[name] = known
    return known


def _needed(compiled: Any) -> list[str]:
    """What machine code calls that is not in it.

    numba lets whoever loads machine code load all it knows first, scipy and much of its own, as if
    something were to be compiled. That takes longer than all the rest, and what is needed is mostly
    there without it.
    """
    module = compiled.library._final_module
    named = [*module.functions, *module.global_variables]
    names = [each.name for each in named if each.is_declaration]
    return [name for name in names if not name.startswith("llvm.")]


@cache
def places() -> tuple[Path, ...]:
    """The folders that machine code is read from; new one goes to the first, if it can be written.

    Somebody who sets numba's own folder for this gets just that.
    """
    if _for_all_users:
        return (BESIDE_PACKAGE,) if _is_of_package(BESIDE_PACKAGE, make=True) else ()
    if _numba_settings.CACHE_DIR:
        chosen = Path(_numba_settings.CACHE_DIR) / "kanon-tui"
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
    versions = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__)
    settings = (_numba_settings.OPT, _numba_settings.CPU_NAME, _numba_settings.CPU_FEATURES)
    described = repr((_FORMAT, sources, versions, settings, get_host_cpu_name()))
    return hashlib.sha256(described.encode()).hexdigest()[:20]
