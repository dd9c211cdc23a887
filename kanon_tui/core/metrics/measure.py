"""Every metric of a release, computed from its published cells, for all algorithms alike.

`measure` judges a release, `level_measures` the levels of one attribute alone, and
`check_published` a table that somebody else has already anonymised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.data.guess import guess_attributes
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.data.table import Table, as_table
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.metrics.cells import CellGroups, cells_of
from kanon_tui.core.metrics.class_sizes import (
    average_class_size,
    classification_metric,
    discernibility,
    distinct_published,
)
from kanon_tui.core.metrics.information_loss import (
    attribute_il,
    changed_cells,
    iloss,
    precision,
)
from kanon_tui.core.metrics.ncp import attribute_ncp
from kanon_tui.core.metrics.privacy import (
    PrivacyMeasures,
    diversity,
    measure_privacy,
    prosecutor_risk,
)
from kanon_tui.core.metrics.research_value import (
    attribute_research_value,
    level_research_values,
    mean_span,
    rules_kept,
)
from kanon_tui.core.release.recode import Release, number_rows
from kanon_tui.core.task.task import QuasiIdentifier, Task

__all__ = [
    "AttributeMeasures",
    "LevelMeasures",
    "Measures",
    "PrivacyMeasures",
    "RuleKept",
    "check_published",
    "level_measures",
    "level_research_values",
    "measure",
]


@dataclass(frozen=True)
class RuleKept:
    """A data constraint rule and the share of the published records whose group keeps it."""

    rule: str
    importance: float
    kept: float


@dataclass(frozen=True)
class AttributeMeasures:
    """What a release does to one quasi-identifier."""

    weight: float
    ncp: float
    rv: float
    level: int | None
    """Full-domain only."""
    mean_span: float
    il: float
    rules: tuple[RuleKept, ...]


@dataclass(frozen=True, eq=False)
class Measures:
    """Everything that is measured of a release."""

    ncp: float
    utility: float
    """1 − NCP."""
    rv: float
    il: float
    dm: int
    cm: float | None
    """None where there is neither a sensitive attribute nor a chosen class attribute."""
    c_avg: float
    md: int
    iloss: float
    precision: float | None
    """Full-domain only."""
    classes: int
    distinct_published: int
    smallest_class: int
    largest_class: int
    suppressed_records: int
    suppressed_cells: int
    """Cells hidden one by one in published records."""
    attributes: Mapping[str, AttributeMeasures]
    privacy: PrivacyMeasures


@dataclass(frozen=True)
class LevelMeasures:
    """One level of an attribute, taken alone."""

    level: int
    labels: int
    smallest: int
    """Records of the rarest label."""
    passes: bool
    """Whether the attribute at this level is k-anonymous by itself."""
    rv: float
    ncp: float


def measure(release: Release, class_attribute: str | None = None) -> Measures:
    """All metrics of a release.

    `class_attribute` names the column whose majority label the classification metric looks at;
    the first categorical sensitive attribute when it is not given (numbers have no majority).
    """
    cells = cells_of(release)
    attributes = {each.attribute.name: _attribute_measures(each) for each in cells}
    ncp = sum(each.weight * each.ncp for each in attributes.values())
    labels = _class_labels(release.task, class_attribute)
    sizes = release.class_sizes
    privacy = measure_privacy(release, cells)
    singly = release.grouping.suppressed_cells
    return Measures(
        ncp=ncp,
        utility=1.0 - ncp,
        rv=sum(each.rv for each in attributes.values()),
        il=sum(each.il for each in attributes.values()),
        dm=discernibility(release),
        cm=None if labels is None else classification_metric(release, labels),
        c_avg=average_class_size(release),
        md=changed_cells(release),
        iloss=iloss(cells),
        precision=precision(release),
        classes=len(sizes),
        distinct_published=distinct_published(release),
        smallest_class=privacy.k,
        largest_class=int(sizes.max()) if len(sizes) else 0,
        suppressed_records=int(release.suppressed.sum()),
        suppressed_cells=0 if singly is None else int(singly[~release.suppressed].sum()),
        attributes=attributes,
        privacy=privacy,
    )


def level_measures(
    attribute: QuasiIdentifier, k: int, allowed_suppressed: int
) -> tuple[LevelMeasures, ...]:
    """Every level of an attribute alone, over all records of the table.

    A level passes when the records under labels rarer than k are no more than may be suppressed.
    """
    values = level_research_values(attribute)
    measures = []
    for level in range(attribute.hierarchy.height + 1):
        cells = CellGroups.of_level(attribute, level, attribute.column.counts)
        measures.append(
            LevelMeasures(
                level=level,
                labels=len(cells.size),
                smallest=int(cells.size.min()),
                passes=int(cells.size[cells.size < k].sum()) <= allowed_suppressed,
                rv=float(values[level]),
                ncp=attribute_ncp(cells),
            )
        )
    return tuple(measures)


def check_published(
    frame: pl.DataFrame, quasi: Sequence[str], sensitive: str | None, k: int
) -> dict[str, Any]:
    """Measure a table that is already anonymised, whoever made it.

    Cells are compared as they are printed; every row counts, one of nothing but `*` too. The
    sensitive attribute is ordered when it is guessed to hold numbers or dates, and t-closeness is
    measured against the table itself, as nothing else is known.
    """
    table = as_table(frame)
    for name in (*quasi, *([sensitive] if sensitive is not None else [])):
        if name not in table.names:
            raise InputError(f"the table has no column '{name}'; {suggestion(name, table.names)}")
    if not quasi:
        raise InputError("no quasi-identifiers are named; name at least one column")
    printed = as_table(table, missing_tokens=())
    classes = number_rows([printed.column(name, Kind.CATEGORICAL).codes for name in quasi])
    sizes = np.bincount(classes)
    risk_max, risk_mean = prosecutor_risk(sizes)
    found = None
    if sensitive is not None:
        guess = guess_attributes(Table(table.frame.select(sensitive)))[sensitive]
        column = table.column(sensitive, guess.kind, guess.date_format)
        found = diversity(classes, sizes, column.codes, column.counts, column.kind.ordered)
    return {
        "records": table.height,
        "quasi": list(quasi),
        "classes": len(sizes),
        "k": int(sizes.min()),
        "l_distinct": found.l_distinct if found else None,
        "l_entropy": found.l_entropy if found else None,
        "t": found.t if found else None,
        "p": found.p if found else None,
        "alpha": found.alpha if found else None,
        "risk_max": risk_max,
        "risk_mean": risk_mean,
        "reached": int(sizes.min()) >= k,
    }


def _attribute_measures(cells: CellGroups) -> AttributeMeasures:
    attribute = cells.attribute
    kept = rules_kept(cells).tolist()
    return AttributeMeasures(
        weight=attribute.weight,
        ncp=attribute_ncp(cells),
        rv=attribute_research_value(cells),
        level=cells.level,
        mean_span=mean_span(cells),
        il=attribute_il(cells),
        rules=tuple(
            RuleKept(str(rule), rule.importance, share)
            for rule, share in zip(attribute.rules.rules, kept, strict=True)
        ),
    )


def _class_labels(task: Task, name: str | None) -> npt.NDArray[np.integer] | None:
    """Codes of the class attribute, which may be any column of the table."""
    if name is None:
        ordered = sorted(task.sensitive, key=lambda column: column.kind.ordered)
        return ordered[0].codes if ordered else None
    for column in (*task.sensitive, *(attribute.column for attribute in task.quasi)):
        if column.name == name:
            return column.codes
    if name not in task.table.names:
        raise InputError(
            f"class_attribute: the data has no column '{name}'; "
            f"{suggestion(name, task.table.names)}"
        )
    return task.table.column(name, Kind.CATEGORICAL).codes
