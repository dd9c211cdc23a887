"""Atomic writing: files are written whole or not at all, several of them all or none.

Content is first written to another file in the same folder, readable by its owner alone. All files
of a set are flushed to the disk; only then are they renamed, one after the other. If anything
fails, such as a full disk or Ctrl-C, the old files stay and nothing half-written remains: files
that were renamed already are restored.

    with written_aside(path) as file:
        file.write(b"...")

    with written_together((release, report)) as (first, second):
        ...
"""

import errno
import glob
import os
import platform
import re
import secrets
import shutil
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.processes.interruption import runs, unfinished, uninterrupted, written
from kanon_tui.core.reading import has_owners, is_ours
from kanon_tui.core.text import joined

_DISK_FAILURES = {
    errno.ENOSPC: "no space left on the disk",
    errno.EDQUOT: "no space left on the disk",
    errno.EFBIG: "the file would be larger than the disk or 'ulimit -f' allows",
    errno.EIO: "the disk failed",
}
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
_OWNER_ALONE = 0o600
_OWNER_ALONE_ENTERS = 0o700
_CHUNK = 1 << 20
_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
"""What tells folders of processes on this machine from those of others on a shared disk."""


def check_place(path: Path, force: bool) -> None:
    """Refuse a file that could not be written."""
    with writing_errors(path):
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file")
        if path.is_symlink() and not path.exists():
            raise InputError(
                f"{path} is a symbolic link to a file that does not exist; remove the link, or "
                "name the file itself"
            )
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not an ordinary file; name one that can be replaced")
        if path.exists() and not force:
            raise InputError(_exists_message(path))
    check_folder(path)


def check_folder(path: Path) -> None:
    """Refuse a file or folder whose own folder is missing or cannot be written to."""
    folder = path.parent
    with writing_errors(path):
        if not folder.is_dir():
            raise InputError(f"{path}: the folder {folder} does not exist; create it first")
        if not os.access(folder, os.W_OK):
            raise InputError(f"{path}: the folder {folder} cannot be written to; choose another")


@contextmanager
def written_aside(path: Path, force: bool = False, private: bool = False) -> Iterator[IO[bytes]]:
    """Yield a binary file that takes the name `path` when the block ends without an error."""
    with written_together((path,), force, private) as files:
        yield files[0]


@contextmanager
def written_together(
    paths: Sequence[Path],
    force: bool = False,
    private: bool | Collection[Path] = False,
    finished: Mapping[Path, Path] | None = None,
) -> Iterator[list[IO[bytes]]]:
    """Yield binary files that take their names, in this order, when the block ends: all or none.

    With `private`, all or those named, they are readable by their owner alone; otherwise a new file
    has the usual permissions and one that replaces another has those of the other. `finished` has
    the files that are written already, aside, by the name that they will take.
    """
    for path in paths:
        check_place(path, force)
    private_paths = (paths if private else ()) if isinstance(private, bool) else private
    pending = [_PendingFile(p, force, p in private_paths, (finished or {}).get(p)) for p in paths]
    if len({aside.target for aside in pending}) < len(pending):
        raise InputError(f"{joined([str(path) for path in paths])} are one file; name two")
    try:
        with writing_errors(joined(list(map(str, paths)))):
            for aside in pending:
                aside.open()
            yield [aside.file for aside in pending]
            for aside in pending:
                aside.finish()
            with uninterrupted():
                _take_names(pending)
    finally:
        with uninterrupted():
            for aside in pending:
                aside.remove()


def filled_by_path(file: IO[bytes], path: Path, write: Callable[[Path], object]) -> None:
    """Fill an open file of a set by a library that writes to names only.

    It writes into a folder that nobody else may enter, beside the file `path` that is to be.
    """
    with work_folder(path) as folder:
        place = folder / f"table{path.suffix.lower()}"
        write(place)
        with place.open("rb") as made:
            shutil.copyfileobj(made, file, _CHUNK)


@contextmanager
def work_folder(beside: Path | None) -> Iterator[Path]:
    """Yield a folder for its owner alone, which is removed after the block.

    It lies beside the file or folder that is to be written; without one among temporary files.
    """
    place = Path(os.path.realpath(beside or Path(tempfile.gettempdir()) / "kanon"))
    start = f".{place.name[:60]}.{_MACHINE}-"
    _remove_leftovers(place.parent, start)
    folder = place.with_name(f"{start}{os.getpid()}-{secrets.token_hex(4)}.part")
    unfinished.add(folder)
    try:
        with writing_errors(folder):
            folder.mkdir(_OWNER_ALONE_ENTERS)
        with writing_errors(beside or folder, others=False):
            yield folder
    finally:
        with uninterrupted():
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.discard(folder)


def _remove_leftovers(parent: Path, start: str) -> None:
    """Remove our work folders whose processes were killed; of other machines nothing is known."""
    with suppress(OSError):
        for folder in parent.glob(f"{glob.escape(start)}*.part"):
            number = folder.name.removeprefix(start).partition("-")[0]
            if number.isdigit() and is_ours(folder.stat()) and not runs(int(number)):
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def writing_errors(path: Path | str, others: bool = True) -> Iterator[None]:
    """Turn errors of the system into a sentence about a file that could not be written.

    Without `others` only a full or failing disk is meant, and other errors pass.
    """
    try:
        yield
    except Exception as error:
        number = _system_error(error)
        if number in _DISK_FAILURES:
            raise disk_failure(path, _DISK_FAILURES[number]) from error
        if not others or (number is None and not isinstance(error, OSError)):
            raise
        why = os.strerror(number) if number else str(error) or type(error).__name__
        raise InputError(f"{path}: could not be written: {why}") from error


