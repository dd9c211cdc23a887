"""How numba puts a kernel together: each function once, and machine code for whole kernels alone.

numba by itself makes machine code of every function that a kernel calls, of each combination of
types that it is called with, and then again of the kernel with all of them inside. Constants count
as types of their own, and so do short integers. Most of the time of compiling went there.

Here a function that kernels call is known by its types alone, integers being 64 bits wide, and
waits as it is until the kernel that Python calls is complete: only that is optimised as a whole and
becomes machine code. Functions that are not part of one of our kernels are compiled as ever.

Steps of numba are left out that have nothing to do in kernels: they join array expressions, inline
what asks for it or is defined inside a function, and look for `with` blocks and errors that are
raised. `lowering` says what else kernels do without.

numba makes millions of objects, which are there to stay. Python would look through them for garbage
again and again, a tenth of the time, so it does so less often meanwhile. It also calls deeply, and
Python's stack comes in small pieces: a loop that calls something at the end of one gets and returns
a piece every time, another tenth. So it begins with a large piece.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba  # all of it: whoever imports a part while another thread is at it meets half of it

from kanon_tui.core.kernels.loading import MachineCode
from kanon_tui.core.kernels.lowering import ShortLowering, make_short

__all__ = ["NEW_OBJECTS", "InnerFunction", "WholeKernel", "machine_code_of"]

_numba: Any = numba.core
_dispatcher: Any = _numba.registry.CPUDispatcher
_library: Any = _numba.codegen.JITCodeLibrary
_types: Any = _numba.types
_lock: Any = _numba.compiler_lock.global_compiler_lock
_RUNTIME = "nrt"
"""What numba calls the functions that count references. It asks for their addresses."""
NEW_OBJECTS = 200_000
"""So many come together before Python looks for garbage, while something is compiled."""
_STACK = 66_000
"""Places on Python's stack, a little more than half a megabyte: Python doubles a piece until they
fit, and what is left of it is for all that is called."""
_SKIPPED = {
    "FindLiterallyCalls", "InlineClosureLikes", "InlineInlinables", "InlineOverloads",
    "LiteralUnroll", "LiteralPropagationSubPipelinePass", "MakeFunctionToJitFunction",
    "NopythonRewrites", "NoPythonSupportedFeatureValidation", "RewriteDynamicRaises", "WithLifting",
}  # fmt: skip
_OWN = {_numba.typed_passes.NativeLowering: ShortLowering}
_under_way: list[str] = []
"""The kernel that is being compiled, if there is one; who looks has numba's lock."""


class _Steps(_numba.compiler.CompilerBase):  # type: ignore[misc]
    """How numba gets from Python to code for LLVM."""

    def define_pipelines(self) -> list[Any]:
        """As numba, without steps that change nothing in a kernel; `lowering` is our own."""
        make_short(self.state.targetctx)
        steps = _numba.compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        kept = [step for step in steps.passes if step[0].__name__ not in _SKIPPED]
        steps.passes = [(_OWN.get(step, step), name) for step, name in kept]
        steps.finalize()
        return [steps]


class _Function(_dispatcher):  # type: ignore[misc]
    """A function that numba compiles."""

    def __init__(self, function: Callable[..., Any], **options: bool) -> None:
        options = {"nopython": True, "nogil": True, **options}
        super().__init__(function, targetoptions=options, pipeline_class=_Steps)


class InnerFunction(_Function):
    """What kernels call; Python cannot."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As numba, but for the types without constants and short integers."""
        _, folded = self._compiler.fold_argument_types(args, kws)
        return super().get_call_template(tuple(map(_plain, folded)), {})


class WholeKernel(_Function):
    """What Python calls."""

    def compile(self, sig: Any) -> Any:
        """As numba, but everything that is called becomes machine code as part of it."""
        with _lock, _parts_wait(self.py_func.__qualname__), _garbage_waits():
            return _with_room(super().compile, sig)

    def compiled_for(self, arguments: tuple[Any, ...]) -> Any:
        """What numba has compiled for the types of these arguments; it compiles it first."""
        types_ = tuple(map(self.typeof_pyval, arguments))
        self.compile(types_)
        return self.overloads[types_]


def machine_code_of(compiled: Any) -> MachineCode:
    """What there is to keep of what numba has compiled, to be linked again without numba."""
    function, library = compiled.fndesc, compiled.library
    module = library._final_module
    named = [*module.functions, *module.global_variables]
    declared = [each.name for each in named if each.is_declaration]
    return MachineCode(
        name=function.llvm_cpython_wrapper_name,
        surroundings=function.env_name,
        constants=list(compiled.environment.consts),
        needed=[name for name in declared if not name.startswith("llvm.")],
        code=library._get_compiled_object(),
    )


def _plain(type_: Any) -> Any:
    """A type without what numba knows of its value; integers of one width."""
    type_ = _types.unliteral(type_)
    if isinstance(type_, _types.Integer) and type_.signed:
        return _types.int64
    return type_


def _with_room(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call something that calls deeply."""
    return function(*arguments)


_with_room.__code__ = _with_room.__code__.replace(co_stacksize=_STACK)


@contextmanager
def _parts_wait(kernel: str) -> Iterator[None]:
    _own_libraries()
    _under_way.append(kernel)
    shown, _numba.errors._termcolor_inst = _numba.errors._termcolor_inst, _Plain
    try:
        yield
    finally:
        _under_way.pop()
        _numba.errors._termcolor_inst = shown


class _Plain:
    """How numba shows errors meanwhile. It tries much that fails, and colours every message."""

    @staticmethod
    def code(message: str) -> str:
        """As it is."""
        return message

    errmsg = filename = indicate = highlight = reset = code


@contextmanager
def _garbage_waits() -> Iterator[None]:
    before = gc.get_threshold()
    if before[0]:  # 0: somebody wants no looking for garbage at all
        gc.set_threshold(max(NEW_OBJECTS, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Library(_library):  # type: ignore[misc]
    """The code of one function, and which others it needs."""

    _linking_libraries: list[Any]
    _is_part = False

    def add_ir_module(self, ir_module: Any) -> None:
        """Take code in, but for what would let C call a part of a kernel."""
        if not _under_way or ir_module.name != "cfunc_wrapper":
            super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """As numba, but quickly: what matters is done when the kernel is whole."""
        if not _under_way:
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager(opt=1, loop_vectorize=False)
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        """Make machine code, unless this is to become part of a kernel."""
        if _under_way and self.name not in (_under_way[-1], _RUNTIME):
            self._raise_if_finalized()
            self._is_part = self._finalized = True
            return
        self._linking_libraries = _with_parts(self._linking_libraries)
        super().finalize()

    def get_pointer_to_function(self, name: str) -> int:
        """Where the machine code begins; a part has none of its own."""
        self._ensure_finalized()
        return 0 if self._is_part else super().get_pointer_to_function(name)

    @property
    def codegen(self) -> Any:
        """Who is told which constants a function has; of a part nobody asks."""
        return _Nobody if self._is_part else self._codegen


class _Nobody:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Let it pass."""


def _with_parts(libraries: list[Any]) -> list[Any]:
    """These, and what parts among them need, each once.

    A function comes after those that call it, or LLVM passes over it. All may count references.
    """
    found: dict[Any, None] = {}
    waiting = list(reversed(libraries))
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if getattr(library, "_is_part", False):
                waiting += reversed(library._linking_libraries)
    return sorted(found, key=lambda library: library.name == _RUNTIME)


@cache
def _own_libraries() -> None:
    """Let numba keep code as above."""
    context: Any = _numba.registry.cpu_target.target_context
    context.codegen()._library_class = _Library
