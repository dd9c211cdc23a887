"""The figures of a result as small tables, each row with its meaning, and the panel for them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.text import Text
from textual import on
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.compare import Comparison, FigureDifference
from kanon_tui.core.editing.state_folder import FIGURES, EarlierRun
from kanon_tui.core.metrics.measure import AttributeMeasures
from kanon_tui.core.numeric import TIE
from kanon_tui.core.pipeline.trial import folded
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import (
    COUNTS,
    METRICS,
    Bar,
    Section,
    class_sizes_section,
    figure,
    measured_rows,
    privacy_section,
)
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import bar, short_list, visible
from kanon_tui.widgets.grid import GAP, Cell, Grid, GridColumn, fitted
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.lists import ScrollPane

BAR = 3
MEANINGS = {
    **{name: meaning for name, _, meaning in (*METRICS, *COUNTS)},
    **{name: model.report_meaning for name, model in MODELS.items()},
}
"""The meanings of figures, by name."""


Row = tuple[str, Sequence[Cell | str]]
"""The meaning of a row of figures, and its cells."""


class FigureTable(CellTable):
    """A grid source with a sentence for every row; columns are as wide as their cells need."""

    def __init__(self, columns: Sequence[GridColumn], rows: Sequence[Row]) -> None:
        """Take columns with their most width, and their least as the wish."""
        cells = [
            [cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for _, row in rows
        ]
        super().__init__(fitted(columns, cells), cells)
        self.meanings = [meaning for meaning, _ in rows]


def attributes_table(result: FinishedRun) -> FigureTable:
    """Return RV, NCP, level or mean span of every quasi-identifier, and its rules below it."""
    clustering = result.grouping.levels is None
    rows: list[Row] = []
    for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True):
        measured = result.measures.attributes[attribute.name]
        worth = measured.rv / measured.weight if measured.weight else 0.0
        height = attribute.hierarchy.height
        last = figure(measured.mean_span) if clustering else f"{measured.level}/{height}"
        rv = f"{short_figure(measured.rv):>5} {bar(worth, BAR)}"
        ncp = f"{short_figure(measured.ncp):>5} {bar(measured.ncp, BAR)}"
        meaning = _attribute_meaning(attribute, measured, cells.texts)
        rows.append((meaning, [attribute.name, rv, ncp, last]))
        for kept_rule in measured.rules:
            mark = "good" if kept_rule.kept > 0.9995 else "warn"
            share = Cell(f"{kept_rule.kept:5.0%} {bar(kept_rule.kept, BAR)}", mark)
            rule = [Cell(f"  {kept_rule.rule}", "muted"), Cell("kept", "muted"), share]
            meaning = (
                f"{attribute.name}: the rule {kept_rule.rule} "
                f"(importance {kept_rule.importance:g}) is kept for {kept_rule.kept:.1%} "
                f"of the published records"
            )
            rows.append((meaning, [*rule, Cell("✓" if mark == "good" else "·", mark)]))
    columns = [
        GridColumn("attribute", 14),
        GridColumn("RV", 6 + BAR, wish=6 + BAR),
        GridColumn("NCP", 6 + BAR, wish=6 + BAR),
        GridColumn("span" if clustering else "level", 7, True, 5),
    ]
    return FigureTable(columns, rows)


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


def _with_meanings(rows: Sequence[Sequence[str | Bar]]) -> FigureTable:
    """Return a table of title and figure, with a meaning for every row."""
    titles = [GridColumn("measure", 34, wish=9), GridColumn("figure", 14, True, 8)]
    figure_rows = [
        (f"{title}: {meaning}", [str(title), str(value)]) for title, value, meaning in rows
    ]
    return FigureTable(titles, figure_rows)


def disclosures(result: FinishedRun) -> list[str]:
    """Return rows on sensitive values that classes of k records disclose, most people first."""
    by_attribute = result.measures.privacy.disclosures
    ranked = sorted(by_attribute, key=lambda name: -by_attribute[name].revealed)
    return [sentence for name in ranked for sentence in by_attribute[name].sentences(name)]


def sizes_table(result: FinishedRun) -> FigureTable:
    """Return how many records are in classes of each size, with bars."""
    section: Section = class_sizes_section(result)
    rows: list[Row] = []
    for name, classes, share in section.rows:
        assert isinstance(share, Bar)
        of_records = f"{share.text} of the published records are there"
        cells = [str(name), str(classes), bar(share.share, 12), share.text]
        rows.append((f"{classes} classes of {name} records; {of_records}", cells))
    wide = [GridColumn("records", 12, True, 12), GridColumn("classes", 7, True)]
    wide += [GridColumn("of the records", 14), GridColumn("", 6, True, 6)]
    return FigureTable(wide, rows)


def runs_table(
    results: Sequence[FinishedRun], current: FinishedRun | None, earlier: Sequence[EarlierRun] = ()
) -> FigureTable:
    """Return the runs of this session in their order, then earlier ones, latest first."""
    rows: list[Row] = []
    for number, result in enumerate(results, 1):
        mark, shown = ("good", "shown now") if result is current else ("", "enter shows it")
        notes = "".join(f". {note}" for note in folded(result.notes))
        title = f"{result.algorithm.title}, k = {result.task.k:,}"
        privacy = result.task.privacy
        algorithm = Cell(result.algorithm.name, mark)
        figures = {figure_name: getattr(result.measures, figure_name) for figure_name in FIGURES}
        cells = _run_cells(privacy.k, privacy.short, figures, result.seconds)
        place = Cell(f"{'▸' if result is current else ' '}{number}", mark)
        rows.append((f"{title}: {shown}; C compares{notes}", [place, algorithm, *cells]))
    for run in earlier:
        privacy = run.project.privacy
        name = run.project.algorithm.name
        cells = _run_cells(privacy.k, privacy.short, run.figures, run.seconds)
        meaning = (
            f"of {run.when:%Y-%m-%d %H:%M}: enter runs it again, with roles, levels and rules as "
            f"they are now; delete forgets all earlier runs"
        )
        rows.append((meaning, [Cell(text, "muted") for text in ("·", name, *cells)]))
    names = [GridColumn("#", 3, True, 3), GridColumn("algorithm", 12), GridColumn("k", 6, True, 2)]
    widths = (("NCP", 5), ("RV", 5), ("classes", 7), ("supp.", 5), ("s", 5))
    columns = (GridColumn(title, width, True, width) for title, width in widths)
    return FigureTable([*names, GridColumn("also", 16), *columns], rows)


def _run_cells(k: int, beyond_k: str, figures: Mapping[str, float], seconds: float) -> list[str]:
    """Return k, the requirements beyond it (`l≥2 α≤0.5`), figures and seconds of a run."""
    losses = [short_figure(figures["ncp"]), short_figure(figures["rv"])]
    counts = [f"{figures['classes']:,.0f}", f"{figures['suppressed_records']:,.0f}"]
    return [f"{k:,}", beyond_k or "–", *losses, *counts, f"{seconds:.1f}"]


def comparison_tables(comparison: Comparison) -> dict[str, FigureTable]:
    """Return tables of figures, attributes (most different first) and rules of two results.

    There is no table of rules where both have none in common.
    """
    tables: dict[str, list[Row]] = {"figures": [], "attributes": [], "rules kept": []}

    def add(table: str, title: str, figure_difference: FigureDifference, meaning: str) -> None:
        better = {1: "▸ better", -1: "◂ better", 0: ""}[figure_difference.better]
        difference = (
            "–" if figure_difference.difference is None else signed(figure_difference.difference)
        )
        side = Cell(better, "good" if figure_difference.better else "")
        cells: list[Cell | str] = [
            title,
            figure(figure_difference.first),
            figure(figure_difference.second),
            difference,
            side,
        ]
        tables[table].append((meaning, cells))

    for figure_difference in comparison.figures:
        meaning = MEANINGS.get(figure_difference.name)
        sentence = (
            f"{_verdict(figure_difference)}: {meaning}" if meaning else _verdict(figure_difference)
        )
        add("figures", figure_difference.title, figure_difference, sentence)
    for changed in comparison.attributes:
        where = "" if changed.levels == (None, None) else f", level {_levels(changed.levels)}"
        meaning = f"{changed.name}{where}: {changed.differs:,} records are published otherwise"
        add("attributes", f"{changed.name}: NCP", changed.ncp, meaning)
        add("attributes", f"{changed.name}: RV", changed.rv, meaning)
    for attribute, rule_difference in comparison.rules:
        meaning = f"{attribute}: share of the records whose class keeps {rule_difference.title}"
        add("rules kept", f"{attribute}: {rule_difference.title}", rule_difference, meaning)
    sides = [GridColumn("◂ left", 12, True, 8), GridColumn("right ▸", 12, True, 8)]
    sides += [GridColumn("difference", 14, True), GridColumn("", 8, wish=8)]
    titles = [GridColumn("figure", 32, wish=9), *sides]
    return {title: FigureTable(titles, rows) for title, rows in tables.items() if rows}


def _verdict(difference: FigureDifference) -> str:
    if difference.difference is None:
        return "not defined for one of them"
    side = {1: "the right one is better", -1: "the left one is better"}
    return side.get(
        difference.better, "equal" if not difference.difference else "no better or worse"
    )


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


PANELS: dict[str, Callable[[FinishedRun], FigureTable]] = {
    "attributes": attributes_table,
    "metrics": lambda run: _with_meanings(measured_rows((*METRICS, *COUNTS), run.measures)),
    "privacy": lambda run: _with_meanings(privacy_section(run).rows),
    "class sizes": sizes_table,
}
"""The tables of one result."""


class FigurePanel(Vertical):
    """A pane with one table of figures, and the meaning of the row under the cursor."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="pane")
        self.grid = Grid()
        self._meaning = Static(classes="meaning")
        self._table: FigureTable | None = None
        self._title = ""

    def compose(self) -> Iterable[Widget]:
        yield self.grid
        with ScrollPane(id="meaning", can_focus=False):
            yield self._meaning

    def show(self, title: str, table: FigureTable) -> None:
        """Show a table; the cursor stays where it was when it is the same one with new figures."""
        self.border_title = Text(title)
        self.grid.show(table, keep_cursor=title == self._title)
        self._table = table
        self._title = title
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

    def _explain(self) -> None:
        meanings = self._table.meanings if self._table else ()
        row = self.grid.row
        self._meaning.update(Text(visible(meanings[row]) if row < len(meanings) else ""))
        self.query_one(ScrollPane).scroll_home(animate=False)
        self.call_after_refresh(self._offer_scrolling)

    def _offer_scrolling(self) -> None:
        """Let tab go to a meaning that is longer than its room, such as the notes of a run."""
        if self.is_attached:
            pane = self.query_one(ScrollPane)
            pane.can_focus = pane.max_scroll_y > 0
