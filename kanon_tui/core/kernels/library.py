"""Find and load the compiled kernels; refuse a library that was made from other sources.

The library lies beside its C sources in a folder that is no Python package, because tools that
walk packages import every shared library they find in one.
"""

import ctypes
import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "c"
_NAMES = {"darwin": "libkanon.dylib", "win32": "libkanon.dll"}
"""What the library is called where it is not `libkanon.so`, as `hatch_build.py` does."""
_chosen: list[Path] = []


class KernelLibraryError(ImportError):
    """The compiled kernels are not there, or were made from other sources."""


def library_path() -> Path:
    """Return where the compiled library is expected."""
    if _chosen:
        return _chosen[0]
    return SOURCES / _NAMES.get(sys.platform, "libkanon.so")


def use_library(path: Path) -> None:
    """Load another build of the kernels, such as one with sanitizers; before the first call."""
    _chosen[:] = [path]
    _library.cache_clear()


def sources_digest(folder: Path = SOURCES) -> str:
    """Return the SHA-256 digest of all C sources and headers of a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _library() -> ctypes.CDLL:
    path = library_path()
    again = "Install Kanon again (in a checkout: make)."
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        fault = f"The compiled kernels cannot be loaded from {path}: {error}. {again}"
        raise KernelLibraryError(fault) from error
    loaded.kn_sources.restype = ctypes.c_char_p
    if loaded.kn_sources().decode() != sources_digest():
        fault = f"The compiled kernels in {path} were made from other sources. {again}"
        raise KernelLibraryError(fault)
    return loaded


def function(name: str) -> Any:
    """Return a function of the library by its C name."""
    return getattr(_library(), name)
