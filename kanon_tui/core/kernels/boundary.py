"""Declare C structs and functions once, in Python, and check every argument before a call.

A struct of arrays is a frozen dataclass that derives from `Struct`; a C function is a stub, a
Python function with annotations and a docstring but no body, decorated with `c_function`. Arrays
are annotated with a type of `numeric` and with `reads(...)` or `writes(...)`, which name their
dimensions:

    @dataclass(frozen=True, eq=False)
    class Parts(Struct):
        table: Annotated[Int32s, writes("rows", "attributes")]
        copies: Annotated[Int64s, reads("rows")]

    @c_function
    def measure(axes: Axes, parts: Parts, start: int, end: int) -> None:
        "Write the ends of a part to the stack."

From these declarations `make header` generates the C header, so that the C compiler checks every
signature, and this module checks dtype, dimensions, contiguity and writability. Dimensions of one
struct, or of the array arguments of one call, that have the same name must have the same size. A
struct is checked once, when it is made; a mismatch is a `TypeError` that names the argument.
"""

import ctypes
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache, cached_property, update_wrapper
from operator import index
from typing import Any, NamedTuple, Self, TypeVar, cast, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from kanon_tui.core.kernels import library

Function = TypeVar("Function", bound=Callable[..., Any])
Size = int | str
_Signature = list[Any]

_C_SCALARS: dict[type, tuple[str, Any]] = {
    bool: ("bool", ctypes.c_bool),
    int: ("int64_t", ctypes.c_int64),
    float: ("double", ctypes.c_double),
}
_C_ELEMENTS = {
    np.dtype(np.bool_): "bool",
    np.dtype(np.int32): "int32_t",
    np.dtype(np.int64): "int64_t",
    np.dtype(np.uint8): "uint8_t",
    np.dtype(np.uint64): "uint64_t",
    np.dtype(np.float64): "double",
}
_LOWEST = -(2**63)
_HIGHEST = 2**63 - 1


class Dimensions(NamedTuple):
    """The dimensions of an array, and whether C writes to it."""

    sizes: tuple[Size, ...]
    written: bool


def reads(*sizes: Size) -> Dimensions:
    """Annotate an array that C only reads.

    A size is a name, `name+1` (or another small number), a number, or `_` for any size.
    """
    return Dimensions(sizes, written=False)


def writes(*sizes: Size) -> Dimensions:
    """Annotate an array that C may write to; sizes as in `reads`."""
    return Dimensions(sizes, written=True)


@dataclass(frozen=True)
class ArraySpec:
    """The dtype and the dimensions that an array must have."""

    dtype: np.dtype[Any]
    dimensions: Dimensions

    @property
    def c_element(self) -> str:
        """Return the C type of an element."""
        return _C_ELEMENTS[self.dtype]

    def check(self, owner: str, name: str, array: Any, sizes: dict[str, int]) -> None:
        """Raise a TypeError unless `array` fits; add the sizes of its named dimensions."""
        if not self._fits(array) or not self._agrees(array.shape, sizes):
            raise TypeError(f"{owner}: {name} must be {self}; it is {_described(array, sizes)}")

    def _fits(self, array: Any) -> bool:
        if not isinstance(array, np.ndarray):
            return False
        flags = array.flags
        return (
            (array.dtype is self.dtype or array.dtype == self.dtype)
            and array.ndim == len(self.dimensions.sizes)
            and flags.c_contiguous
            and flags.aligned
            and (flags.writeable or not self.dimensions.written)
        )

    def _agrees(self, shape: tuple[int, ...], sizes: dict[str, int]) -> bool:
        """Return whether the sizes fit; the first array with a name decides its size."""
        for (name, more), size in zip(self._parts, shape, strict=True):
            if name != "_" and size != more + (sizes.setdefault(name, size - more) if name else 0):
                return False
        return True

    @cached_property
    def _parts(self) -> tuple[tuple[str, int], ...]:
        """Per dimension its name, empty where it has none, and the number that is added."""
        parts = (str(size).partition("+") for size in self.dimensions.sizes)
        return tuple(
            ("", int(name)) if name.isdigit() else (name, int(more or 0)) for name, _, more in parts
        )

    def zeros(self, sizes: dict[str, int]) -> npt.NDArray[Any]:
        """Return an array of zeros; `sizes` has those of the named dimensions."""
        return np.zeros(
            [more + (sizes[name] if name else 0) for name, more in self._parts], self.dtype
        )

    def __str__(self) -> str:
        shape = " × ".join(map(str, self.dimensions.sizes))
        access = ", writable" if self.dimensions.written else ""
        return f"a contiguous {self.dtype} array of {shape}{access}"


