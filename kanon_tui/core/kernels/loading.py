"""Machine code from disk is called without numba, which takes longer to import than most runs.

What numba has compiled calls functions that numba has in C: for memory, for arrays, for errors.
They lie in three small modules, which are loaded by themselves. LLVM links the machine code with
them. numba's own Python, which is nearly all of it, is for compiling.

Each kernel is linked on its own: functions of the same name in two of them do not meet.
"""

from __future__ import annotations

import builtins
import ctypes
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding

__all__ = ["MachineCode", "link", "numba_folder"]

_llvm: Any = binding
_MAKES_ARRAYS = "NRT_adapt_ndarray_to_python_acqref"
"""What machine code needs that gives arrays to Python; it imports numba when it does."""
_HELPERS, _FUNCTIONS, _MEMORY = "_helperlib", "_dynfunc", "core.runtime._nrt_python"


class MachineCode(NamedTuple):
    """A kernel that was compiled for one combination of types."""

    name: str
    """What the function is called that Python calls."""
    surroundings: str
    """What the place is called that says where its constants are."""
    constants: list[Any]
    needed: list[str]
    """What is called and is not in the code."""
    code: bytes
    """An object file."""


def link(kept: MachineCode) -> Callable[..., Any] | None:
    """The function; None where something that it calls is nowhere."""
    _start_llvm()
    if _MAKES_ARRAYS in kept.needed:
        _import_whole_numba()
    machine = _llvm.Target.from_default_triple().create_target_machine()
    engine = _llvm.create_mcjit_compiler(_llvm.parse_assembly(""), machine)  # finds Python's names
    if not (_are_found(kept.needed) or _are_found_by_numba(kept.needed)):
        return None
    engine.add_object_file(_llvm.ObjectFileRef.from_data(kept.code))
    engine.finalize_object()
    functions = _module_in_c(_FUNCTIONS)
    surroundings = functions.Environment({"__name__": __name__})
    surroundings.consts[:] = kept.constants
    place = ctypes.c_void_p.from_address(engine.get_global_value_address(kept.surroundings))
    place.value = id(surroundings)
    address = engine.get_function_address(kept.name)
    linked: Callable[..., Any] = functions.make_function(
        sys.modules[__name__], "kernel", "", address, surroundings, (engine,)
    )
    return linked


@cache
def numba_folder() -> Path:
    """Where numba is installed; it is not imported."""
    found = find_spec("numba")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("numba is not installed", name="numba")
    return Path(found.submodule_search_locations[0])


def _are_found(names: list[str]) -> bool:
    """Tell LLVM where these are; whether that is known of all."""
    addresses = _addresses()
    for name in names:
        if name in addresses:
            _llvm.add_symbol(name, addresses[name])
    return all(map(_llvm.address_of_symbol, names))


def _are_found_by_numba(names: list[str]) -> bool:
    """The same after numba has told LLVM all it knows: functions of mathematics, and others."""
    _import_whole_numba()
    from numba.core.registry import cpu_target

    context: Any = cpu_target.target_context
    context.refresh()
    return all(map(_llvm.address_of_symbol, names))


@cache
def _addresses() -> dict[str, int]:
    """Where numba's functions in C are, and Python's own objects, by the names numba gives them."""
    found = {"_Py_NoneStruct": id(None)}
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            found[f"PyExc_{name}"] = id(value)
    for module in (_HELPERS, _FUNCTIONS):
        for name, address in _module_in_c(module).c_helpers.items():
            found[f"numba_{name}"] = address
    for name, address in _module_in_c(_MEMORY).c_helpers.items():
        found[name if name.startswith("_") else f"NRT_{name}"] = address
    return found


def _import_whole_numba() -> None:
    """Import numba, or wait until another thread has.

    Who imports a part of it meanwhile gets modules that are half made.
    """
    import_module("numba")


@cache
def _module_in_c(name: str) -> Any:
    """A module of numba that is written in C, without the rest of numba."""
    whole_name = f"numba.{name}"
    folder = numba_folder().joinpath(*name.split(".")[:-1])
    spec = None if "numba" in sys.modules else PathFinder.find_spec(whole_name, [str(folder)])
    if spec is None or spec.loader is None:
        _import_whole_numba()
        return import_module(whole_name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _start_llvm() -> None:
    _llvm.initialize_native_target()
    _llvm.initialize_native_asmprinter()
