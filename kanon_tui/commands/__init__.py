"""The commands: one small module each, with `HELP`, `arguments(parser)` and `execute(args)`.

A module imports only the standard library, `commands.common` and `core.errors` at its top. What a
command works with is imported when it is executed: `kanon-tui --help` answers at once. To add a
command, write its module and add it to the table.

May import: `core` and `web`; never `screens`, `widgets` or `app`. The command line hands a command
`args.open_application` to open the application with.
"""

from __future__ import annotations

from types import ModuleType

from kanon_tui.commands import (
    algorithms,
    apply,
    attack,
    check,
    completion,
    demo,
    explain,
    hierarchy,
    levels,
    partition,
    rerelease,
    risk,
    run,
    serve,
    simulate,
    sweep,
    uniques,
    utility,
    warmup,
)

__all__ = ["COMMANDS"]

COMMANDS: dict[str, ModuleType] = {
    "run": run,
    "sweep": sweep,
    "check": check,
    "risk": risk,
    "levels": levels,
    "explain": explain,
    "uniques": uniques,
    "simulate": simulate,
    "attack": attack,
    "partition": partition,
    "utility": utility,
    "rerelease": rerelease,
    "apply": apply,
    "hierarchy": hierarchy,
    "algorithms": algorithms,
    "demo": demo,
    "serve": serve,
    "warmup": warmup,
    "completion": completion,
}
