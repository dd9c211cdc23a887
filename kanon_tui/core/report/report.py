"""The report of a result: a mapping for programs, Markdown and HTML for people.

The mapping holds every figure under a stable name; what people read is told once, in
`report_story`, and only printed here and in `report_html`. No report holds a value of an
identifier.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_tui import __version__
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import parameters_of

if TYPE_CHECKING:
    from kanon_tui.core.metrics.privacy import Reached
    from kanon_tui.core.report.story import Bar, Section
    from kanon_tui.core.run.result import Result

__all__ = ["markdown", "report_dict", "report_text"]

VERSION = 1
"""Of the form of the report."""


def report_dict(result: Result) -> dict[str, Any]:
    """Every figure of a result as plain dicts, lists, numbers and texts; None where not defined.

    `records` are those the algorithm worked on, without the `dropped_missing` ones.
    """
    task, measures = result.task, result.measures
    privacy = measures.privacy
    report: dict[str, Any] = {
        "version": VERSION,
        "algorithm": result.algorithm.name,
        "params": {
            p.name: getattr(result.algorithm, p.name) for p in parameters_of(type(result.algorithm))
        },
        "k": task.k,
        "seed": task.seed,
        "seconds": round(result.seconds, 6),
        "versions": _versions(),
        "records": task.n,
        "dropped_missing": task.dropped_missing,
        "suppressed_records": measures.suppressed_records,
        "suppressed_cells": measures.suppressed_cells,
        "classes": measures.classes,
        "distinct_published": measures.distinct_published,
        "smallest_class": measures.smallest_class,
        "largest_class": measures.largest_class,
        "metrics": {
            name: getattr(measures, name)
            for name in (
                "ncp", "utility", "rv", "il", "dm", "cm", "c_avg", "md", "iloss", "precision"
            )
        },
        "attributes": {
            name: {
                "weight": attribute.weight,
                "ncp": attribute.ncp,
                "rv": attribute.rv,
                "level": attribute.level,
                "rules": [
                    {"rule": kept.rule, "importance": kept.importance, "kept": kept.kept}
                    for kept in attribute.rules
                ],
            }
            for name, attribute in measures.attributes.items()
        },
        "privacy": {
            name: getattr(privacy, name)
            for name in (
                "k", "l_distinct", "l_entropy", "t", "p", "alpha",
                "risk_max", "risk_mean", "violations",
            )
        },
        "search": result.grouping.search,
        "notes": list(result.notes),
    }  # fmt: skip
    if privacy.required:
        report["privacy"]["required"] = [_required(reached) for reached in privacy.required]
    plain: dict[str, Any] = _plain(report)
    return plain


def _required(reached: Reached) -> dict[str, Any]:
    """A requirement beyond k, and what the worst class has."""
    requirement = reached.requirement
    return {
        "model": requirement.model.value,
        "attribute": requirement.column.name,
        "bound": requirement.bound,
        "values": requirement.bounded,
        "reached": reached.figure,
    }


def report_text(result: Result, path: Path) -> str:
    """The report in the form that the ending of a file name asks for."""
    match path.suffix.lower():
        case ".json":
            return json.dumps(result.report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        case ".md":
            return markdown(result)
        case ".html":
            from kanon_tui.core.report.html import html

            return html(result)
    raise InputError(f"{path}: reports end in .json, .md or .html")


def _versions() -> dict[str, str]:
    """What the figures were computed with."""
    found = {"kanon_tui": __version__, "python": platform.python_version()}
    for package in ("polars", "numpy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # only where packages are bundled without their metadata
            found[package] = "unknown"
    return found


def _plain(value: Any) -> Any:
    """The same with nothing in it that JSON does not know."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str | None) else str(value)


# --- Markdown -----------------------------------------------------------------------------------


def markdown(result: Result) -> str:
    """The report for people, as Markdown."""
    from kanon_tui.core.report.story import story

    title, sections = story(result)
    parts = [f"# {_escaped(title)}"]
    for section in sections:
        parts.append(f"## {_escaped(section.title)}")
        parts.extend(_escaped(paragraph) for paragraph in section.paragraphs)
        if section.rows:
            parts.append(_table(section))
        if section.items:
            parts.append("\n".join(f"- {_escaped(item)}" for item in section.items))
        if section.command:
            parts.append(f"```\n{section.command}\n```")
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    lines = [
        "| " + " | ".join(_escaped(name) for name in section.columns) + " |",
        "|" + "---|" * len(section.columns),
    ]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in section.rows]
    return "\n".join(lines)


def _cell(cell: str | Bar) -> str:
    if isinstance(cell, str):
        return _escaped(cell)
    filled = round(cell.share * 10)
    return f"{'█' * filled}{'░' * (10 - filled)} {cell.text}"


_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_{}[]<>|#~"} | {"\n": " ", "\r": " "})


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)
