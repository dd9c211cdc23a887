"""The files of a table: one, or the parts that a folder or a pattern names.

`parts/*.parquet` and a folder of parts name one table: its parts in the order of their names.
A file whose own name holds `*`, `?` or `[` is that file.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path

from kanon_tui.core.errors import InputError

__all__ = ["is_pattern", "name_beside", "part_files"]

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet")
_COMPRESSED = (".gz", ".zst", ".zstd")


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern of names, and no file or folder itself."""
    return glob.has_magic(str(path)) and not os.path.lexists(path)


def part_files(path: Path) -> tuple[Path, ...]:
    """The files that a path names, in the order of their names; itself where it is no folder.

    Of a folder these are its CSV, TSV and Parquet files, hidden ones (`.part`, `_SUCCESS`) left
    out; a pattern names whatever it matches.
    """
    try:
        if is_pattern(path):
            found = [Path(name) for name in glob.glob(str(path), recursive=True)]
            parts = [part for part in found if part.is_file()]
            if not parts:
                raise InputError(f"{path}: no file matches this pattern; check the path")
        elif path.is_dir():
            parts = [part for part in path.iterdir() if _is_part(part)]
            if not parts:
                raise InputError(
                    f"{path} is a directory without CSV, TSV or Parquet files; name a data file, "
                    "or a folder of parts"
                )
        else:
            return (path,)
    except PermissionError:
        raise InputError(f"{path} may not be read; change its permissions") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error})") from None
    return tuple(sorted(parts, key=str))


def name_beside(path: Path, ending: str) -> Path:
    """A name for a file beside the data: `census.yaml` for `census.csv`, `parts/` or `parts/*`."""
    if is_pattern(path):
        path = next(each for each in path.parents if not glob.has_magic(str(each)))
        path = path / path.resolve().name if path == Path() else path
    return path.with_suffix("").with_suffix(ending)


def _is_part(path: Path) -> bool:
    if path.name.startswith((".", "_")) or not path.is_file():
        return False
    name = Path(path.name.lower())
    return (Path(name.stem) if name.suffix in _COMPRESSED else name).suffix in _ENDINGS
