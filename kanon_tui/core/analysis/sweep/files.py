"""A sweep as a file: CSV and JSON for programs, SVG for papers and slides."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from kanon_tui.core.analysis.sweep.sweep import SweepPoint
from kanon_tui.core.errors import InputError
from kanon_tui.core.text import json_text

__all__ = ["SWEEP_ENDINGS", "sweep_text"]

SWEEP_ENDINGS = (".csv", ".json", ".svg")


def sweep_text(points: Sequence[SweepPoint], path: Path) -> str:
    """The points in the form that the ending of a file name asks for."""
    figures = [point.figures for point in points]
    match path.suffix.lower():
        case ".csv":
            text = io.StringIO()
            writer = csv.DictWriter(text, list(SweepPoint("", 1).figures), lineterminator="\n")
            writer.writeheader()
            writer.writerows(figures)
            return text.getvalue()
        case ".json":
            return json_text(figures) + "\n"
        case ".svg":
            from kanon_tui.core.analysis.sweep.svg import sweep_svg

            return sweep_svg(points)
    raise InputError(f"{path}: sweeps end in .csv, .json or .svg")
