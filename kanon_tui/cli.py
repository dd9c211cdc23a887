"""The command line: finds the command, and turns whatever happens into an exit code.

Exit codes
  0    done
  1    the required privacy is not reached, or no release was found
  2    bad input or usage
  3    a scheduler, database or disk failed
  70   a mistake in Kanon itself (`KANON_DEBUG=1` shows where)
  130  interrupted by Ctrl-C, 143 by a request to end, 129 by a closed terminal; nothing
       half-written remains

Errors are one sentence on stderr. Results go to stdout.
"""

import argparse
import errno
import gc
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from traceback import walk_tb
from typing import Any, NoReturn

from kanon_tui.commands import COMMANDS
from kanon_tui.commands.declarations import SHOW_VALUES, add_arguments, flag
from kanon_tui.commands.readers import a_file
from kanon_tui.core.errors import OUT_OF_MEMORY, InputError, KanonError, suggestion
from kanon_tui.core.optional import require
from kanon_tui.core.text import visible
from kanon_tui.core.version import __version__
from kanon_tui.signals import interrupted

DONE = 0
NOT_REACHED = 1
BAD_INPUT = 2
INFRASTRUCTURE = 3
MISTAKE_IN_KANON = 70
ENDED_BY_SIGNAL = 128
INTERRUPTED = ENDED_BY_SIGNAL + signal.SIGINT
NO_MOUSE = "--no-mouse"
_NEW_OBJECTS = 50_000
"""New objects after which Python collects garbage in a command, instead of 700: imports make none,
and collecting took a twentieth of a run."""
_LISTS_ALL = "completion"
"""The command that reads the arguments of all others."""
_OPTIONS = ("-h", "--help", "--version", NO_MOUSE, SHOW_VALUES)
_ERRORS = (flag(SHOW_VALUES, "quote values of the data in an error, which hides them otherwise"),)
"""What every command takes; `main` looks for it, as errors come from reading arguments, too."""


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):  # a stream that was replaced or closed
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = _dispatch(list(argv))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:  # raised by a library with its own signal handler
        return _fail(interrupted(), INTERRUPTED)
    except KanonError as error:
        sentence = error.with_values if SHOW_VALUES in argv else str(error)
        return _fail(sentence, error.exit_code)
    except MemoryError:
        return _fail(OUT_OF_MEMORY, INFRASTRUCTURE)
    except BrokenPipeError:  # the reader of our output has closed the pipe
        _discard_output()
        return DONE
    except OSError as error:  # errors of files are InputErrors: this is standard output
        _discard_output()
        why = "no space left" if error.errno == errno.ENOSPC else error.strerror or "it failed"
        return _fail(
            f"the output could not be written: {why}; nothing else was lost", INFRASTRUCTURE
        )
    except Exception as error:
        if os.environ.get("KANON_DEBUG"):
            raise
        return _fail(
            f"a mistake in Kanon: {type(error).__name__} in {_where(error)}; please report it "
            f"(KANON_DEBUG=1 shows the details)",
            MISTAKE_IN_KANON,
        )


