"""The parts of a report, and the sections that screens show as well."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanon_tui.core.metrics.measure import Measures
from kanon_tui.core.metrics.privacy import LIKELY
from kanon_tui.core.privacy.models import MODELS, PLUG_INS
from kanon_tui.core.privacy.risk import risk_figures
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import table_lines

if TYPE_CHECKING:
    from kanon_tui.core.report.chart import Line


@dataclass(frozen=True)
class Bar:
    """A share from 0 to 1, drawn as a bar beside its figure."""

    share: float
    text: str

    def __str__(self) -> str:
        """Return the bar as blocks."""
        filled = round(self.share * 10)
        return f"{'█' * filled}{'░' * (10 - filled)} {self.text}"


@dataclass(frozen=True)
class Curves:
    """Lines over the same categories, which a screen plots; the table beside them has the figures.

    Every line has one value per label, None where it is not known.
    """

    title: str
    labels: Sequence[str]
    lines: tuple["Line", ...]


@dataclass(frozen=True)
class Listing:
    """Lines with a title whose indentation matters, such as a tree."""

    title: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, a table, pictures, a list or a command below it."""

    title: str
    paragraphs: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str | Bar]] = ()
    items: Sequence[str] = ()
    command: str = ""
    pictures: Sequence["Section"] = ()
    """Small tables of bars that belong to it, each with a title."""
    curves: Curves | None = None
    listings: Sequence[Listing] = ()
    """Lines that stand side by side where there is room."""
    headline: Sequence[str] = ()
    """Sentences for the first page of a document."""
    new_page: bool = False
    """Whether it begins a page in print."""

    def lines(self) -> list[str]:
        """Return the table in aligned columns; without rows, nothing."""
        cells = [[c if isinstance(c, str) else c.text for c in row] for row in self.rows]
        return table_lines(self.columns, cells) if cells else []

    @property
    def texts(self) -> Iterator[str]:
        """Its texts, one by one."""
        cells = (cell if isinstance(cell, str) else cell.text for row in self.rows for cell in row)
        yield from (self.title, *self.paragraphs, *self.columns, *cells, *self.items)
        for listing in self.listings:
            yield from (listing.title, *listing.lines)


@dataclass(frozen=True)
class Document:
    """A report for people, whatever file it becomes."""

    title: str
    lead: str
    tiles: Sequence[tuple[str, str]]
    """The figures to see first, with their names."""
    sections: Sequence[Section]
    warning: str = ""
    """Who may not get the document; it stands below the title. Empty where everybody may."""


INTERNAL_DOCUMENT = (
    "Internal: it holds figures of records that the release does not show. Keep it with the data; "
    "it is not for those who get the release."
)
FOOTER = "Made with kanon-tui. The table was verified before this report was written."


def figure(value: Any) -> str:
    """Return a number for people: thousands separated, four significant digits, a dash for None."""
    if value is None or not math.isfinite(value):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


COUNTS = (
    ("suppressed_records", "Suppressed records", "left out, or published as nothing but *"),
    ("suppressed_cells", "Suppressed cells", "hidden one by one in records that are published"),
    ("classes", "Classes", "groups of records that look alike"),
    ("distinct_published", "Combinations", "different rows of quasi-identifiers in the release"),
    ("smallest_class", "Smallest class", "records in it; the k that is reached"),
    ("largest_class", "Largest class", "records in it"),
)
"""Name in the report, title, and what it counts."""


METRICS = (
    ("ncp", "NCP", "share of detail lost; 0: nothing, 1: everything is hidden"),
    ("utility", "Utility", "1 − NCP: share of detail that is left"),
    (
        "rv",
        "Research value",
        "how finely values can still be told apart, rules counted; 1 is the most",
    ),
    ("il", "Information loss", "Byun's total over all records; 0 is none"),
    ("dm", "Discernibility", "sum of squared class sizes; smaller classes give less"),
    (
        "cm",
        "Classification metric",
        "share of records that differ from their class's majority label",
    ),
    ("c_avg", "Class size / k (C_avg)", "average class as a multiple of k; 1 is the best"),
    ("md", "Minimal distortion", "number of cells that were changed"),
    ("iloss", "ILoss", "mean share of other values that a published cell also stands for"),
    ("precision", "Precision", "1 − mean share of the hierarchies climbed (full-domain only)"),
    ("ncp_class", "NCP by class", "NCP of the values that classes hold, not of their labels"),
)
"""Name in the report, title, and what it means."""


def measured_rows(
    which: Sequence[tuple[str, str, str]], measures: Measures
) -> list[tuple[str, str, str]]:
    """Return title, figure and meaning of those `METRICS` or `COUNTS` that a release has."""
    measured = [(title, getattr(measures, name), meaning) for name, title, meaning in which]
    return [
        (title, figure(value), meaning) for title, value, meaning in measured if value is not None
    ]


RISK_THRESHOLDS = (0.2, 0.1, 0.05)
"""Risks above which records are counted."""


def _whose_proof(model: str) -> str:
    package = PLUG_INS.packages.get(model)
    return f"; proven by a formula of {package}, not of Kanon" if package else ""


