"""The commands: `declarations` has their help and arguments, a module each what they do.

The module of a command has a function `execute(args)`, which returns the exit code unless it is 0.
It is imported when the command is executed: `kanon-tui --help` answers at once. The commands of
analyses follow from their declarations (`analysis`).

May import: `core` and `web`; never `screens`, `widgets` or `app`. The command line hands a command
`args.open_application` to open the application with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from kanon_tui.commands.declarations import WRITTEN, Command

if TYPE_CHECKING:
    from kanon_tui.commands.analysis import AnalysisCommand

_BEFORE_ANALYSES = "uniques"
"""The command after which the help page lists the analyses."""


class Commands(Mapping[str, "type[Command] | AnalysisCommand"]):
    """All commands by name, in the order of the help page.

    Analyses are declared elsewhere: they are imported when one of them is asked for, and those of
    other packages when all commands are listed or an unknown name is asked for.
    """

    @cached_property
    def _built_in(self) -> Mapping[str, AnalysisCommand]:
        from kanon_tui.core.analysis.registry import ANALYSES

        return self._commands_of(ANALYSES.built_in)

    @cached_property
    def _added(self) -> Mapping[str, AnalysisCommand]:
        """The commands of analyses of other packages."""
        from kanon_tui.core.analysis.registry import ANALYSES

        return self._commands_of(name for name in ANALYSES if name not in ANALYSES.built_in)

    def _commands_of(self, names: Iterable[str]) -> Mapping[str, AnalysisCommand]:
        from kanon_tui.commands.analysis import AnalysisCommand
        from kanon_tui.core.analysis.registry import ANALYSES

        commands = {}
        for name in names:
            word = ANALYSES[name].command_name()
            if word in WRITTEN:
                ANALYSES.broken[name] = (
                    f"analysis '{name}' has the command '{word}', which is used already; it needs "
                    "another one"
                )
            elif word is not None:
                commands[word] = AnalysisCommand(ANALYSES[name])
        return commands

    def __getitem__(self, name: str) -> type[Command] | AnalysisCommand:
        if name in WRITTEN:
            return WRITTEN[name]
        if name in self._built_in:
            return self._built_in[name]
        return self._added[name]

    def __iter__(self) -> Iterator[str]:
        for name in WRITTEN:
            yield name
            if name == _BEFORE_ANALYSES:
                yield from {**self._built_in, **self._added}

    def __len__(self) -> int:
        return len(WRITTEN) + len({**self._built_in, **self._added})


COMMANDS = Commands()
