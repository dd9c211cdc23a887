"""Several files take their names together or not at all, whatever fails on the way."""

from __future__ import annotations

import errno
import getpass
import os
import platform
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.processes.interruption import unfinished, written
from kanon_tui.core.table.atomic_files import work_folder, written_aside, written_together
from kanon_tui.core.table.pseudonyms import KeyFile
from kanon_tui.core.table.writing import (
    check_target,
    put_table,
    write_private,
    write_table,
    write_text,
)

STEPS = ("open", "fdopen", "fsync", "fchmod", "fchown", "fstat", "link", "rename", "replace")
"""The calls of the system that writing consists of."""
NO_LINKS = OSError(errno.EPERM, "Operation not permitted")


def write_both(folder: Path, force: bool) -> None:
    with written_together((folder / "release", folder / "report"), force) as (release, report):
        release.write(b"new release")
        report.write(b"new report")


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def each_call_fails(
    monkeypatch: pytest.MonkeyPatch, failing: int, failure: BaseException, links: bool
) -> list[str]:
    """Lets the call with this number fail; gives the names of all that were made."""
    made: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            made.append(name)
            if len(made) == failing:
                raise failure
            if name == "link" and not links:
                raise NO_LINKS
            return real(*args, **more)

        return call

    for name in STEPS:
        monkeypatch.setattr(os, name, counted(name, getattr(os, name)))
    return made


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("before", [{}, {"release": "old"}, {"release": "old", "report": "old"}])
@pytest.mark.parametrize("failure", [OSError(errno.EIO, "broken"), KeyboardInterrupt()])
def test_both_or_neither_at_every_step(
    failure: BaseException, before: dict[str, str], links: bool, tmp_path: Path
) -> None:
    after = {"release": "new release", "report": "new report"}
    for number in count(1):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in before.items():
            (folder / name).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            made = each_call_fails(patch, number, failure, links)
            possible = [after]
            try:
                write_both(folder, force=bool(before))
            except InfrastructureError:
                possible = [before]
            except KeyboardInterrupt:  # while the folder is flushed, both have their names
                possible = [before, after]
        assert contents(folder) in possible, f"call {number} of {made}"
        if len(made) < number:
            break
    assert len(made) > 8
    assert not [path for path in unfinished if path.is_relative_to(tmp_path)]


