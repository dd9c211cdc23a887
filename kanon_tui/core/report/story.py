"""What a person is told about a result, in sections; how it looks is not decided here.

The reader is somebody who answers for the release, not the one who made it: every figure comes
with a line that says what it means. Only what is published or was typed into the project appears:
names of attributes, rules, labels; never a value of an identifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanon_tui.core.data.schema import Role
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.task.steps import Family
from kanon_tui.core.text import first_few, joined

if TYPE_CHECKING:
    from kanon_tui.core.metrics.measure import Measures
    from kanon_tui.core.run.result import Result

__all__ = [
    "COUNTS",
    "METRICS",
    "PRIVACY",
    "Bar",
    "Section",
    "class_sizes_section",
    "counts_section",
    "figure",
    "metrics_section",
    "privacy_section",
    "reproduce",
    "story",
]


@dataclass(frozen=True)
class Bar:
    """A share from 0 to 1, drawn as a bar beside its figure."""

    share: float
    text: str


@dataclass(frozen=True)
class Section:
    """A heading with paragraphs, a table, a list or a command below it."""

    title: str
    paragraphs: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str | Bar]] = ()
    items: Sequence[str] = ()
    command: str = ""


def story(result: Result) -> tuple[str, list[Section]]:
    """The title and the sections, in reading order."""
    sections = [
        _what_was_done(result),
        _attributes(result),
        _rules(result),
        metrics_section(result.measures),
        privacy_section(result),
        class_sizes_section(result),
        _search(result),
        Section("Notes", items=result.notes),
        _reproduce(result),
    ]
    kept = [s for s in sections if s.paragraphs or s.rows or s.items or s.command]
    return f"Release with k = {result.task.k}", kept


def figure(value: Any) -> str:
    """A number as people read it: thousands apart, four digits that matter, a dash for none."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


# --- the sections -------------------------------------------------------------------------------


def _what_was_done(result: Result) -> Section:
    task, measures = result.task, result.measures
    names = [attribute.name for attribute in task.quasi]
    left_out = [name for name, role in task.roles.items() if role is Role.IDENTIFIER]
    as_it_is = [name for name, role in task.roles.items() if role in (Role.SENSITIVE, Role.OTHER)]
    said = [
        f"{figure(task.n)} records were generalised with {result.algorithm.title} "
        f"({result.algorithm.name}) so that every published combination of {joined(names)} is "
        f"shared by at least {task.k:,} records. The published table was counted again "
        f"independently of the algorithm: its smallest class has "
        f"{figure(measures.smallest_class)} records.",
        f"{result.algorithm.summary}.",
    ]
    if task.requirements:
        asked = "; ".join(str(requirement) for requirement in task.requirements)
        said.append(f"Beyond that, every published class has {asked}; this was proven as well.")
    if left_out:
        said.append(f"Left out because they identify people: {joined(left_out)}.")
    if as_it_is:
        said.append(f"Published as they are: {joined(as_it_is)}.")
    facts: list[tuple[str, object]] = [
        ("Asked for: k", task.k),
        ("Reached: k", measures.privacy.k),
        ("Records in the table", task.n + task.dropped_missing),
        ("Dropped because a value is missing", task.dropped_missing),
        *((title, getattr(measures, name)) for name, title, _ in COUNTS),
        ("Seconds", round(result.seconds, 3)),
    ]
    rows = [(name, figure(value)) for name, value in facts]
    return Section("What was done", said, ("Fact", "Figure"), rows)


COUNTS = (
    ("suppressed_records", "Suppressed records", "left out, or published as nothing but *"),
    ("suppressed_cells", "Suppressed cells", "hidden one by one in records that are published"),
    ("classes", "Classes", "groups of records that look alike"),
    ("distinct_published", "Combinations", "different rows of quasi-identifiers in the release"),
    ("smallest_class", "Smallest class", "records in it; the k that is reached"),
    ("largest_class", "Largest class", "records in it"),
)
"""Name in the report, title, and what it counts."""


def counts_section(measures: Measures) -> Section:
    """What can be counted of a release, with what it means."""
    rows = [(title, figure(getattr(measures, name)), meaning) for name, title, meaning in COUNTS]
    return Section("Counts", (), ("Measure", "Figure", "Meaning"), rows)


def _attributes(result: Result) -> Section:
    full_domain = result.algorithm.family is Family.FULL_DOMAIN
    columns = ["Attribute", "Weight", "Detail lost (NCP)", "Research value kept"]
    columns += ["Level", "Published as"] if full_domain else ["Published as"]
    rows: list[list[str | Bar]] = []
    for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True):
        measured = result.measures.attributes[attribute.name]
        share = measured.rv / measured.weight if measured.weight else 0.0
        row: list[str | Bar] = [
            attribute.name,
            figure(measured.weight),
            Bar(_share(measured.ncp), figure(measured.ncp)),
            Bar(_share(share), figure(measured.rv)),
        ]
        if full_domain:
            row.append(f"{figure(measured.level)} of {attribute.hierarchy.height}")
        rows.append([*row, first_few([_example(text) for text in cells.texts], 4)])
    if full_domain:
        said = "Every record shows the label of the level chosen for the attribute."
    else:
        said = "Every class finds its own ranges and labels; a few of those published are shown."
    return Section("Quasi-identifiers", [said], columns, rows)


