"""How a function becomes a kernel: compiled when first called, kept on disk, never out of date.

numba by itself keeps machine code beside a module, and compiles again when that module's file has
changed. But a kernel also contains the machine code of the kernels it calls, which may live in
other modules, and their constants. So `machine_code` gets a digest of all these sources.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

__all__ = ["Function", "called_by_kernels", "kernel", "on_disk", "part_of_kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])

_THIS = Path(__file__)
_HERE = _THIS.parent
_CORE = _HERE.parent
_IMPORT = re.compile(r"^from kanon_tui\.core\.([\w.]+) import", re.MULTILINE)


def kernel(function: Function) -> Function:
    """Compile a function when it is first called, without the interpreter lock."""
    import numba

    from kanon_tui.core.kernels.machine_code import KernelCache

    compile_: Any = numba.njit
    compiled = compile_(nogil=True, no_cfunc_wrapper=True)(function)
    compiled._cache = KernelCache(function, _stamp(Path(function.__code__.co_filename)))
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


def called_by_kernels(function: Function) -> Function:
    """Compile a function once for all kernels of a process that call it.

    As `part_of_kernel`, but it is not copied to every place that calls it: for what is long, and
    called from many places, where that would take minutes to compile.
    """
    import numba

    compile_: Any = numba.njit
    inside_only = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, compile_(nogil=True, _nrt=False, **inside_only)(function))


def on_disk(function: Any) -> bool:
    """Whether the machine code of a kernel is there for the present sources."""
    return bool(function._cache.is_filled())


@cache
def _stamp(module: Path) -> str:
    """A digest of the sources that a module's kernels are made of.

    Kernels import from one another, and from `core.numeric`, whose own imports do not matter. How
    kernels are compiled is in this file; where they are kept changes nothing in them.
    """
    sources: dict[Path, bytes] = {}
    waiting = [module, _THIS]
    while waiting:
        path = waiting.pop()
        if path not in sources and path.is_file():
            sources[path] = path.read_bytes()
            if path.parent == _HERE and path != _THIS:
                imported = _IMPORT.findall(sources[path].decode())
                waiting += [_CORE / f"{name.replace('.', '/')}.py" for name in imported]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(f"{path.name} {len(sources[path])} ".encode() + sources[path])
    return digest.hexdigest()
