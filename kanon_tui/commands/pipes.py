"""Standard input, standard output and pipes between processes, as commands take them.

A pipe can be read once, and a table is read several times. So what comes out of a pipe is kept in a
file for its owner alone until the command ends. A release goes into a pipe when it has been
verified and written to such a file.
"""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kanon_tui.core.addresses import is_remote_file
from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import open_pipe, reading_errors
from kanon_tui.core.table.atomic_files import work_folder, writing_errors
from kanon_tui.core.table.formats import FORMATS

STANDARD = "-"
_NAMES_OF_INPUT = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_NAMES_OF_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def input_name(text: str) -> str:
    """Return `-` for standard input under any of its names; other names as they are."""
    return STANDARD if text in _NAMES_OF_INPUT else text


def output_name(text: str) -> str:
    """Return `-` for standard output under any of its names; other names as they are."""
    return STANDARD if text in _NAMES_OF_OUTPUT else text


def is_pipe(text: str) -> bool:
    """Return whether a name is that of standard input or output, or of a pipe, like `<(…)`."""
    if text == STANDARD:
        return True
    try:
        return Path(text).is_fifo()
    except (OSError, ValueError):  # a name that is too long is refused where it is opened
        return False


@contextmanager
def received(text: str, format: str | None = None) -> Iterator[Path]:
    """Yield the file that an argument names; of a pipe one with what comes out of it.

    `format` names the format of a pipe whose bytes do not tell it.
    """
    text = input_name(text)
    if is_remote_file(text):
        from kanon_tui.commands.remote import fetch

        with work_folder(None) as folder:
            yield fetch(text, folder)
        return
    if not is_pipe(text):
        if format is not None:
            raise InputError(
                f"--format says what a pipe holds, and {text} is a file, which is known by its "
                "bytes and its name; rename it, or pipe it in: cat FILE | kanon-tui …"
            )
        yield Path(text)
        return
    with work_folder(None) as folder:
        name = "stdin" if text == STANDARD else "pipe"
        path = folder / f"{name}{_ending(format)}"
        with open(path, "wb") as file, writing_errors(path, others=False):
            if text == STANDARD:
                if sys.stdin is None:
                    raise InputError("standard input is closed; leave it open, or name a file")
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                pipe_path = Path(text)
                with reading_errors(pipe_path), os.fdopen(open_pipe(pipe_path), "rb") as pipe:
                    shutil.copyfileobj(pipe, file)
        yield path


def _ending(format: str | None) -> str:
    if format is None:
        return ""
    return next(
        ending for each in FORMATS for ending in each.endings if ending.removeprefix(".") == format
    )


def check_output_is_open() -> None:
    """Refuse to print a release where standard output was closed, as by `>&-`."""
    try:
        os.write(1, b"")
    except OSError as error:
        if error.errno != errno.EBADF:  # a full disk is said when the release is printed
            return
        raise InputError(
            "--out - prints the release, and standard output is closed; leave it open, or name a "
            "file"
        ) from None


def send(release: Path, text: str) -> None:
    """Copy a finished release to standard output, into a pipe or to another machine."""
    if is_remote_file(text):
        from kanon_tui.commands.remote import upload

        upload(release, text)
        return
    if text != STANDARD:
        with writing_errors(text), open(release, "rb") as file, open(text, "wb") as pipe:
            shutil.copyfileobj(file, pipe)
        return
    with writing_errors("standard output", others=False), open(release, "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.flush()
