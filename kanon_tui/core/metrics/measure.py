"""All metrics of a release, and of the levels of one attribute, from published cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kanon_tui.core.errors import check_known
from kanon_tui.core.metrics import losses, research_value
from kanon_tui.core.metrics.cells import CellGroups, cells_of
from kanon_tui.core.metrics.privacy import PrivacyMeasures, measure_privacy
from kanon_tui.core.numeric import sum_in_order
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.task.task import QuasiIdentifier, Task


@dataclass(frozen=True)
class LevelMeasures:
    """One level of an attribute, taken alone."""

    level: int
    labels: int
    smallest: int
    """Records of the rarest label, or people where these have several records."""
    passes: bool
    """Whether the attribute at this level is k-anonymous by itself."""
    rv: float
    ncp: float


def level_measures(
    attribute: QuasiIdentifier, k: int, allowed_suppressed: int, person: Column | None = None
) -> tuple[LevelMeasures, ...]:
    """Return the measures of every level of an attribute alone, over all records.

    A level passes when the records under labels rarer than k are no more than may be suppressed;
    with a column of persons, people are counted.
    """
    values = research_value.level_research_values(attribute)
    measures = []
    for level in range(attribute.hierarchy.height + 1):
        cells = CellGroups.of_level(attribute, level, attribute.column.counts)
        sizes = cells.size
        if person is not None:
            labels = attribute.hierarchy.maps[level][attribute.column.codes]
            sizes = GroupValues.from_records(labels, person.codes, len(sizes)).distinct
        measures.append(
            LevelMeasures(
                level=level,
                labels=len(sizes),
                smallest=int(sizes.min()),
                passes=int(sizes[sizes < k].sum()) <= allowed_suppressed,
                rv=float(values[level]),
                ncp=losses.attribute_ncp(cells),
            )
        )
    return tuple(measures)


@dataclass(frozen=True)
class RuleKept:
    """A data constraint rule and the share of the records whose group keeps it (of one: 0 or 1)."""

    rule: str
    importance: float
    kept: float


@dataclass(frozen=True)
class AttributeMeasures:
    """The measures of one quasi-identifier of a release."""

    weight: float
    rule_emphasis: float
    """The weight of rules against granularity in `rv`."""
    ncp: float
    rv: float
    level: int | None
    """Full-domain only."""
    mean_span: float
    il: float
    rules: tuple[RuleKept, ...]


@dataclass(frozen=True, eq=False)
class Measures:
    """All measures of a release."""

    ncp: float
    ncp_class: float | None
    """NCP of the values that classes hold, not of the labels; None where these are not counted."""
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
    suppressed_people: int
    """People who lose a record; records, where no column names the person."""
    suppressed_cells: int
    """Cells hidden one by one in published records."""
    attributes: Mapping[str, AttributeMeasures]
    privacy: PrivacyMeasures
    rounding: float | None = None
    """NCP that round ends cost; None where no attribute publishes them."""

    @property
    def hidden(self) -> tuple[str, ...]:
        """The attributes that the release hides in every record."""
        return tuple(name for name, measured in self.attributes.items() if measured.ncp > 1 - 1e-9)


def measure(release: Release, class_attribute: str | None = None) -> Measures:
    """Return all measures of a release.

    `class_attribute` names the column whose majority label the classification metric looks at;
    the first categorical sensitive attribute when it is not given (numbers have no majority).
    """
    cells = cells_of(release)
    levels = release.grouping.levels or [None] * len(cells)
    attributes = {
        measured.attribute.name: _attribute_measures(measured, level)
        for measured, level in zip(cells, levels, strict=True)
    }
    ncp = sum_in_order(measured.weight * measured.ncp for measured in attributes.values())
    labels = _class_labels(release.task, class_attribute)
    sizes = release.class_sizes
    privacy = measure_privacy(release, cells)
    singly = release.grouping.suppressed_cells
    return Measures(
        ncp=ncp,
        ncp_class=losses.class_ncp(release),
        utility=1.0 - ncp,
        rv=sum_in_order(measured.rv for measured in attributes.values()),
        il=sum_in_order(measured.il for measured in attributes.values()),
        dm=losses.discernibility(release),
        cm=None if labels is None else losses.classification_metric(release, labels),
        c_avg=losses.average_class_size(release),
        md=losses.changed_cells(release, cells),
        iloss=losses.iloss(cells),
        precision=losses.precision(release),
        classes=len(sizes),
        distinct_published=losses.distinct_published(release),
        smallest_class=privacy.smallest_class,
        largest_class=int(sizes.max()) if len(sizes) else 0,
        suppressed_records=release.suppressed_records,
        suppressed_people=release.task.count(release.suppressed),
        suppressed_cells=0 if singly is None else int(singly[~release.suppressed].sum()),
        attributes=attributes,
        privacy=privacy,
        rounding=_rounding_loss(cells),
    )


def _rounding_loss(cells: Sequence[CellGroups]) -> float | None:
    """Return by how much NCP is higher than with the observed ends of ranges."""
    rounded = [
        groups for groups in cells if groups.attribute.publish == "rounded" and groups.level is None
    ]
    if not rounded:
        return None
    exact = (
        replace(groups, attribute=replace(groups.attribute, publish="range")) for groups in rounded
    )
    return sum_in_order(
        with_round_ends.attribute.weight
        * (losses.attribute_ncp(with_round_ends) - losses.attribute_ncp(with_observed_ends))
        for with_round_ends, with_observed_ends in zip(rounded, exact, strict=True)
    )


def _attribute_measures(cells: CellGroups, level: int | None) -> AttributeMeasures:
    attribute = cells.attribute
    shares_kept = research_value.rules_kept(cells).tolist()
    return AttributeMeasures(
        weight=attribute.weight,
        rule_emphasis=attribute.rule_emphasis,
        ncp=losses.attribute_ncp(cells),
        rv=research_value.attribute_research_value(cells),
        level=level,
        mean_span=research_value.mean_span(cells),
        il=losses.attribute_il(cells),
        rules=tuple(
            RuleKept(str(rule), rule.importance, share)
            for rule, share in zip(attribute.rules.rules, shares_kept, strict=True)
        ),
    )


def _class_labels(task: Task, name: str | None) -> Column | None:
    """Return the class attribute, which may be any column of the table."""
    if name is None:
        ordered = sorted(task.sensitive, key=lambda column: column.kind.ordered)
        return ordered[0] if ordered else None
    for column in (*task.sensitive, *(attribute.column for attribute in task.quasi)):
        if column.name == name:
            return column
    problem = f"class_attribute: the data has no column '{name}'"
    check_known(name, task.table.names, problem)
    return task.table.column(name, Kind.CATEGORICAL)
