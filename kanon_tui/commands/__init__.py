"""The commands: one small module each, with `HELP`, `arguments(parser)` and `execute(args)`.

A module imports only the standard library at its top; what a command works with is imported when
it is executed, so that `kanon-tui --help` answers at once. To add a command, write its module and
add it to the table.
"""

from __future__ import annotations

from types import ModuleType

from kanon_tui.commands import (
    algorithms,
    attack,
    check,
    demo,
    explain,
    hierarchy,
    levels,
    partition,
    run,
    serve,
    simulate,
    sweep,
)

__all__ = ["COMMANDS"]

COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "sweep": sweep,
    "check": check,
    "levels": levels,
    "explain": explain,
    "simulate": simulate,
    "attack": attack,
    "partition": partition,
    "hierarchy": hierarchy,
    "algorithms": algorithms,
    "demo": demo,
    "serve": serve,
}
