"""A result as a notebook shows it: a few records before and after, the figures, the class sizes.

The left side of the records is original data, and notebooks are saved and passed on. So only
quasi-identifiers stand there, never an identifier or what is sensitive, and a line says it.
"""

from __future__ import annotations

import html as markup
from collections import Counter
from collections.abc import Iterable

from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import figure
from kanon_tui.core.text import visible

__all__ = ["notebook_html"]

_RECORDS = 5
_SIZES = 12
"""The most bars of the class sizes; larger classes are counted together."""


def notebook_html(result: FinishedRun) -> str:
    """Return the result as HTML without scripts or styles, for a cell of a notebook."""
    measures = result.measures
    figures = {
        "k reached": measures.privacy.k,
        "classes": measures.classes,
        "NCP": measures.ncp,
        "research value": measures.rv,
        "suppressed": measures.suppressed_records,
    }
    parts = [
        f"<p><b>{_text(result.algorithm.title)}</b>, k = {result.task.k}, "
        f"{result.task.n:,} records. The release was verified.</p>",
        _table(figures, [[figure(value) for value in figures.values()]]),
        _before_and_after(result),
        _class_sizes(result),
    ]
    return "\n".join(parts)


def _before_and_after(result: FinishedRun) -> str:
    release, quasi = result.release, result.task.quasi
    kept = [row for row in release.order if not release.suppressed[row]][:_RECORDS]
    names = [attribute.name for attribute in quasi]
    rows = []
    for row in kept:
        before = [str(each.column.values[each.column.codes[row]]) for each in quasi]
        after = [cells.texts[cells.codes[row]] for cells in release.cells]
        rows.append([*before, "→", *after])
    return (
        _table([*names, "", *names], rows)
        + "<p><small>Left of the arrow stands original data: clear this output before you pass the "
        "notebook on.</small></p>"
    )


def _class_sizes(result: FinishedRun) -> str:
    sizes = Counter(map(int, result.release.class_sizes))
    if not sizes:
        return ""
    shown = sorted(sizes)[:_SIZES]
    rows = [[f"{size:,}", _bar(sizes[size], max(sizes.values()))] for size in shown]
    larger = sum(count for size, count in sizes.items() if size > shown[-1])
    if larger:
        rows.append([f"more than {shown[-1]:,}", _bar(larger, max(sizes.values()))])
    return _table(("records in a class", "classes"), rows)


def _bar(count: int, most: int) -> str:
    return f"{'█' * max(1, round(min(1.0, count / most) * 30))} {count:,}"


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in columns)
    lines = ("".join(f"<td>{_text(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str) -> str:
    return markup.escape(visible(text))
