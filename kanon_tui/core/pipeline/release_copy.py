"""A streamed release under another name: its proved files as they are, never re-encoded."""

from __future__ import annotations

import shutil

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.table.atomic_files import why_not_written, written_aside
from kanon_tui.core.table.target import Target, place_folder, work_folder

__all__ = ["copy_release"]

_CHUNK = 1 << 22


def copy_release(result: StreamedResult, target: Target, force: bool = False) -> None:
    """Copy the files aside, look whether they are still what was proved, and give them the name."""
    own = result.target
    if own is None:
        raise InputError("this release was not written; run again to write it")
    if (target.folder, target.ending) != (own.folder, own.ending):
        what = (
            f"a folder of {own.ending} parts" if own.folder else f"a file that ends in {own.ending}"
        )
        raise InputError(
            f"{target.path}: a streamed release is copied as it was proved; name {what}, or run "
            "again for another format"
        )
    target.check(force, [file.path for file in result.files])
    for file in result.files:
        file.check()
    if not own.folder:
        with written_aside(target.path, force) as aside, open(own.path, "rb") as proved:
            shutil.copyfileobj(proved, aside, _CHUNK)
            result.files[0].check()
        return
    with work_folder(target) as folder:
        parts = folder / "release"
        try:
            parts.mkdir(mode=0o700)
            for file in result.files:
                shutil.copyfile(file.path, parts / file.path.name)
        except OSError as error:
            raise InputError(why_not_written(target.path, error)) from None
        for file in result.files:
            file.check()
        place_folder(parts, target.path, force)