def _described(value: Any, sizes: dict[str, int]) -> str:
    if not isinstance(value, np.ndarray):
        return f"a {type(value).__name__}"
    dimensions = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    access = "writable" if value.flags.writeable else "read-only"
    order = "contiguous" if value.flags.c_contiguous else "not contiguous"
    return f"{value.dtype} {value.shape}, {order}, {access}" + (
        f" where {dimensions}" if dimensions else ""
    )


class Struct:
    """Base of the frozen dataclasses that C sees as structs; checked when they are made.

    `address` is where the C struct lies; the arrays live at least as long as the instance.
    """

    address: int

    def __post_init__(self) -> None:
        """Check every field and fill the C struct."""
        layout = struct_layout(cast(Any, type(self)))
        packed = layout.c_type()
        sizes: dict[str, int] = {}
        for field in layout.fields:
            field.store(packed, type(self).__name__, getattr(self, field.name), sizes)
        object.__setattr__(self, "_packed", packed)
        object.__setattr__(self, "address", ctypes.addressof(packed))

    @classmethod
    def allocate(cls, **members_and_sizes: Any) -> Self:
        """Return a struct whose arrays are zeros unless they are given.

        `members_and_sizes` has structs, numbers and arrays by field, and the sizes of named
        dimensions that none of these arrays has.
        """
        owner = cls.__name__
        members = struct_layout(cast(Any, cls)).fields
        arrays = {field.name: field.kind for field in members if isinstance(field.kind, ArraySpec)}
        other_fields = {field.name for field in members} - arrays.keys()
        values = {
            n: v
            for n, v in members_and_sizes.items()
            if n in other_fields or isinstance(v, np.ndarray)
        }
        sizes = {
            name: int(members_and_sizes[name]) for name in members_and_sizes.keys() - values.keys()
        }
        for name in arrays.keys() & values.keys():
            arrays.pop(name).check(owner, name, values[name], sizes)
        return cls(**values, **{name: spec.zeros(sizes) for name, spec in arrays.items()})

    def __reduce__(self) -> Any:
        """Pickle or copy the fields; the address belongs to one struct of this process."""
        return type(self), tuple(getattr(self, field.name) for field in fields(cast(Any, self)))


@dataclass(frozen=True)
class Field:
    """A field of a struct, a parameter or a return value: a scalar, an array or a struct."""

    name: str
    kind: type | ArraySpec

    def c_declarations(self) -> Iterator[tuple[str, str, Any]]:
        """Yield C type, C name and ctypes type of what the field becomes in C."""
        if isinstance(self.kind, ArraySpec):
            const = "" if self.kind.dimensions.written else "const "
            yield f"{const}{self.kind.c_element} *", self.name, ctypes.c_void_p
            for axis in range(len(self.kind.dimensions.sizes)):
                yield "int64_t ", f"{self.name}_shape{axis}", ctypes.c_int64
        elif issubclass(self.kind, Struct):
            yield f"const {self.kind.__name__} *", self.name, ctypes.c_void_p
        else:
            c_name, c_type = _C_SCALARS[self.kind]
            yield f"{c_name} ", self.name, c_type

    def convert(self, owner: str, value: Any, sizes: dict[str, int]) -> _Signature:
        """Return the C arguments for a value, or raise a TypeError that names the field."""
        kind = self.kind
        if isinstance(kind, ArraySpec):
            kind.check(owner, self.name, value, sizes)
            return [value.ctypes.data, *value.shape]
        if issubclass(kind, Struct):
            if not isinstance(value, kind):
                raise self._mismatch(owner, value)
            return [value.address]
        try:
            number: Any = index(value) if kind is int else cast(Any, kind)(value)
        except (TypeError, ValueError):
            raise self._mismatch(owner, value) from None
        if kind is int and not _LOWEST <= number <= _HIGHEST:
            raise TypeError(f"{owner}: {self.name} must fit in 64 bits; it is {number}")
        return [number]

    def store(self, packed: Any, owner: str, value: Any, sizes: dict[str, int]) -> None:
        """Write a value into a C struct."""
        values = self.convert(owner, value, sizes)
        for (_, name, _), part in zip(self.c_declarations(), values, strict=True):
            setattr(packed, name, part)

    def _mismatch(self, owner: str, value: Any) -> TypeError:
        expected = "whole number" if self.kind is int else cast(type, self.kind).__name__
        return TypeError(
            f"{owner}: {self.name} must be a {expected}; it is {_described(value, {})}"
        )