def _rules(result: Result) -> Section:
    rows: list[list[str | Bar]] = [
        [name, kept.rule, figure(kept.importance), Bar(_share(kept.kept), f"{kept.kept:.1%}")]
        for name, attribute in result.measures.attributes.items()
        for kept in attribute.rules
    ]
    said = "Values that should not be mixed, and the share of records whose class keeps them apart."
    columns = ("Attribute", "Keep apart", "Importance", "Kept")
    return Section("Rules", [said], columns, rows) if rows else Section("Rules")


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
    ("c_avg", "Average class size", "in units of k; 1 is the best possible"),
    ("md", "Minimal distortion", "number of cells that were changed"),
    ("iloss", "ILoss", "mean share of other values that a published cell also stands for"),
    ("precision", "Precision", "1 − mean share of the hierarchies climbed (full-domain only)"),
)
"""Name in the report, title, and what it means."""


def metrics_section(measures: Measures) -> Section:
    """Every utility metric that is defined for the release, with what it means."""
    rows = [
        (title, figure(getattr(measures, name)), meaning)
        for name, title, meaning in METRICS
        if getattr(measures, name) is not None
    ]
    return Section("What is left for analysis", (), ("Measure", "Figure", "Meaning"), rows)


PRIVACY = (
    ("l_distinct", "Distinct l-diversity", "fewest different values in a class"),
    ("l_entropy", "Entropy l-diversity", "the same, discounting rare values"),
    ("t", "t-closeness", "largest distance of a class from the whole table; 0: like the table"),
    ("p", "p-sensitivity", "every class has at least this many values"),
    ("alpha", "Highest share (α)", "of one value in a class; 1: some class gives it away"),
)
"""Name in the report, title, and what it means; one figure per sensitive attribute."""
RISK_THRESHOLDS = (0.2, 0.1, 0.05)
"""Risks above which records are counted."""


def privacy_section(result: Result) -> Section:
    """What an attacker can still learn, with what the figures mean."""
    privacy = result.measures.privacy
    rows = [
        ("k", figure(privacy.k), "records that share every published combination, at least"),
        *(
            (
                f"✓ Required {each.requirement.model.title}: {each.requirement.column.name}",
                figure(each.figure),
                f"every class has {each.requirement}; the worst has this",
            )
            for each in privacy.required
        ),
        ("Highest risk", figure(privacy.risk_max), "of finding a person who is known to be in it"),
        ("Mean risk", figure(privacy.risk_mean), "the same, averaged over the records"),
        *(
            (
                f"Risk above {threshold:.0%}",
                figure(privacy.records_at_risk(threshold)),
                f"records in classes of fewer than {round(1 / threshold)}",
            )
            for threshold in RISK_THRESHOLDS
        ),
        ("Violations", figure(privacy.violations), "records generalised beyond a given bound"),
    ]
    for name, title, meaning in PRIVACY:
        for sensitive, value in (getattr(privacy, name) or {}).items():
            rows.append((f"{title}: {sensitive}", figure(value), meaning))
    return Section("Privacy", (), ("Measure", "Figure", "Meaning"), rows)


def class_sizes_section(result: Result) -> Section:
    """How many records are in classes of k to 2k − 1, 2k to 5k − 1 records, and so on."""
    sizes, k = result.release.class_sizes, result.task.k
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


def _search(result: Result) -> Section:
    search = result.grouping.search
    rows: list[list[str | Bar]] = [
        [str(name).replace("_", " "), figure(value)]
        for name, value in search.items()
        if isinstance(value, int | float)
    ]
    passing = search.get("passing") or []
    items = [
        f"{', '.join(f'{name} {level}' for name, level in _levels(found['levels'], result))}: "
        f"research value {figure(found['rv'])}"
        for found in passing[:10]
    ]
    said = []
    if len(passing) > 1:
        said.append(
            f"Of {len(passing):,} choices of levels found to reach k, the first ten are listed."
            if len(passing) > 10
            else f"{len(passing)} choices of levels were found to reach k."
        )
    return Section("The search", said, ("Count", "Figure") if rows else (), rows, items)


def _levels(levels: Any, result: Result) -> list[tuple[str, Any]]:
    """Levels with the names of their attributes, however the search lists them."""
    if hasattr(levels, "items"):
        return list(levels.items())
    return [(a.name, level) for a, level in zip(result.task.quasi, levels, strict=True)]


def _reproduce(result: Result) -> Section:
    versions = ", ".join(f"{name} {number}" for name, number in result.report["versions"].items())
    said = f"The same project, data and versions give the same release ({versions})."
    return Section("How to make it again", [said], command=reproduce(result))


# --- words --------------------------------------------------------------------------------------


def _example(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"


def _share(value: float | None) -> float:
    return min(1.0, max(0.0, value or 0.0))
