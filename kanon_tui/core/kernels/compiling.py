"""How a function becomes a kernel: compiled when first called, kept on disk, never out of date.

numba by itself keeps machine code beside a module, and compiles again when that module's file has
changed. But a kernel also contains the machine code of the kernels it calls, which may live in
other modules, and their constants. So `machine_code` gets a digest of all these sources. Machine
code from disk is called without numba (`loading`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from pathlib import Path
from threading import RLock, local
from typing import TYPE_CHECKING, Any, TypeVar, cast

from numpy import errstate

from kanon_tui.core.kernels.argument_kinds import Kinds, kinds_of

if TYPE_CHECKING:
    from kanon_tui.core.kernels.machine_code import KernelFiles

__all__ = [
    "Function", "InnerKernel", "Kernel", "called_by_kernels", "inner_kernel", "interpreted",
    "kernel", "on_disk", "part_of_kernel",
]  # fmt: skip

Function = TypeVar("Function", bound=Callable[..., Any])

_THIS = Path(__file__)
_HERE = _THIS.parent
_HOW = (_THIS, _HERE / "linking.py", _HERE / "lowering.py")
_CORE = _HERE.parent
_INSIDE_ONLY = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_IMPORT = re.compile(r"^from kanon_tui\.core\.([\w.]+) import", re.MULTILINE)


class _Here(local):
    """What holds in a thread."""

    interpreted = False


_here = _Here()
_one_at_a_time = RLock()
"""Compiling and linking."""


@contextmanager
def interpreted(wanted: bool = True) -> Iterator[None]:
    """Let this thread run kernels as the Python that they are written in, without numba.

    They do the same, some hundred times slower: for a few records that is quicker than loading
    machine code, not to speak of compiling. Integers wrap around without a word, as compiled.
    """
    before, _here.interpreted = _here.interpreted, wanted
    try:
        if wanted:
            with errstate(over="ignore"):
                yield
        else:
            yield
    finally:
        _here.interpreted = before


class Kernel:
    """A function that is compiled when Python or another kernel first calls it."""

    def __init__(self, function: Callable[..., Any], **inside: bool) -> None:
        self.py_func = function
        self.ready: dict[Kinds, Callable[..., Any]] = {}
        self._inside = inside
        update_wrapper(self, function)

    @cached_property
    def files(self) -> KernelFiles:
        """What is kept on disk of what Python calls."""
        from kanon_tui.core.kernels.machine_code import KernelFiles

        return KernelFiles(self.py_func, _stamp(Path(self.py_func.__code__.co_filename)))

    @cached_property
    def compiler(self) -> Any:
        """What compiles what Python calls."""
        from kanon_tui.core.kernels.linking import WholeKernel

        return WholeKernel(self.py_func, no_cfunc_wrapper=True)

    @cached_property
    def called_inside(self) -> Any:
        """What other kernels call, as a part of them."""
        from kanon_tui.core.kernels.linking import InnerFunction

        return InnerFunction(self.py_func, **_INSIDE_ONLY, **self._inside)

    @property
    def _numba_type_(self) -> Any:
        return self.called_inside._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        """Compile it if need be, and do what it says."""
        if _here.interpreted:
            return self.py_func(*arguments)
        kinds = kinds_of(arguments)
        ready = self.ready.get(kinds) or self._make_ready(kinds, arguments)
        return ready(*arguments)

    def _make_ready(self, kinds: Kinds, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The machine code for arguments of these kinds: from disk, or compiled now."""
        from kanon_tui.core.kernels.loading import link

        with _one_at_a_time:
            if kinds not in self.ready:
                kept = self.files.read(kinds)
                linked = None if kept is None else link(kept)
                self.ready[kinds] = linked or self._compile(kinds, arguments)
        return self.ready[kinds]

    def _compile(self, kinds: Kinds, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        from kanon_tui.core.kernels.linking import machine_code_of

        compiled = self.compiler.compiled_for(arguments)
        if not compiled.library.has_dynamic_globals:  # addresses in this process
            self.files.keep(kinds, machine_code_of(compiled))
        ready: Callable[..., Any] = compiled.entry_point
        return ready


class InnerKernel(Kernel):
    """A function that other kernels call, and Python does not."""


def kernel(function: Function) -> Function:
    """Compile a function when it is first called, without the interpreter lock."""
    return cast(Function, Kernel(function))


def inner_kernel(function: Function) -> Function:
    """Compile a function as part of the kernels that call it; Python does not.

    It is compiled once for all kernels of a process that call it.
    """
    return cast(Function, InnerKernel(function))


def part_of_kernel(function: Function) -> Function:
    """Compile a small function into every place that calls it, within a kernel.

    Worth it for what runs millions of times. References to arrays are not counted in it: a small
    function that is handed tuples of arrays would spend nearly all its time on that. So it must
    neither make an array nor keep one.
    """
    return cast(Function, InnerKernel(function, forceinline=True, _nrt=False))


def called_by_kernels(function: Function) -> Function:
    """As `part_of_kernel`, but it is not copied to every place that calls it.

    For what is long, and called from many places, where that would take minutes to compile.
    """
    return cast(Function, InnerKernel(function, _nrt=False))


def on_disk(function: Any) -> bool:
    """Whether the machine code of a kernel is there for the present sources."""
    return bool(function.files.is_filled())


@cache
def _stamp(module: Path) -> str:
    """A digest of the sources that a module's kernels are made of.

    Kernels import from one another, and from `core.numeric`, whose own imports do not matter. How
    kernels are compiled is in this file; where they are kept changes nothing in them.
    """
    sources: dict[Path, bytes] = {}
    waiting = [module, *_HOW]
    while waiting:
        path = waiting.pop()
        if path not in sources and path.is_file():
            sources[path] = path.read_bytes()
            if path.parent == _HERE and path not in _HOW:
                imported = _IMPORT.findall(sources[path].decode())
                waiting += [_CORE / f"{name.replace('.', '/')}.py" for name in imported]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(f"{path.name} {len(sources[path])} ".encode() + sources[path])
    return digest.hexdigest()
