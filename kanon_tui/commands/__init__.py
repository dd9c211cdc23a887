"""The commands: one small module each, with `HELP`, `ARGUMENTS` and `execute(args)`.

A module imports only the standard library, `commands.arguments`, `commands.output` and
`core.errors` at its top. What a command works with is imported when it is executed: `kanon-tui
--help` answers at once. To add a command, write its module and add its name to the list.

May import: `core` and `web`; never `screens`, `widgets` or `app`. The command line hands a command
`args.open_application` to open the application with.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_NAMES = (
    "run", "sweep", "check", "risk", "levels", "explain", "uniques", "simulate", "attack",
    "partition", "utility", "rerelease", "verify", "apply", "export-mapping", "hierarchy",
    "algorithms", "demo", "serve", "warmup", "completion",
)  # fmt: skip
COMMANDS: dict[str, ModuleType] = {
    name: import_module(f"{__name__}.{name.replace('-', '_')}") for name in _NAMES
}
"""The modules of the commands by name, in the order of the help page."""
