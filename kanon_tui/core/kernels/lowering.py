"""What numba writes for LLVM of a kernel, without what is not needed there.

Kernels hand tuples of many arrays from function to function. numba counts who holds an array: when
a function is entered, left, or takes an array out of a tuple, and it takes all parts of all arrays
out of all tuples for that. But who calls a function holds its arguments until it is back. So here
arguments are borrowed, and so is what is taken out of them: nothing is counted. Numbers are not
counted either, nor are their places cleared when they are no longer needed.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.runtime import context as counting

__all__ = ["ShortLowering", "make_short"]

_numba: Any = numba.core
_ir: Any = _numba.ir
_types: Any = _numba.types
_counting: Any = counting


class _Counting(_counting.NRTContext):  # type: ignore[misc]
    """Counts who holds an array."""

    def get_meminfos(self, builder: Any, ty: Any, val: Any) -> list[Any]:
        """As numba, without looking at what has nothing to count."""
        model = self._context.data_model_manager[ty]
        found = [(ty, model.get_nrt_meminfo(builder, val))] if model.has_nrt_meminfo() else []
        for part, take in model.traverse(builder):
            if _is_counted(self._context, part):
                found += self.get_meminfos(builder, part, take(val))
        return found


class _Lower(_numba.lowering.Lower):  # type: ignore[misc]
    """Writes a function down for LLVM."""

    def init(self) -> None:
        """Find out what is borrowed."""
        super().init()
        self._borrowed = _borrowed(self.func_ir, self.typeof)

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        """As numba, but what is borrowed is not counted."""
        value = inst.value
        if inst.target.name not in self._borrowed:
            return super().lower_assign(ty, inst)
        if isinstance(value, _ir.Arg):
            return self.fnargs[value.index]
        if isinstance(value, _ir.Var):
            return self.loadvar(value.name)
        fields = self.typeof(value.value.name).fields
        return self.builder.extract_value(
            self.loadvar(value.value.name), fields.index(value.attr)
        )

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """As numba, but nobody lets go of what is not counted."""
        if name in self._singly_assigned_vars or self._is_counted(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """As numba, where there is something to let go."""
        if self._is_counted(name):
            super().delvar(name)

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """A place for a variable. numba would also ask for its size, for debuggers."""
        return _numba.cgutils.alloca_once(self.builder, lltype, name=name)

    def _is_counted(self, name: str) -> bool:
        return name not in self._borrowed and _is_counted(self.context, self.typeof(name))


@_numba.compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class ShortLowering(_numba.typed_passes.NativeLowering):  # type: ignore[misc]
    """The step that writes a function down for LLVM."""

    @property
    def lowering_class(self) -> Any:
        """Who does it."""
        return _Lower


def make_short(context: Any) -> None:
    """Let what is written with a context of numba be short; it is the context of one function."""
    context.nrt = _Counting(context, context.enable_nrt)


def _is_counted(context: Any, type_: Any) -> bool:
    """Whether somebody counts who holds a value of this type, or a part of it."""
    known = _known
    if type_ not in known:
        known[type_] = context.data_model_manager[type_].contains_nrt_meminfo()
    return bool(known[type_])


_known: dict[Any, bool] = {}


def _borrowed(function: Any, type_of: Any) -> set[str]:
    """Variables that only ever have what the caller holds: an argument, or a part of one."""
    values: dict[str, list[Any]] = {}
    for block in function.blocks.values():
        for each in block.find_insts(_ir.Assign):
            values.setdefault(each.target.name, []).append(each.value)
    once = {name: found[0] for name, found in values.items() if len(found) == 1}
    borrowed: set[str] = set()
    before = -1
    while len(borrowed) > before:
        before = len(borrowed)
        for name, value in once.items():
            if name not in borrowed and _is_borrowed(value, type_of(name), borrowed, type_of):
                borrowed.add(name)
    return borrowed


def _is_borrowed(value: Any, type_: Any, borrowed: set[str], type_of: Any) -> bool:
    if isinstance(value, _ir.Arg):
        return bool(type_of(f"arg.{value.name}") == type_)
    if isinstance(value, _ir.Var):
        return value.name in borrowed and type_of(value.name) == type_
    if isinstance(value, _ir.Expr) and value.op == "getattr" and value.value.name in borrowed:
        whole = type_of(value.value.name)
        is_tuple = isinstance(whole, _types.BaseNamedTuple) and value.attr in whole.fields
        return is_tuple and whole[whole.fields.index(value.attr)] == type_
    return False
