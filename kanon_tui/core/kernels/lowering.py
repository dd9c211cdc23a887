"""What numba writes for LLVM of a kernel, without what is not needed there.

Kernels hand tuples of many arrays from function to function. numba takes all parts of all arrays
out of them for every call, and puts them together again on the other side. It also counts who holds
an array: when a function is entered, left, or takes an array out of a tuple. Most of what it wrote
was that.

Here a NamedTuple is handed over by its place in memory, and whoever is called takes out what it
uses, at its beginning. Who calls a function holds its arguments until it is back, so they are
borrowed, and so is what is taken out of them: nothing is counted. Numbers are not counted either,
nor are their places cleared when they are no longer needed.
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


class _ByReference:
    """How a tuple is handed over: by its place in memory, which is not written to meanwhile."""

    def __init__(self, model: Any) -> None:
        self._type = model.get_value_type()

    def get_argument_type(self) -> Any:
        """What a function gets."""
        return self._type.as_pointer()

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Where the value is; it gets a place if it has none."""
        return getattr(value, "place", None) or _store(builder, value)

    def from_argument(self, builder: Any, place: Any) -> Any:
        """The value at a place."""
        return _load(builder, place)


class _Models:
    """How values of all types are handed over."""

    def __init__(self, models: Any) -> None:
        self._models = models

    def lookup(self, type_: Any) -> Any:
        """The same of one type."""
        model = self._models.lookup(type_)
        return _ByReference(model) if _is_record(type_) else model


class _Packer(_numba.datamodel.ArgPacker):  # type: ignore[misc]
    """How arguments are handed over."""

    def assign_names(self, args: Any, names: Any) -> None:
        """As numba. Nobody writes to a place meanwhile, nor keeps it."""
        super().assign_names(args, names)
        for model, value in zip(self._dm_args, self._unflattener.unflatten(args), strict=True):
            if isinstance(model, _ByReference):
                value.add_attribute("noalias")
                value.add_attribute("captures(none)")


class _Lower(_numba.lowering.Lower):  # type: ignore[misc]
    """Writes a function down for LLVM."""

    def init(self) -> None:
        """Find out what is borrowed."""
        super().init()
        self._once = _assigned_once(self.func_ir)
        self._borrowed = _borrowed(self._once, self.typeof)
        self._held: dict[str, Any] = {}
        """What is borrowed is there from the beginning to the end."""
        records = {name for name in self._once if _is_record(self.typeof(name))}
        self._placed = records - self._borrowed
        self._places: dict[str, Any] = {}
        """Where tuples are that are handed over to others."""

    def lower_assign(self, ty: Any, inst: Any) -> Any:
        """As numba, but what is borrowed is not counted."""
        name = inst.target.name
        return self.loadvar(name) if name in self._borrowed else super().lower_assign(ty, inst)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """As numba, but nobody lets go of what is not counted."""
        if name in self._borrowed:
            return
        if name in self._singly_assigned_vars or self._is_counted(name):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))
        if name in self._placed:
            self._places[name] = _store(self.builder, value)

    def loadvar(self, name: str) -> Any:
        """As numba, where it may change."""
        if name not in self._borrowed:
            return super().loadvar(name)
        if name not in self._held:
            self._held[name] = self._borrow(self._once[name])
        return self._held[name]

    def delvar(self, name: str) -> None:
        """As numba, where there is something to let go."""
        if self._is_counted(name):
            super().delvar(name)

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """A place for a variable. numba would also ask for its size, for debuggers."""
        return _numba.cgutils.alloca_once(self.builder, lltype, name=name)

    def _alloca_var(self, name: str, fetype: Any) -> None:
        if name not in self._borrowed:
            super()._alloca_var(name, fetype)

    def _cast_var(self, var: Any, ty: Any) -> Any:
        name = getattr(var, "name", "")  # one of `*arguments` has none
        if name in self._places and self.typeof(name) == ty:
            return _load(self.builder, self._places[name])
        return super()._cast_var(var, ty)

    def _borrow(self, value: Any) -> Any:
        if isinstance(value, _ir.Arg):
            return self.fnargs[value.index]
        if isinstance(value, _ir.Var):
            return self.loadvar(value.name)
        whole = self.loadvar(value.value.name)
        number = self.typeof(value.value.name).fields.index(value.attr)
        with self.builder.goto_entry_block():
            place = _numba.cgutils.gep_inbounds(self.builder, whole.place, 0, number)
            return _load(self.builder, place)

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
    models = _Models(context.data_model_manager)
    context.nrt = _Counting(context, context.enable_nrt)
    context.get_arg_packer = lambda types: _Packer(models, types)


def _store(builder: Any, value: Any) -> Any:
    """Put a value in a place of its own."""
    with builder.goto_entry_block():
        place = builder.alloca(value.type)
    builder.store(value, place)
    return place


def _load(builder: Any, place: Any) -> Any:
    """The value at a place, which knows it. LLVM leaves it out if only the place is asked for."""
    value = builder.load(place)
    value.place = place
    return value


def _is_record(type_: Any) -> bool:
    return isinstance(type_, _types.BaseNamedTuple)


def _is_counted(context: Any, type_: Any) -> bool:
    """Whether somebody counts who holds a value of this type, or a part of it."""
    if type_ not in _known:
        _known[type_] = context.data_model_manager[type_].contains_nrt_meminfo()
    return _known[type_]


_known: dict[Any, bool] = {}


def _assigned_once(function: Any) -> dict[str, Any]:
    """Variables with one assignment, and what is assigned."""
    values: dict[str, list[Any]] = {}
    for block in function.blocks.values():
        for each in block.find_insts(_ir.Assign):
            values.setdefault(each.target.name, []).append(each.value)
    return {name: found[0] for name, found in values.items() if len(found) == 1}


def _borrowed(once: dict[str, Any], type_of: Any) -> set[str]:
    """Variables that only ever have what the caller holds: an argument, or a part of one."""
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
        is_part = _is_record(whole) and value.attr in whole.fields
        return is_part and whole[whole.fields.index(value.attr)] == type_
    return False
