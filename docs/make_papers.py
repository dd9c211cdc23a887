"""The tables of docs/papers.md, from the entries of the papers and the measured series.

python -m docs.make_papers    writes them anew; a test compares them with the entries
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages import markdown_table, with_table
from kanon_tui.core.analysis.papers.entry import PAPERS, STATES, Entry
from kanon_tui.core.analysis.papers.registry import list_entries
from kanon_tui.core.project.paper_presets import PAPER_PRESETS
from kanon_tui.core.text import significant

PAGE = Path(__file__).parent / "papers.md"
SERIES = Path(__file__).parent.parent / "benchmarks" / "papers.json"


def page() -> str:
    """Return the page of the papers: its sentences, with every table made anew."""
    entries = list_entries()
    series = json.loads(SERIES.read_text(encoding="utf-8"))
    claims = [entry for entry in entries if entry.claim is not None]
    claim_rows = [_claim_row(entry, series[entry.id]) for entry in claims]
    states = [[f"*{state}*", meaning] for state, meaning in STATES.items()]
    text = PAGE.read_text(encoding="utf-8")
    text = with_table(text, "states", markdown_table(["state", "meaning"], states))
    text = with_table(text, "series", markdown_table(_CLAIM_HEADS, claim_rows))
    text = with_table(text, "presets", markdown_table(_PRESET_HEADS, list(_preset_rows())))
    for word, paper in PAPERS.items():
        text = with_table(text, word, _table(paper, entries))
    return text


_PRESET_HEADS = ("preset", "what it follows", "options")
_CLAIM_HEADS = ("id", "where", "claim", "ours", "state", "why")
_HEADS = ("id", "where", "what it shows", "here", "state", "differs, or what else to know")


def _preset_rows() -> Iterator[list[str]]:
    for name, preset in PAPER_PRESETS.items():
        options = [
            f"`{algorithm}`: {', '.join(f'`{key}={value}`' for key, value in chosen.items())}"
            for algorithm, chosen in preset.algorithms.items()
        ]
        yield [f"`{name}`", preset.source, "; ".join(options)]


def _table(paper: str, entries: Sequence[Entry]) -> str:
    rows = [
        [
            f"`{entry.id}`",
            entry.where,
            _cell(entry.what),
            _here(entry),
            entry.state,
            _cell(entry.why),
        ]
        for entry in entries
        if entry.paper == paper and entry.claim is None
    ]
    return markdown_table(_HEADS, rows)


def _here(entry: Entry) -> str:
    """Return how an entry is repeated, and its figures where runs give them."""
    parts = [_cell(entry.here)] if entry.here else []
    for figures in entry.figures:
        printed = " / ".join(map(_figure, figures.printed))
        ours = " / ".join(map(_figure, figures.ours))
        parts.append(f"{figures.what}: {printed} printed, {ours} ours")
    if entry.simulation is not None:
        rates = entry.simulation
        parts.append(f"{_figure(rates.printed)} % printed, {_figure(rates.ours)} % ours")
    return "; ".join(parts)


def _claim_row(entry: Entry, measured: dict[str, Any]) -> list[str]:
    state = entry.state if entry.state == "holds" else f"**{entry.state}**"
    ours = "; ".join(_curves(measured))
    return [
        f"`{entry.id}`",
        f"{entry.paper}, {entry.where}",
        entry.what,
        ours,
        state,
        _cell(entry.why),
    ]


def _curves(measured: dict[str, Any]) -> Iterator[str]:
    for name, figures in measured.get("series", {}).items():
        yield f"{name} {' '.join(map(_figure, figures))}"
    if measured:
        points = ", ".join(f"{point:,}" for point in measured["points"])
        yield f"{measured['axis']} = {points}"


def _figure(figure: float) -> str:
    return f"{int(figure):,}" if float(figure).is_integer() else significant(figure)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
