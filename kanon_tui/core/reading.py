"""Reading the bytes of a file, never more than fit into memory.

A file can be endless (a pipe, a device), a pipe can have nobody who writes into it, and a small
compressed file can hold more than the machine. `read_bytes` reads at most so many bytes and says so
in one sentence; `usual_limit` is how much text this machine can take.
"""

import errno
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from pathlib import Path

from kanon_tui.core.errors import InputError

DOCUMENT_LIMIT = 128_000_000
"""The most bytes of a project or hierarchy file, which takes fifty times as much in memory."""
PATIENCE_WITH_PIPES = 20.0
"""Seconds to wait until another process writes into a pipe."""
_CHUNK = 1 << 20
_SHARE = 4
"""The memory of a table while it is read, in multiples of the size of its text."""
_LEAST = 64_000_000


def has_owners() -> bool:
    """Return whether files of this system have owners and permissions, as on Linux and macOS."""
    return hasattr(os, "geteuid")


def is_ours(status: os.stat_result) -> bool:
    """Return whether a file belongs to the user of this process; all do where files have none."""
    return not has_owners() or status.st_uid == os.geteuid()


def usual_limit() -> int:
    """Return the most bytes of text this machine can take: a quarter of the usable memory."""
    return max(_LEAST, memory() // _SHARE)


def memory() -> int:
    """Return the bytes of memory that this process may use."""
    found = [1 << 40]
    with suppress(ValueError, OSError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # the limit of a container; "max" means none
            found.append(int(Path(file).read_text(encoding="ascii")))
    with suppress(ImportError):
        import resource

        limits = (
            resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)
        )
        found += [limit for limit in limits if limit != resource.RLIM_INFINITY]
    return min(found)


def bounded_bytes(pieces: Iterable[bytes], limit: int, too_large: InputError) -> bytes:
    """Return all pieces as one; raise `too_large` as soon as there are more than `limit` bytes."""
    collected = BytesIO()
    for piece in pieces:
        collected.write(piece)
        if collected.tell() > limit:
            raise too_large
    return collected.getvalue()


@contextmanager
def reading_errors(path: Path, what: str = "data file") -> Iterator[None]:
    """Turn errors of reading a file into an `InputError` with one sentence; `what` is its kind."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path of the {what}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name a {what} in it") from None
    except PermissionError:
        raise InputError(f"{path} may not be read; change its permissions") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path.name}: line {line:,} is not UTF-8; save the {what} as UTF-8"
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a usable path"
        raise InputError(f"{path} cannot be read: {why}; check the {what}") from None


def read_bytes(path: Path, limit: int, too_large: InputError) -> bytes:
    """Return all bytes of a file, pipe or device; raise `too_large` if there are more than `limit`.

    Other obstacles are an `OSError`, or an `InputError` for a pipe into which nobody writes.
    """
    kind = os.stat(path).st_mode
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISSOCK(kind):
        raise OSError(errno.ENXIO, "it is a socket")
    descriptor = open_pipe(path) if stat.S_ISFIFO(kind) else os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        if stat.S_ISREG(kind) and os.fstat(descriptor).st_size > limit:
            raise too_large
        return bounded_bytes(iter(partial(file.read, _CHUNK), b""), limit, too_large)


def read_document(path: Path, what: str) -> bytes:
    """Return the bytes of a project, hierarchy or mapping; `what` names its kind in messages."""
    too_large = InputError(
        f"{path}: the {what} has more than {size_text(DOCUMENT_LIMIT)}; name a {what}, not data, "
        "or leave out values that the data does not have"
    )
    with reading_errors(path, f"{what} file"):
        return read_bytes(path, DOCUMENT_LIMIT, too_large)


_FLAGS = os.O_RDONLY
for _name in ("O_CLOEXEC", "O_NOCTTY", "O_BINARY"):  # each of some systems
    _FLAGS |= getattr(os, _name, 0)


def open_pipe(path: Path) -> int:
    """Return the number of a pipe, opened as soon as another process has opened its other end."""
    opened: list[int] = []
    abandoned = threading.Event()

    def wait() -> None:
        with suppress(OSError):
            descriptor = os.open(path, _FLAGS)
            opened.append(descriptor)
            if abandoned.is_set():
                os.close(descriptor)

    opening = threading.Thread(target=wait, daemon=True)
    opening.start()
    opening.join(PATIENCE_WITH_PIPES)
    if opened:
        return opened[0]
    abandoned.set()
    with suppress(OSError):  # open the other end for a moment, which lets the thread end
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    raise InputError(
        f"{path} is a pipe into which nothing was written for {PATIENCE_WITH_PIPES:g} seconds; "
        "start what writes into it, or name a file"
    )


def size_text(size: int) -> str:
    """Return a size for people: `4GB`, `1.5MB`, `900 bytes`."""
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g}{name}"
    return f"{size} bytes"
