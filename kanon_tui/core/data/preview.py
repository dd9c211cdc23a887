"""The beginning of a data file, read as the whole would be, fast enough to follow typing."""

from __future__ import annotations

import tempfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import replace
from pathlib import Path

from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.data.sniffing import load, to_utf8
from kanon_tui.core.data.table import Table, read_table

__all__ = ["preview_table"]

ENOUGH = 60_000
"""Bytes of text that are read for a preview."""


def preview_table(path: Path, options: ReadOptions) -> Table:
    """The first records of a file under these options; errors are those of `read_table`."""
    data, _, _ = load(path)
    if len(data) <= ENOUGH or data.startswith(b"PAR1"):
        return read_table(path, options)
    end = max(data.rfind(b"\n", 0, ENOUGH), data.rfind(b"\r", 0, ENOUGH)) + 1 or ENOUGH
    if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) or "16" in options.encoding:
        end += end % 2  # two bytes a sign
    text, _ = to_utf8(data[:end], options.encoding, path.name)
    with tempfile.TemporaryDirectory() as folder:
        aside = Path(folder) / path.with_suffix("").with_suffix(".csv").name
        aside.write_bytes(text)
        return read_table(aside, replace(options, encoding="utf-8"))
