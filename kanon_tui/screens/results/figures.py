"""The figures of a result as small tables, each row with its meaning, and the panel for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.compare import Comparison, FigureDifference
from kanon_tui.core.editing.run_history import EarlierRun
from kanon_tui.core.metrics.measure import AttributeMeasures
from kanon_tui.core.numeric import TIE
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import (
    COUNTS,
    METRICS,
    Bar,
    Section,
    class_sizes_section,
    counts_section,
    figure,
    metrics_section,
    privacy_section,
)
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import bar, short_list, visible
from kanon_tui.widgets.grid import GAP, Cell, Grid, GridColumn, up_to
from kanon_tui.widgets.grid_sources import CellTable

BAR = 3
MEANINGS = {
    **{name: meaning for name, _, meaning in (*METRICS, *COUNTS)},
    **{name: model.report_meaning for name, model in MODELS.items()},
}
"""The meanings of figures, by name."""


class FigureTable(CellTable):
    """A grid source with a sentence for every row."""

    def __init__(
        self,
        columns: Sequence[GridColumn],
        cells: Sequence[Sequence[Cell]],
        meanings: Sequence[str],
    ) -> None:
        super().__init__(columns, cells)
        self.meanings = meanings


def attributes_table(result: FinishedRun) -> FigureTable:
    """Return RV, NCP, level or mean span of every quasi-identifier, and its rules below it."""
    clustering = result.grouping.levels is None
    rows: list[list[Cell]] = []
    meanings = []
    for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True):
        measured = result.measures.attributes[attribute.name]
        worth = measured.rv / measured.weight if measured.weight else 0.0
        height = attribute.hierarchy.height
        last = figure(measured.mean_span) if clustering else f"{measured.level}/{height}"
        rows.append(
            [
                Cell(attribute.name),
                Cell(f"{short_figure(measured.rv):>5} {bar(worth, BAR)}"),
                Cell(f"{short_figure(measured.ncp):>5} {bar(measured.ncp, BAR)}"),
                Cell(last),
            ]
        )
        meanings.append(_attribute_meaning(attribute, measured, cells.texts))
        for kept in measured.rules:
            mark = "good" if kept.kept > 0.9995 else "warn"
            rows.append(
                [
                    Cell(f"  {kept.rule}", "muted"),
                    Cell("kept", "muted"),
                    Cell(f"{kept.kept:5.0%} {bar(kept.kept, BAR)}", mark),
                    Cell("✓" if mark == "good" else "·", mark),
                ]
            )
            meanings.append(
                f"{attribute.name}: the rule {kept.rule} (importance {kept.importance:g}) is kept "
                f"for {kept.kept:.1%} of the published records"
            )
    last_title = "span" if clustering else "level"
    columns = [
        _column(rows, 0, "attribute", 9, 14),
        GridColumn("RV", 6 + BAR),
        GridColumn("NCP", 6 + BAR),
        _column(rows, 3, last_title, 5, 7, right=True),
    ]
    return FigureTable(columns, rows, meanings)


def _attribute_meaning(
    attribute: QuasiIdentifier, measured: AttributeMeasures, texts: Sequence[str]
) -> str:
    where = f"mean span {figure(measured.mean_span)}"
    if measured.level is not None:
        where = f"level {measured.level} of {attribute.hierarchy.height}, {where}"
    return (
        f"{attribute.name}: research value {figure(measured.rv)} of its weight "
        f"{figure(measured.weight)}, NCP {figure(measured.ncp)}, {where}; published as "
        f"{short_list(texts)}"
    )


def metrics_table(result: FinishedRun) -> FigureTable:
    """Return every utility metric and count."""
    metrics, counts = metrics_section(result.measures), counts_section(result.measures)
    return _with_meanings([*metrics.rows, *counts.rows])


def privacy_table(result: FinishedRun) -> FigureTable:
    """Return the privacy figures: k, l, t, α and risk."""
    return _with_meanings(privacy_section(result).rows)


def _with_meanings(rows: Sequence[Sequence[str | Bar]]) -> FigureTable:
    """Return a table of title and figure, with a meaning for every row."""
    cells = [[Cell(str(title)), Cell(str(value))] for title, value, _ in rows]
    meanings = [f"{title}: {meaning}" for title, _, meaning in rows]
    columns = [
        _column(cells, 0, "measure", 9, 34),
        _column(cells, 1, "figure", 8, 14, right=True),
    ]
    return FigureTable(columns, cells, meanings)


def disclosures(result: FinishedRun) -> list[str]:
    """Return what the classes tell of people although they have k records, most people first."""
    found = result.measures.privacy.disclosures
    ranked = sorted(found, key=lambda name: -found[name].revealed)
    return [sentence for name in ranked for sentence in found[name].sentences(name)]


def sizes_table(result: FinishedRun) -> FigureTable:
    """Return how many records are in classes of each size, with bars."""
    section: Section = class_sizes_section(result)
    cells, meanings = [], []
    for name, classes, share in section.rows:
        assert isinstance(share, Bar)
        cells.append(
            [Cell(str(name)), Cell(str(classes)), Cell(bar(share.share, 12)), Cell(share.text)]
        )
        meanings.append(
            f"{classes} classes of {name} records; {share.text} of the published records are there"
        )
    columns = [
        GridColumn("records", 12, True),
        GridColumn("classes", 7, True),
        GridColumn("of the records", 14),
        GridColumn("", 6, True),
    ]
    return FigureTable(columns, cells, meanings)


def runs_table(
    results: Sequence[FinishedRun], current: FinishedRun | None, earlier: Sequence[EarlierRun] = ()
) -> FigureTable:
    """Return the runs of this session in their order, then earlier ones, latest first."""
    cells, meanings = [], []
    for number, result in enumerate(results, 1):
        measures, mark = result.measures, "good" if result is current else ""
        cells.append(
            [
                Cell(f"{'▸' if result is current else ' '}{number}", mark),
                Cell(result.algorithm.name, mark),
                Cell(f"{result.task.k:,}"),
                Cell(_short(result.task.privacy.requirements)),
                Cell(short_figure(measures.ncp)),
                Cell(short_figure(measures.rv)),
                Cell(f"{measures.classes:,}"),
                Cell(f"{measures.suppressed_records:,}"),
                Cell(f"{result.seconds:.1f}"),
            ]
        )
        shown = "shown now" if result is current else "enter shows it"
        notes = "".join(f". {note}" for note in result.notes)
        title = f"{result.algorithm.title}, k = {result.task.k:,}"
        meanings.append(f"{title}: {shown}; C compares{notes}")
    for run in earlier:
        cells.append(_earlier_cells(run))
        meanings.append(
            f"of {run.when:%Y-%m-%d %H:%M}: enter runs it again, with roles, levels and rules as "
            f"they are now; delete forgets all earlier runs"
        )
    columns = [
        GridColumn("#", 3, True),
        _column(cells, 1, "algorithm", 9, 12),
        _column(cells, 2, "k", 2, 6, right=True),
        _column(cells, 3, "also", 4, 16),
        GridColumn("NCP", 5, True),
        GridColumn("RV", 5, True),
        GridColumn("classes", 7, True),
        GridColumn("supp.", 5, True),
        GridColumn("s", 5, True),
    ]
    return FigureTable(columns, cells, meanings)


def _short(requirements: Iterable[PrivacyModel]) -> str:
    """Return the requirements beyond k for a narrow column: `l≥2 α≤0.5`."""
    return " ".join(dict.fromkeys(each.short for each in requirements)) or "–"


def _earlier_cells(run: EarlierRun) -> list[Cell]:
    figures = run.figures
    texts = [
        "·", run.algorithm, f"{run.k:,}", _short(run.known_models), short_figure(figures["ncp"]),
        short_figure(figures["rv"]),
        f"{figures['classes']:,.0f}", f"{figures['suppressed_records']:,.0f}", f"{run.seconds:.1f}",
    ]  # fmt: skip
    return [Cell(text, "muted") for text in texts]


def comparison_tables(comparison: Comparison) -> dict[str, FigureTable]:
    """Return tables of figures, attributes (most different first) and rules of two results.

    There is no table of rules where both have none in common.
    """
    figures, attributes, rules = _ComparisonRows(), _ComparisonRows(), _ComparisonRows()
    for one in comparison.figures:
        meaning = MEANINGS.get(one.name)
        figures.add(one.title, one, f"{_verdict(one)}: {meaning}" if meaning else _verdict(one))
    for each in comparison.attributes:
        where = "" if each.levels == (None, None) else f", level {_levels(each.levels)}"
        meaning = f"{each.name}{where}: {each.differs:,} records are published otherwise"
        attributes.add(f"{each.name}: NCP", each.ncp, meaning)
        attributes.add(f"{each.name}: RV", each.rv, meaning)
    for rule in comparison.rules:
        meaning = f"{rule.attribute}: share of the records whose class keeps {rule.rule}"
        rules.add(f"{rule.attribute}: {rule.rule}", rule.kept, meaning)
    tables = {"figures": figures, "attributes": attributes, "rules kept": rules}
    return {title: rows.table() for title, rows in tables.items() if rows.cells}


class _ComparisonRows:
    """Rows of a comparison: both figures, the difference, and which is better."""

    def __init__(self) -> None:
        self.cells: list[list[Cell]] = []
        self.meanings: list[str] = []

    def add(self, title: str, one: FigureDifference, meaning: str) -> None:
        better = {1: "▸ better", -1: "◂ better", 0: ""}[one.better]
        difference = "–" if one.difference is None else signed(one.difference)
        self.cells.append(
            [
                Cell(title), Cell(figure(one.first)), Cell(figure(one.second)), Cell(difference),
                Cell(better, "good" if one.better else ""),
            ]
        )  # fmt: skip
        self.meanings.append(meaning)

    def table(self) -> FigureTable:
        columns = [
            _column(self.cells, 0, "figure", 9, 32),
            _column(self.cells, 1, "◂ left", 8, 12, right=True),
            _column(self.cells, 2, "right ▸", 8, 12, right=True),
            _column(self.cells, 3, "difference", 10, 14, right=True),
            GridColumn("", 8),
        ]
        return FigureTable(columns, self.cells, self.meanings)


def _verdict(one: FigureDifference) -> str:
    if one.difference is None:
        return "not defined for one of them"
    side = {1: "the right one is better", -1: "the left one is better"}
    return side.get(one.better, "equal" if not one.difference else "no better or worse")


def _levels(levels: tuple[int | None, int | None]) -> str:
    left, right = ("own ranges" if level is None else str(level) for level in levels)
    return f"{left} and {right}"


def signed(value: float) -> str:
    """Return a number with its sign: `+0.021`, `−7`, `±0`."""
    if abs(value) < TIE:
        return "±0"
    size = abs(value)  # four significant digits, as the figures beside it
    return ("+" if value > 0 else "−") + (f"{size:,.0f}" if size >= 1000 else figure(size))


def short_figure(value: float) -> str:
    """Return a figure with three decimals and no leading zero: `.130`, `1.000`."""
    return f"{value:.3f}".removeprefix("0")


def _column(
    cells: Sequence[Sequence[Cell]],
    number: int,
    title: str,
    least: int,
    most: int,
    right: bool = False,
) -> GridColumn:
    widest = max((cell_len(visible(row[number].text)) for row in cells), default=least)
    return up_to(most, title, max(widest, least), right)


PANELS: dict[str, Callable[[FinishedRun], FigureTable]] = {
    "attributes": attributes_table,
    "metrics": metrics_table,
    "privacy": privacy_table,
    "class sizes": sizes_table,
}
"""The tables of one result."""


class FigurePanel(Vertical):
    """A pane with one table of figures, and the meaning of the row under the cursor."""

    DEFAULT_CSS = """
    FigurePanel Grid { height: 1fr; }
    FigurePanel .meaning { height: auto; max-height: 8; padding: 0 1; color: $text-muted; }
    """

    @dataclass
    class Chosen(Message):
        """Enter was pressed on a row."""

        panel: FigurePanel
        row: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="pane")
        self.grid = Grid()
        self._meaning = Static(classes="meaning")
        self._table: FigureTable | None = None
        self._title = ""

    def compose(self) -> Iterable[Widget]:
        yield self.grid
        yield self._meaning

    def show(self, title: str, table: FigureTable) -> None:
        """Show a table; the cursor stays where it was when it is the same one with new figures."""
        self.border_title = Text(title)
        self.grid.show(table, keep_cursor=title == self._title)
        self._table, self._title = table, title
        self._explain()

    @property
    def natural_width(self) -> int:
        """The width that shows the whole table, with border and scroll bar."""
        columns = self._table.columns if self._table else ()
        return sum(max(column.width, column.wish) + GAP for column in columns) + 3

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        """Show the meaning of the figure under the cursor."""
        event.stop()
        self._explain()

    @on(Grid.Chosen)
    def chosen(self, event: Grid.Chosen) -> None:
        """Pass on that enter was pressed on a row."""
        event.stop()
        self.post_message(self.Chosen(self, event.row))

    def _explain(self) -> None:
        meanings = self._table.meanings if self._table else ()
        row = self.grid.row
        self._meaning.update(Text(visible(meanings[row]) if row < len(meanings) else ""))