def make_parser(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of these commands."""
    parser = _Parser(
        prog="kanon-tui",
        usage="kanon-tui [--no-mouse] [FILE]\n       kanon-tui COMMAND ...",
        description="Open FILE (a data file or a project) in the application, or run a command.",
        epilog="'kanon-tui COMMAND --help' explains a command. Exit codes: 0 done, 1 privacy not "
        "reached, 2 bad input or usage, 3 a scheduler, database or disk failed, 70 a mistake in "
        "Kanon, 130 interrupted (143, 129).",
        allow_abbrev=False,
    )
    parser.add_argument(
        NO_MOUSE,
        action="store_true",
        help="leave the mouse to the terminal, to select and copy text",
    )
    add_arguments(parser, _ERRORS)
    parser.add_argument("--version", action="version", version=f"kanon-tui {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", prog="kanon-tui", parser_class=_Parser, required=True
    )
    for name in names:
        declared = COMMANDS[name]
        text = declared.description()
        first = text.partition("\n")[0].removesuffix(".")
        command = commands.add_parser(
            name, help=first[:1].lower() + first[1:], description=_wrapped(text),
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.set_defaults(
            execute=declared.execute,
            parser=command,
            whole_parser=parser,
            open_application=open_application,
        )
        add_arguments(command, (*declared.arguments, *_ERRORS))
        if declared.parts:
            words = "|".join(declared.parts)
            parts = command.add_subparsers(metavar=words, dest="part", required=True)
            for word, (help, arguments) in declared.parts.items():
                text = f"{help[:1].upper()}{help[1:]}."
                part = parts.add_parser(word, help=help, description=text, allow_abbrev=False)
                part.set_defaults(parser=part)
                add_arguments(part, (*arguments, *_ERRORS))
    return parser


def _wrapped(text: str) -> str:
    """Return paragraphs in lines of at most 79 characters; aligned lines stay as they are."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(p if "   " in p else fill(p, 79) for p in paragraphs)


class _Parser(argparse.ArgumentParser):
    """A parser that raises errors as one sentence and leaves the exit to `main`."""

    def __init__(self, **settings: Any) -> None:
        self.actions: list[argparse.Action] = []
        """What it reads, in the order of its arguments; commands are one action."""
        super().__init__(**settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an argument and list its action."""
        self.actions.append(super().add_argument(*names, **settings))
        return self.actions[-1]

    def add_subparsers(self, **settings: Any) -> Any:
        """Add commands and list their action, whose choices are the parsers of the commands."""
        self.actions.append(super().add_subparsers(**settings))
        return self.actions[-1]

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see '{self.prog} --help'")


def _dispatch(argv: list[str]) -> int:
    words = [word for word in argv if word != NO_MOUSE]
    mouse = len(words) == len(argv)
    if not words:
        return open_application(None, mouse=mouse)
    if argv[0].startswith("-") and argv[0] not in _OPTIONS:
        raise InputError(f"unknown option '{argv[0]}'; {suggestion(argv[0], _OPTIONS)}")
    if words[0] not in _OPTIONS and words[0] not in COMMANDS:
        return _open(words, mouse)
    if argv[0] == NO_MOUSE:
        raise InputError(
            f"{NO_MOUSE} is for the application: 'kanon-tui {NO_MOUSE} FILE', or after 'demo'"
        )
    gc.set_threshold(_NEW_OBJECTS)
    is_alone = words[0] in COMMANDS and words[0] != _LISTS_ALL
    parser = make_parser([words[0]] if is_alone else COMMANDS)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        options = [o for action in args.parser.actions for o in action.option_strings]
        word = unknown[0].partition("=")[0]
        hint = suggestion(word, options) if word.startswith("-") else "it takes no further argument"
        command = args.parser.prog.removeprefix("kanon-tui ")
        raise InputError(f"{command}: unknown argument '{word}'; {hint}")
    code: int = args.execute(args)
    return code


def _open(argv: list[str], mouse: bool) -> int:
    """Open the file that the first word names, since it is no command."""
    try:
        path = a_file(argv[0])
    except argparse.ArgumentTypeError as error:
        raise InputError(str(error)) from None
    if not os.path.exists(path):
        from kanon_tui.core.analysis.registry import ANALYSES

        if argv[0] in ANALYSES.broken:
            raise InputError(ANALYSES.broken[argv[0]])
        hint = suggestion(argv[0], COMMANDS)
        if not path.suffix and path.parent == Path() and hint.startswith("did"):
            raise InputError(f"there is no command '{argv[0]}' and no such file; {hint}")
        raise InputError(f"{argv[0]} does not exist; name a data file, a project or a command")
    if len(argv) > 1:
        raise InputError(f"unknown argument '{argv[1]}'; the application opens one file")
    return open_application(path, mouse=mouse)


def open_application(file: Path | None, *, mouse: bool = True, present: bool = False) -> int:
    """Open the application on a terminal. Commands get this function: they import no screens."""
    if "TEXTUAL_DRIVER" not in os.environ:  # set for a session in a browser
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InputError(
                "the application needs a terminal; 'kanon-tui run PROJECT' works without one"
            )
        if os.environ.get("TERM") == "dumb":
            raise InputError(
                "the application cannot draw on this terminal (TERM is 'dumb'); open it in another "
                "one, or use 'kanon-tui run PROJECT', which prints lines"
            )
    for module in ("textual", "rich"):
        require(module, "the application", instead="use commands such as 'kanon-tui run'")
    from kanon_tui.app import launch

    more = {"present": True} if present else {}
    code = launch(file, mouse=mouse, **more)
    if code > ENDED_BY_SIGNAL:
        return _fail("interrupted; unsaved changes are kept and offered at the next start", code)
    return MISTAKE_IN_KANON if code else DONE


def _discard_output() -> None:
    """Discard all further output, also what is left of it when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(sentence: str, code: int) -> int:
    with suppress(OSError):
        print("kanon-tui:", visible(" ".join(sentence.split())), file=sys.stderr)
    return code


def _where(error: BaseException) -> str:
    """Return the innermost place in our own code; never a value from the data."""
    ours = [
        f"{name}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if (name := frame.f_globals.get("__name__", "")).startswith("kanon_tui")
    ]
    return ours[-1] if ours else "the program"
