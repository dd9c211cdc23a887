"""Print the C header of the kernels, generated from their Python declarations.

`make header` writes it to `kanon_tui/core/kernels/c/declarations.h`; a test checks that the
committed file is current. The header holds the public constants (`UPPER_CASE` numbers) of the
modules that declare functions or structs, the structs, and a prototype per function. Names are
shared by all modules, so two modules may give the same name to a constant or struct only if it is
the same.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from textwrap import wrap
from types import ModuleType
from typing import Any, cast

from kanon_tui.core import kernels, numeric
from kanon_tui.core.kernels import boundary
from kanon_tui.core.kernels.boundary import CFunction, Field, StructLayout, struct_layout

_INTERNAL = {"boundary", "library"}
_OPENING = """\
/* Generated from the Python declarations; do not edit.
 * Renew with: make header
 */
/* clang-format off */
#ifndef KANON_DECLARATIONS_H
#define KANON_DECLARATIONS_H

#include <stdbool.h>
#include <stdint.h>
"""


def header_text() -> str:
    """Return the whole header."""
    modules = list(_modules())
    functions = sorted(boundary.declared_functions(), key=lambda function: function.c_name)
    parts = [
        _OPENING,
        "\n".join(_constants(modules)),
        *(_struct(layout) for layout in _structs(functions)),
        "#pragma GCC visibility push(default)",
        "\n".join(_prototype(function) for function in functions),
        "#pragma GCC visibility pop",
        "#endif",
    ]
    return "\n".join(part + "\n" for part in parts)


def _modules() -> Iterator[ModuleType]:
    yield numeric
    for found in pkgutil.iter_modules(kernels.__path__):
        if found.name not in _INTERNAL:
            module = importlib.import_module(f"{kernels.__name__}.{found.name}")
            if hasattr(module, "Struct") or hasattr(module, "c_function"):
                yield module


def _constants(modules: list[ModuleType]) -> Iterator[str]:
    """Yield a definition per public numeric constant; a name has one value."""
    values: dict[str, int | float] = {}
    for module in modules:
        for name, value in vars(module).items():
            public = name.isupper() and not name.startswith("_") and isinstance(value, int | float)
            if public and values.setdefault(name, value) != value:
                raise TypeError(f"{module.__name__}: {name} has another value in another module")
    small = {n: v for n, v in values.items() if isinstance(v, int) and abs(v) < 2**31}
    listed = ", ".join(f"{name}={value}" for name, value in sorted(small.items()))
    yield from ("enum {", *wrap(listed, 96, initial_indent="    ", subsequent_indent="    "), "};")
    for name, value in sorted(values.items()):
        if isinstance(value, float):
            yield f"#define {name} {value.hex()}"
        elif name not in small:
            yield f"#define {name} {value}LL"


def _structs(functions: list[CFunction]) -> Iterable[StructLayout]:
    """Return every struct that a function takes or returns, those inside others first."""
    seen: dict[str, type] = {}
    found: dict[str, StructLayout] = {}

    def visit(kind: Any) -> None:
        if not isinstance(kind, type) or not issubclass(kind, boundary.Struct | tuple):
            return
        if seen.setdefault(kind.__name__, kind) is not kind:
            raise TypeError(f"two structs are named {kind.__name__}")
        layout = struct_layout(cast(Any, kind))
        for field in layout.fields:
            visit(field.kind)
        found[layout.name] = layout

    for function in functions:
        for field in function.parameters:
            visit(field.kind)
        visit(function.returns)
    return found.values()


def _struct(layout: StructLayout) -> str:
    lines = [
        "    " + " ".join(f"{c_type}{name};" for c_type, name, _ in field.c_declarations())
        for field in layout.fields
    ]
    return "\n".join(["typedef struct {", *lines, f"}} {layout.name};"])


def _prototype(function: CFunction) -> str:
    parameters = ", ".join(
        c_type + name for field in function.parameters for c_type, name, _ in field.c_declarations()
    )
    return f"{_return_type(function)} {function.c_name}({parameters or 'void'});"


def _return_type(function: CFunction) -> str:
    if function.returns is None:
        return "void"
    result = function.result
    if result is not None:
        return result.name
    return next(Field("result", function.returns).c_declarations())[0].strip()


if __name__ == "__main__":
    sys.stdout.write(header_text())
