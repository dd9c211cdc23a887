"""How a function becomes a kernel: compiled when first called, kept on disk, never out of date.

numba keeps machine code beside the module, or in the user's cache directory where the package
cannot be written to, and compiles again when that module's file has another size or time. But a
kernel also contains the machine code of the kernels it calls, which may live in other modules, and
their constants. So numba gets to compare a digest of all these sources instead.

What is on disk names the classes of tuples that a kernel was compiled for. Where such a class has
moved since, numba could not even read what it kept; that counts as out of date too.
"""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

__all__ = ["Function", "kernel", "on_disk", "part_of_kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])

_HERE = Path(__file__).parent
_CORE = _HERE.parent
_IMPORT = re.compile(r"^from kanon_tui\.core\.([\w.]+) import", re.MULTILINE)


def kernel(function: Function) -> Function:
    """Compile a function when it is first called, without the interpreter lock."""
    import numba

    compile_: Any = numba.njit
    try:
        compiled = compile_(cache=True, nogil=True)(function)
    except RuntimeError:  # there is no place to keep anything: compile again in every process
        compiled = compile_(nogil=True)(function)
    else:
        index = compiled._cache._cache_file
        index._source_stamp = _stamp(Path(function.__code__.co_filename))
        index._load_index = _forgiving(index._load_index)
    return cast(Function, compiled)


def part_of_kernel(function: Function) -> Function:
    """Compile a small function into every kernel that calls it.

    Worth it for what runs millions of times. References to arrays are not counted in it: a small
    function that is handed tuples of arrays would spend nearly all its time on that. So it must
    neither make an array nor keep one. It is kept on disk as part of kernels only, and Python
    cannot call it.
    """
    import numba

    compile_: Any = numba.njit
    inside_only = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, compile_(nogil=True, _nrt=False, **inside_only)(function))


def on_disk(function: Any) -> bool:
    """Whether the machine code of a kernel is there for the present sources.

    numba has no public question for this, so we read its index as it does itself.
    """
    index = getattr(function._cache, "_cache_file", None)
    return index is not None and bool(index._load_index())


def _forgiving(load_index: Callable[[], dict[Any, str]]) -> Callable[[], dict[Any, str]]:
    """Read an index, or find it empty where it cannot be read."""

    def load() -> dict[Any, str]:
        try:
            return load_index()
        except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError):
            return {}

    return load


@cache
def _stamp(module: Path) -> str:
    """A digest of the sources that a module's kernels are made of.

    Kernels import from one another, and from `core.numeric`, whose own imports do not matter.
    """
    sources: dict[Path, bytes] = {}
    waiting = [module, Path(__file__)]
    while waiting:
        path = waiting.pop()
        if path not in sources and path.is_file():
            sources[path] = path.read_bytes()
            if path.parent == _HERE:
                imported = _IMPORT.findall(sources[path].decode())
                waiting += [_CORE / f"{name.replace('.', '/')}.py" for name in imported]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(sources[path])
    return digest.hexdigest()