def disk_failure(path: Path | str, why: str = "the disk is full or fails") -> InfrastructureError:
    """Return the error of a file that the disk did not take."""
    return InfrastructureError(
        f"{path}: could not be written: {why}; make room or name another place"
    )


def _system_error(error: Exception) -> int | None:
    """Return the number of an error of the system, which some libraries wrap; None for others."""
    wrapped = re.search(r"\(os error (\d+)\)", str(error))  # Polars has many classes for them
    if wrapped is not None:
        return int(wrapped[1])
    if not isinstance(error, OSError):
        return None
    numpy = re.search(r"\d+ requested and \d+ written", str(error))
    return errno.ENOSPC if numpy else error.errno


def _take_names(pending: "Sequence[_PendingFile]") -> None:
    try:
        for aside in pending:
            if aside is not pending[-1]:  # after the last one takes its name nothing can fail
                aside.keep_old()
            aside.take_name()
    except BaseException:
        for aside in reversed(pending):
            aside.undo()
        raise
    for aside in pending:
        aside.forget_old()
    for folder in {aside.target.parent for aside in pending}:
        _flush_folder(folder)


class _PendingFile:
    """One file of a set, written under another name until it takes its own."""

    file: IO[bytes]

    def __init__(
        self, path: Path, force: bool, private: bool, finished: Path | None = None
    ) -> None:
        self.force = force
        self.private = private
        self.target = Path(os.path.realpath(path))  # a symbolic link stays; its target is replaced
        start = f".{self.target.name[:60]}"
        end = secrets.token_hex(4)
        self.aside = finished or self.target.with_name(f"{start}.{end}.part")
        self.finished = finished is not None
        self.old = self.target.with_name(f"{start}.{end}.old")
        self.keeps_old = self.named = False

    def open(self) -> None:
        unfinished.add(self.aside)
        if self.finished:
            self.file = open(self.aside, "r+b")  # noqa: SIM115
            return
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_BINARY", 0)
        self.file = open(  # noqa: SIM115
            self.aside, "wb", opener=lambda path, _: os.open(path, flags, _OWNER_ALONE)
        )

    def finish(self) -> None:
        """Flush the file to the disk with the permissions it will have."""
        self.file.flush()
        if not self.private:
            _take_permissions(self.file.fileno(), self.target)
        os.fsync(self.file.fileno())
        self.file.close()

    def keep_old(self) -> None:
        """Give the file that is replaced a second name until the new one is in its place."""
        if not self.force or not self.target.exists():
            return
        try:
            os.link(self.target, self.old)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.rename(self.target, self.old)
        self.keeps_old = True

    def take_name(self) -> None:
        """Rename; without `force` a file that appeared meanwhile is kept."""
        if self.force:
            os.replace(self.aside, self.target)
        else:
            try:
                os.link(self.aside, self.target)  # unlike a rename, it fails if the name is taken
            except FileExistsError:
                raise InputError(_exists_message(self.target)) from None
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                if self.target.exists():  # a file system without hard links: check just before
                    raise InputError(_exists_message(self.target)) from None
                os.replace(self.aside, self.target)
        self.named = True
        if not self.private:
            written.append(self.target)

    def undo(self) -> None:
        """Undo `take_name`: restore the old file under its name, or remove the new one."""
        if self.keeps_old and (self.named or not self.target.exists()):
            os.replace(self.old, self.target)
        elif self.keeps_old:
            self.old.unlink(missing_ok=True)
        elif self.named:
            self.target.unlink(missing_ok=True)
        if self.named and self.target in written:
            written.remove(self.target)
        self.keeps_old = self.named = False

    def forget_old(self) -> None:
        if self.keeps_old:
            with suppress(OSError):
                self.old.unlink(missing_ok=True)

    def remove(self) -> None:
        """Close and remove the file under its other name, if it is still there."""
        with suppress(OSError, AttributeError):  # closing flushes, and may fail again
            self.file.close()
        with suppress(OSError):
            self.aside.unlink(missing_ok=True)
        unfinished.discard(self.aside)


def _take_permissions(descriptor: int, target: Path) -> None:
    """Set the permissions of the replaced file, or the usual ones; never wider than the old.

    Where the group cannot be the old one's, the rights of the group are left out: they were meant
    for other people. A system without such permissions has given the file those of its folder.
    """
    if not has_owners():
        return
    try:
        old = target.stat()
    except FileNotFoundError:
        os.fchmod(descriptor, usual_mode(0o666))
        return
    mode = old.st_mode & 0o777
    if os.fstat(descriptor).st_gid != old.st_gid:
        try:
            os.fchown(descriptor, -1, old.st_gid)
        except OSError:
            mode &= ~0o070
    if os.fstat(descriptor).st_uid != old.st_uid:
        with suppress(OSError):
            os.fchown(descriptor, old.st_uid, -1)
    os.fchmod(descriptor, mode)


def usual_mode(most: int) -> int:
    """Return the permissions of a new file or folder that may have at most these."""
    mask = os.umask(0o077)
    os.umask(mask)
    return most & ~mask


def _flush_folder(folder: Path) -> None:
    """Flush a folder, so that the new name itself survives a crash, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _exists_message(path: Path) -> str:
    return f"{path} exists and is kept; use --force to replace it or name another file"
