"""The commands: one small module each, with `HELP`, `arguments(parser)` and `execute(args)`.

A module imports only the standard library at its top; what a command works with is imported when
it is executed, so that `kanon-tui --help` answers at once. To add a command, write its module and
add it to the table.
"""

from __future__ import annotations

from types import ModuleType

from kanon_tui.commands import algorithms, check, demo, hierarchy, levels, run

__all__ = ["COMMANDS"]

COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "check": check,
    "levels": levels,
    "hierarchy": hierarchy,
    "algorithms": algorithms,
    "demo": demo,
}