def privacy_section(result: FinishedRun) -> Section:
    """Return the privacy figures of a release, with their meanings."""
    privacy = result.measures.privacy
    rows = [
        ("k", figure(privacy.k), _k_meaning(result)),
        *(
            (
                f"✓ Required {proof.requirement.model.title}: {proof.requirement.column.name}",
                figure(proof.figure),
                f"every class has {proof.requirement.model}; the worst has this"
                f"{_whose_proof(proof.requirement.model.name)}",
            )
            for proof in privacy.required
        ),
        *_required_subsets(result),
        *_required_risk(result),
        ("Highest risk", figure(privacy.risk_max), "of finding a person who is known to be in it"),
        ("Mean risk", figure(privacy.risk_mean), "averaged over the records; the marketer's risk"),
        *(
            (
                f"Risk above {threshold:.0%}",
                figure(privacy.records_at_risk(threshold)),
                f"records in classes of fewer than {round(1 / threshold)}",
            )
            for threshold in RISK_THRESHOLDS
        ),
        ("Sample uniques", figure(privacy.sample_uniques), "alone in their class"),
        *_by_all_columns(result),
        ("Violations", figure(privacy.violations), "records generalised beyond a given bound"),
        (
            "Violating values",
            figure(sum(privacy.violating_values.values())),
            "values generalised beyond a bound"
            + "".join(f"; {n} {figure(v)}" for n, v in privacy.violating_values.items() if v),
        ),
    ]
    for sensitive, disclosed in privacy.disclosures.items():
        rows += [
            (
                f"Revealed: {sensitive}",
                figure(disclosed.revealed),
                "people in classes of one single value, which k does not prevent",
            ),
            (
                f"Almost revealed: {sensitive}",
                figure(disclosed.likely),
                f"people in classes where one value has a share above {LIKELY:g}",
            ),
        ]
    for name, model in MODELS.items():
        for sensitive, value in privacy.figures[name].items():
            title = f"{model.report_title or model.title}: {sensitive}"
            rows.append((title, figure(value), model.report_meaning))
    return Section("Privacy", (), ("Measure", "Figure", "Meaning"), rows)


def _by_all_columns(result: FinishedRun) -> list[tuple[str, str, str]]:
    """Return rows with the records that all published columns together single out."""
    counted = result.release.all_columns
    noun = "people" if counted.in_people else "records"
    columns = counted.columns
    rows = []
    if columns.unchanged:
        apart = ", but sensitive ones" if columns.sensitive else ""
        title = f"Unique by all published columns{apart}"
        rows.append((title, figure(counted.but_sensitive.unique), f"{noun} nobody else is like"))
    if columns.sensitive:
        title = "Unique by all published columns, sensitive ones included"
        rows.append((title, figure(counted.together.unique), f"{noun} nobody else is like"))
    return rows


def _required_subsets(result: FinishedRun) -> list[tuple[str, str, str]]:
    """Return the row for the k of subsets of the quasi-identifiers, where one is required."""
    bound = result.task.subsets
    if bound is None:
        return []
    who = "records" if result.task.repeated is None else "people"
    words = f"{who} share every published combination of {bound.m} quasi-identifiers"
    return [(f"✓ Required of any {bound.m} quasi-identifiers", f"≥ {bound.k:,}", words)]


def _required_risk(result: FinishedRun) -> list[tuple[str, str, str]]:
    """Return rows for a required bound of the risk, and for the population that it names."""
    risk = result.task.privacy.risk
    task = result.task
    reached = result.risk_reached
    if risk is None or reached is None:
        return []
    sizes = result.measures.privacy.class_sizes
    rows = [
        (f"✓ Required {risk.measure} {risk.model} risk", figure(reached), f"{risk} was asked for")
    ]
    if risk.population is not None:
        larger = risk_figures(sizes, sizes / risk.scale(task.people), risk.threshold)
        of = f"in a population of {risk.population:,}, of which the table is a random sample"
        rows += [
            ("Highest journalist risk", figure(larger.highest), f"of finding a person {of}"),
            ("Marketer risk", figure(larger.average), f"share that is found on average {of}"),
        ]
    return rows


def _k_meaning(result: FinishedRun) -> str:
    if result.task.repeated is None:
        return "records that share every published combination, at least"
    return f"different people ({result.task.repeated.name}) of every published combination"


def class_sizes_section(result: FinishedRun, least: int | None = None) -> Section:
    """Return the numbers of classes with k to 2k − 1 records, 2k to 5k − 1 records, and so on.

    `least` takes the place of k.
    """
    sizes = result.release.class_sizes
    k = least or result.task.k
    edges = [k, 2 * k, 5 * k, 10 * k, 100 * k]
    rows: list[list[str | Bar]] = []
    for i, low in enumerate(edges):
        high = edges[i + 1] if i + 1 < len(edges) else None
        inside = sizes[(sizes >= low) & (sizes < high)] if high else sizes[sizes >= low]
        name = f"{low:,} and more" if high is None else f"{low:,}–{high - 1:,}"
        name = f"{low:,}" if high == low + 1 else name
        share = float(inside.sum() / max(1, sizes.sum()))
        if len(inside):
            rows.append([name, figure(len(inside)), Bar(share, f"{share:.1%}")])
    return Section("Class sizes", (), ("Records in a class", "Classes", "Share of records"), rows)