def test_a_signal_between_the_names_waits_until_both_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def signalled(source: Any, target: Any) -> None:
        signal.raise_signal(signal.SIGINT)  # os.kill may reach another thread, and late
        real(source, target)

    monkeypatch.setattr(os, "replace", signalled)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            write_both(tmp_path, force=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert contents(tmp_path) == {"release": "new release", "report": "new report"}
    assert written[-2:] == [tmp_path / "release", tmp_path / "report"]


def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "release").write_text("old")
    (tmp_path / "report").symlink_to("release")
    with pytest.raises(InputError, match="are one file; name two"):
        write_both(tmp_path, force=True)
    assert contents(tmp_path) == {"release": "old", "report": "old"}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_aside_is_never_wider_than_what_it_replaces(mode: int, tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("secret")
    target.chmod(mode)
    with written_aside(target, force=True) as file:
        file.write(b"new")
        file.flush()
        (aside,) = (path for path in tmp_path.iterdir() if path != target)
        assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_rights_of_a_group_that_cannot_be_kept_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.csv"
    target.write_text("secret")
    target.chmod(0o660)
    real = os.fstat

    def another_group(descriptor: int) -> os.stat_result:
        found = list(real(descriptor))
        found[stat.ST_GID] += 1
        return os.stat_result(found)

    def refused(*args: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fstat", another_group)
    monkeypatch.setattr(os, "fchown", refused)
    write_text(target, "new", force=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_private_file_is_its_owners_alone(tmp_path: Path) -> None:
    (tmp_path / "wide").write_text("")
    (tmp_path / "wide").chmod(0o644)
    for name in ("new", "wide"):
        write_private(tmp_path / name, "x", force=True)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_no_space_left_is_said(ending: str, tmp_path: Path) -> None:
    """Polars writes past Python's file and has errors of its own for what the system says."""
    table = pl.DataFrame({"a": [str(number) for number in range(100_000)]})
    path = tmp_path / f"a{ending}"

    def attempt() -> None:
        with written_aside(path), open("/dev/full", "wb") as full:
            put_table(table, full, path)

    with pytest.raises(InfrastructureError, match="no space left on the disk; make room"):
        attempt()
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError("200000 requested and 1024 written"),  # NumPy
        pl.exceptions.ComputeError("No space left on device (os error 28)"),
    ],
)
def test_a_disk_that_fills_up_during_a_run_is_said(error: Exception, tmp_path: Path) -> None:
    def attempt() -> None:
        with work_folder(tmp_path / "release.csv") as folder:
            (folder / "rows").write_bytes(b"x")
            raise error

    with pytest.raises(InfrastructureError, match=r"release\.csv: .* no space left on the disk"):
        attempt()
    assert not os.listdir(tmp_path)


def test_folders_of_killed_runs_are_removed_by_the_next(tmp_path: Path) -> None:
    script = (
        "import os, signal; from pathlib import Path; "
        "from kanon_tui.core.table.atomic_files import work_folder\n"
        f"with work_folder(Path({str(tmp_path / 'release.csv')!r})) as folder:\n"
        "    (folder / 'rows').write_text('secret'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    (left,) = os.listdir(tmp_path)
    assert stat.S_IMODE((tmp_path / left).stat().st_mode) == 0o700
    (tmp_path / ".release.csv.other-1-2.part").mkdir()
    with work_folder(tmp_path / "release.csv") as mine, work_folder(tmp_path / "release.csv"):
        assert left not in os.listdir(tmp_path)
        assert mine.is_dir()  # its process lives
    assert os.listdir(tmp_path) == [".release.csv.other-1-2.part"]


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_permissions_under_a_loose_umask(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        with work_folder(tmp_path / "release.csv") as folder:
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with written_aside(tmp_path / "release.csv") as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        with written_aside(tmp_path / "private", private=True):
            pass
        key = KeyFile(tmp_path / "key")
        key.key()
        key.keep()
    finally:
        os.umask(before)
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    assert modes == {"release.csv": 0o666 & ~umask, "private": 0o600, "key": 0o600}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_a_key_of_another_user_is_refused(tmp_path: Path) -> None:
    key = KeyFile(tmp_path / "key")
    key.key()
    key.keep()
    os.chown(key.path, 12345, -1)
    with pytest.raises(InputError, match="belongs to another user"):
        key.key()


def test_files_tell_nothing_about_who_wrote_them(tmp_path: Path) -> None:
    """Metadata of Parquet files and workbooks: no user, machine, path or time."""
    table = pl.DataFrame({"a": ["x"]})
    for ending in (".parquet", ".xlsx"):
        for name in ("one", "two"):
            write_table(tmp_path / f"{name}{ending}", table)
        one, two = ((tmp_path / f"{name}{ending}").read_bytes() for name in ("one", "two"))
        assert one == two
    assert set(pl.read_parquet_metadata(tmp_path / "one.parquet")) <= {"ARROW:schema"}
    with zipfile.ZipFile(tmp_path / "one.xlsx") as book:
        told = b"".join(map(book.read, book.namelist())).decode()
    for secret in (getpass.getuser(), platform.node(), str(tmp_path)):
        assert f">{secret}<" not in told


@pytest.mark.parametrize("other_name", ["same", "symlink", "hard link", "link to the folder"])
def test_an_input_is_not_replaced_by_whatever_name(other_name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    data = tmp_path / "in" / "d.csv"
    data.write_text("a\n1\n")
    target = tmp_path / "t.csv"
    if other_name == "same":
        target = tmp_path / "in" / ".." / "in" / "d.csv"
    elif other_name == "symlink":
        target.symlink_to(data)
    elif other_name == "hard link":
        os.link(data, target)
    else:
        (tmp_path / "also").symlink_to("in")
        target = tmp_path / "also" / "d.csv"
    with pytest.raises(InputError, match="is read by this run"):
        check_target(target, (".csv",), force=True, inputs=[data])


def test_a_link_to_nothing_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "r.csv").symlink_to(tmp_path / "elsewhere.csv")
    for force in (False, True):
        with pytest.raises(InputError, match="is a symbolic link to a file that does not exist"):
            write_text(tmp_path / "r.csv", "secret", force=force)
    assert os.listdir(tmp_path) == ["r.csv"]
