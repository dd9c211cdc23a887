"""docs/commands.md and the manual page docs/kanon-tui.1, made from the parser of the command line.

python -m docs.make_commands    writes both anew; a test compares them with the parser
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kanon_tui.cli import make_parser

HERE = Path(__file__).parent
MARKDOWN = HERE / "commands.md"
MANUAL = HERE / "kanon-tui.1"


@dataclass(frozen=True)
class Argument:
    """An argument as it is typed, and what it means."""

    typed: str
    meaning: str


@dataclass(frozen=True)
class Command:
    """A command with its arguments, those that must be given first."""

    name: str
    description: str
    required: tuple[Argument, ...]
    optional: tuple[Argument, ...]

    @property
    def usage(self) -> str:
        """The command as it is typed, with all arguments that are no options."""
        if self.name == "kanon-tui":
            return "kanon-tui [--no-mouse] [FILE]\nkanon-tui COMMAND …"
        typed = [argument.typed.rpartition(", ")[2] for argument in self.required]
        typed += [f"[{each.typed}]" for each in self.optional if not each.typed.startswith("-")]
        more = ["[OPTION …]"] if any(each.typed.startswith("-") for each in self.optional) else []
        return " ".join([self.name, *typed, *more])


def commands(parser: argparse.ArgumentParser, name: str = "kanon-tui") -> Iterator[Command]:
    """Every command of a parser, those of its commands in their place."""
    required: list[Argument] = []
    optional: list[Argument] = []
    below: list[Command] = []
    for action in parser.actions:
        if isinstance(action.choices, dict):
            for word, command in action.choices.items():
                below += commands(command, f"{name} {word}")
        elif "--help" not in action.option_strings:
            argument = Argument(_typed(action), _meaning(action))
            may_miss = action.option_strings or action.nargs in ("?", "*")
            must = action.required if action.option_strings else not may_miss
            (required if must else optional).append(argument)
    if not below or name == "kanon-tui":
        yield Command(name, (parser.description or "").strip(), tuple(required), tuple(optional))
    yield from below


def markdown() -> str:
    """The page of commands."""
    lines = [
        "# Commands",
        "",
        "This page lists every command with its arguments; defaults are in brackets.",
        "`kanon-tui COMMAND --help` and `man kanon-tui` show the same.",
        "[Project file](reference.md) lists the keys of a project, [pipelines](pipelines.md) has",
        "examples. Files are written whole or not at all, and an existing file is kept unless",
        "`--force` is given.",
        "",
        "| exit code | meaning |",
        "|---|---|",
        *(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()),
    ]
    for command in commands(make_parser()):
        first, _, rest = command.description.partition("\n\n")
        lines += ["", f"## {command.name}", "", "```text", command.usage, "```", "", _line(first)]
        for part in _parts(rest):
            lines += ["", "```text", part, "```"] if "   " in part else ["", _line(part)]
        arguments = [*command.required, *command.optional]
        if arguments:
            lines += ["", "| argument | meaning |", "|---|---|"]
            lines += [f"| `{_cell(a.typed)}` | {_cell(a.meaning)} |" for a in arguments]
    return "\n".join(lines) + "\n"


def manual() -> str:
    """The manual page, in the language of man."""
    roff = _roff
    lines = [
        '.TH KANON-TUI 1 "" "kanon-tui" "User Commands"',
        ".SH NAME",
        r"kanon\-tui \- a terminal application that k\-anonymises microdata",
        ".SH SYNOPSIS",
        r".B kanon\-tui",
        r"[\-\-no\-mouse] [FILE]",
        ".br",
        r".B kanon\-tui",
        "COMMAND ...",
    ]
    for command in commands(make_parser()):
        title = ".SH DESCRIPTION" if command.name == "kanon-tui" else f'.SS "{roff(command.usage)}"'
        if command.name == "kanon-tui run":
            lines.append(".SH COMMANDS")
        first, _, rest = command.description.partition("\n\n")
        lines += [title, roff(_line(first))]
        for part in _parts(rest):
            as_it_is = [".nf", roff(part), ".fi"]
            lines += [".PP", *(as_it_is if "   " in part else [roff(_line(part))])]
        for argument in (*command.required, *command.optional):
            lines += [".TP", f".B {roff(argument.typed)}", roff(argument.meaning)]
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES.items():
        lines += [".TP", f".B {code}", roff(meaning)]
    return "\n".join(lines) + "\n"


EXIT_CODES = {
    "0": "done",
    "1": "the required privacy is not reached, or no release was found",
    "2": "bad input or usage, with one sentence on standard error",
    "3": "a scheduler, database or disk failed",
    "70": "a mistake in Kanon itself; KANON_DEBUG=1 shows where",
    "130, 143, 129": "interrupted by Ctrl-C, by a request to end, by a closed terminal; "
    "nothing half-written remains",
}


def _typed(action: argparse.Action) -> str:
    value = action.metavar or (
        "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
    )
    if not action.option_strings:
        return str(value)
    takes_value = action.nargs != 0
    return ", ".join(action.option_strings) + (f" {value}" if takes_value else "")


def _meaning(action: argparse.Action) -> str:
    meaning = _line((action.help or "").replace("%(default)s", str(action.default)))
    if action.choices and action.metavar and not any(str(c) in meaning for c in action.choices):
        meaning += f" ({', '.join(map(str, action.choices))})"
    return meaning.replace("%%", "%")


def _parts(description: str) -> list[str]:
    """The paragraphs of a description; what is indented keeps its lines."""
    return [part for part in description.split("\n\n") if part]


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _line(text: str) -> str:
    return " ".join(text.split())


def _roff(text: str) -> str:
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.MULTILINE)


PAGES: dict[Path, Callable[[], str]] = {MARKDOWN: markdown, MANUAL: manual}

if __name__ == "__main__":
    for path, page in PAGES.items():
        path.write_text(page(), encoding="utf-8")