@dataclass(frozen=True)
class StructLayout:
    """The fields of a struct, and its ctypes class."""

    name: str
    fields: tuple[Field, ...]
    c_type: type[ctypes.Structure]


@cache
def struct_layout(struct: type) -> StructLayout:
    """Return the layout of a `Struct`, or of a NamedTuple of scalars that a function returns."""
    members = tuple(_field(name, hint) for name, hint in _hints(struct).items())
    c_fields = [(name, kind) for member in members for _, name, kind in member.c_declarations()]
    c_type = type(struct.__name__, (ctypes.Structure,), {"_fields_": c_fields})
    return StructLayout(struct.__name__, members, c_type)


def _hints(owner: Any) -> dict[str, Any]:
    hints = get_type_hints(owner, include_extras=True)
    hints.pop("address", None)
    return hints


def _field(name: str, hint: Any) -> Field:
    match getattr(hint, "__metadata__", ()):
        case (element, Dimensions() as dimensions):
            return Field(name, ArraySpec(np.dtype(element), dimensions))
        case (Dimensions(),):
            raise TypeError(
                f"{name}: {hint} does not say its element; "
                "use a type of kanon_tui.core.numeric, such as Int32s"
            )
    if get_origin(hint) is None and isinstance(hint, type):
        return Field(name, hint)
    raise TypeError(f"{name}: {hint} is no array with dimensions, struct, int, float or bool")


@dataclass(frozen=True)
class CFunction:
    """A declared C function: its C name, parameters, and what it returns."""

    c_name: str
    parameters: tuple[Field, ...]
    returns: type | None

    @property
    def result(self) -> StructLayout | None:
        """Return the layout of the returned struct, None for scalars and nothing."""
        returned = self.returns
        return struct_layout(returned) if returned and issubclass(returned, tuple) else None

    def bind(self) -> Callable[..., Any]:
        """Return the function of the compiled library, with its argument types."""
        function = library.function(self.c_name)
        function.argtypes = [
            c_type for field in self.parameters for _, _, c_type in field.c_declarations()
        ]
        if self.returns is None:
            function.restype = None
        elif self.result is not None:
            function.restype = self.result.c_type
        else:
            function.restype = _C_SCALARS[self.returns][1]
        return cast(Callable[..., Any], function)


_declared: list[CFunction] = []


def declared_functions() -> tuple[CFunction, ...]:
    """Return every C function declared by the modules imported so far."""
    return tuple(_declared)


def c_function(stub: Function) -> Function:
    """Return a function that checks its arguments and calls C.

    The C name is `kn_MODULE_FUNCTION`. The library is loaded at the first call, and the
    interpreter lock is released during a call.
    """
    module = stub.__module__.rpartition(".")[2]
    hints = _hints(stub)
    returned = hints.pop("return", None)
    returns = None if returned is type(None) else returned
    declared = CFunction(
        f"kn_{module}_{stub.__name__}",
        tuple(_field(name, hint) for name, hint in hints.items()),
        returns,
    )
    _declared.append(declared)
    signature = inspect.signature(stub)
    bound: list[Callable[..., Any]] = []
    converters = [field.convert for field in declared.parameters]
    owner = stub.__name__
    make = None
    names = cast(tuple[str, ...], ())
    if declared.result is not None:
        make = cast(Any, returns)._make
        names = cast(Any, returns)._fields

    def call(*arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != len(converters):
            arguments = signature.bind(*arguments, **named).args
        values: list[Any] = []
        sizes: dict[str, int] = {}
        for convert, argument in zip(converters, arguments, strict=True):
            values += convert(owner, argument, sizes)
        if not bound:
            bound.append(declared.bind())
        result = bound[0](*values)
        return result if make is None else make(getattr(result, name) for name in names)

    return cast(Function, update_wrapper(call, stub))
