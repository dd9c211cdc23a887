"""Write and read the mapping of a release, and show it as a table.

A mapping is a JSON document that can be applied to new records: per quasi-identifier how values
become labels (a rule and a level, see `hierarchy.portable`), or the published cells of every class;
the roles of the other columns; and the privacy that the new release must have as well. Reading one
refuses what is wrong with it in a sentence that names the key.

As a table
- full-domain: a row per quasi-identifier and value with its level and the label it is published as;
- clustering: a row per class with its number of records and its published cells.

Identifiers are in neither form, and no row stands for a single record. A mapping may go where the
release goes, so values are listed only where somebody typed the hierarchy value by value (and then
all of it, whether they occur or not); of one that was built, the published labels.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import (
    FieldType,
    declared,
    list_of,
    member_of,
    optional,
    read_fields,
    section,
    text,
    whole_number,
    write_fields,
)
from kanon_tui.core.fields.declaration import mapping_of as values_by_name
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import document_text
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.hierarchy.portable import portable_rule, rule_hierarchy
from kanon_tui.core.hierarchy.specification import read_specification
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import plain_values
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.column_coding import CodedBounds, bounds_of
from kanon_tui.core.table.value_formats import FORMAT, Format
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import json_text

VERSION = 1
"""The version of the form of mapping files; there is one so far."""
MAPPING_ENDINGS = (".json",)
_LABELS = list_of(text("a label"), "a list of labels")
_TEXT = FieldType("a text", text().read)
"""Written as a text in any case, also where it spells a number."""
_END = FieldType("a number or a date", text("a number or a date").read)
_TEXTS = list_of(_TEXT, "a list of texts")
_AGAIN = "it by exporting the mapping again"


def _read_rule(located: LocatedValue) -> Mapping[str, Any]:
    rule = located.value
    if not isinstance(rule, dict):
        raise located.refuse(f"{located.described} is not a rule; export the mapping again")
    if "ranges" in rule:
        return {"ranges": _LABELS.read(located.entries(("ranges",))["ranges"])}
    if "builder" in rule:
        read_specification(located)
        if rule["builder"] == "mask" and "length" not in rule:
            raise located.refuse("the builder mask needs a length here; export the mapping again")
        return rule
    at = located.entries(("levels", "other"))
    if "levels" not in at:
        raise located.refuse("it has no builder, levels or ranges; export the mapping again")
    levels = {value: _LABELS.read(row) for value, row in at["levels"].entries().items()}
    checked = {"levels": levels, "other": _LABELS.read(at["other"]) if "other" in at else ()}
    rule_hierarchy(checked, f"{located.file}: {located.key}")
    return checked


@dataclass(frozen=True, kw_only=True)
class AttributeRule:
    """The recoding of one quasi-identifier."""

    name: str = ""
    kind: Kind = declared(type=member_of(Kind), required=_AGAIN)
    format: Format | None = declared(None, type=optional(FORMAT))
    publish: str = declared("", type=text())
    top: str | None = declared(None, type=optional(_END))
    bottom: str | None = declared(None, type=optional(_END))
    level: int | None = declared(None, type=optional(whole_number(low=0)))
    """Full-domain: the level; None where classes have cells of their own."""
    rule: Mapping[str, Any] = declared(type=FieldType("a rule", _read_rule), required=_AGAIN)
    labels: tuple[str, ...] | None = declared(None, type=optional(_LABELS))
    """The published labels of the level of a builder; SQL looks values up among them."""

    @property
    def bounds(self) -> CodedBounds:
        """The bounds from which on values are published as one."""
        return CodedBounds(self.top, self.bottom)

    @property
    def one_value(self) -> bool:
        """Whether a class publishes one value for all, which does not show who belongs to it."""
        return self.publish in ("mean", "median", "mode")


def _read_rules(located: LocatedValue) -> tuple[AttributeRule, ...]:
    rules = []
    for name, entry in located.entries().items():
        rule = replace(read_fields(AttributeRule, entry), name=name)
        fits = isinstance(rule.format, str) is (rule.kind is Kind.DATE)
        if rule.kind.ordered and (rule.format is None or not fits):
            raise entry.refuse(
                f"it is {rule.kind} without a format that fits; export the mapping again"
            )
        if rule.bounds and not rule.kind.ordered:
            raise entry.refuse("top and bottom are for numbers and dates; export the mapping again")
        rules.append(rule)
    if not rules:
        raise located.refuse("there is no attribute; export the mapping again")
    return tuple(rules)


def _write_rules(rules: Sequence[AttributeRule]) -> dict[str, Any]:
    return {rule.name: write_fields(rule) for rule in rules}


def _read_version(located: LocatedValue) -> int:
    if whole_number(low=1).read(located) != VERSION:
        raise located.refuse(
            f"{located.described} is not a version this Kanon reads; it reads version {VERSION}"
        )
    return VERSION


@dataclass(frozen=True, kw_only=True)
class ReleaseMapping:
    """All that is needed to publish new records as a release was published."""

    version: int = declared(
        VERSION, key="kanon_mapping", type=FieldType("a version", _read_version), always=True
    )
    privacy: Privacy = declared(type=section(Privacy), required=_AGAIN)
    missing_tokens: tuple[str, ...] = declared((), key="missing", type=_TEXTS, always=True)
    distinct: Literal["value", "exact"] = declared("value", always=True)
    formulas: Literal["keep", "escape"] = declared("keep", always=True)
    attributes: tuple[AttributeRule, ...] = declared(
        type=FieldType("a mapping of rules", _read_rules, _write_rules), required=_AGAIN
    )
    columns: Mapping[str, AttributeSpec] = declared(
        type=values_by_name(section(AttributeSpec), "a mapping of columns"),
        factory=dict,
        always=True,
    )
    """The other columns that a release has or counts by, with their roles."""
    classes: tuple[tuple[str, ...], ...] | None = declared(
        None, type=optional(list_of(_TEXTS, "classes", empty=False))
    )
    """Clustering: the published cells of every class, in the order of the attributes."""
    hides_cells: bool = declared(False)
    """Clustering: whether a star after a cell says that some cells of its class are hidden."""
    name: str = "the mapping"

    def refuse_one_value(self) -> None:
        """Refuse a mapping that publishes one value for all of a class."""
        for rule in self.attributes:
            if rule.one_value:
                raise InputError(
                    f"{self.name}: {rule.name} publishes the {rule.publish} of its class, which "
                    f"new records would change; a mapping of ranges, labels or sets can be applied"
                )


# --- writing ------------------------------------------------------------------------------------


def mapping_text(result: FinishedRun) -> str:
    """Return the mapping of a result as JSON."""
    task = result.task
    levels = result.grouping.levels
    cells = result.release.quasi_cells(result.release.class_members)
    rules = [
        _rule_of(attribute, None if levels is None else levels[x], cells[attribute.name])
        for x, attribute in enumerate(task.quasi)
    ]
    mapping = ReleaseMapping(
        privacy=task.privacy,
        missing_tokens=task.table.missing_tokens,
        distinct=result.project.data.distinct if result.project else "value",
        formulas=task.output.formulas,
        attributes=tuple(rules),
        columns=_other_columns(result),
        classes=None if levels is not None else tuple(cells.rows()),
        hides_cells=levels is None and result.grouping.suppressed_cells is not None,
    )
    return json_text(plain_values(write_fields(mapping))) + "\n"


def _rule_of(attribute: QuasiIdentifier, level: int | None, published: pl.Series) -> AttributeRule:
    column = attribute.column
    labels = () if level is None else attribute.hierarchy.labels[level]
    spec = attribute.hierarchy_spec
    typed = attribute.typed_hierarchy
    if typed is None and level is not None and (level == 0 or set(labels) == {HIDDEN}):
        level = min(level, 1)
        rule = {"builder": "flat"}
    else:
        shown = published.unique().to_list()  # the others tell about suppressed records
        rule = portable_rule(spec, column, typed, [label for label in labels if label in shown])
        if level is None and "levels" not in rule:  # the cells of classes say all
            rule = {"builder": "flat"}
        elif "widths" in rule:
            rule["widths"] = rule["widths"][:level]  # the widest tells how far values reach
    return AttributeRule(
        name=attribute.name,
        kind=column.kind,
        format=_format_of(column),
        publish=attribute.publish,
        level=level,
        rule=rule,
        labels=_labels(rule, published) if level else None,
        **asdict(bounds_of(column)),
    )


def _labels(rule: Mapping[str, Any], published: pl.Series) -> tuple[str, ...] | None:
    """Return the labels of a builder whose labels cannot be computed from a value alone."""
    if rule.get("builder") not in ("intervals", "breaks", "date"):
        return None
    return tuple(published.unique().sort().to_list())


def _other_columns(result: FinishedRun) -> dict[str, AttributeSpec]:
    """Return the roles of other columns that are published or counted by; no identifiers."""
    task = result.task
    kinds = {column.name: column for column in task.sensitive}
    columns = {}
    for name, role in task.roles.items():
        if role in (Role.QUASI, Role.IDENTIFIER):
            continue
        column = kinds.get(name)
        spec = AttributeSpec(role=role, kind=Kind.CATEGORICAL)
        if column is not None:
            spec = AttributeSpec(role, column.kind, _format_of(column))
        columns[name] = spec
    return columns


def _format_of(column: Column) -> Format | None:
    """Return how a column's numbers or dates are written; None for categories."""
    return column.date_format or column.number_format if column.kind.ordered else None


# --- reading ------------------------------------------------------------------------------------


def read_mapping(path: Path) -> ReleaseMapping:
    """Return the mapping in a file, or one sentence on what is wrong with it."""
    return mapping_from(_document(path), path.name)


def mapping_of(result: FinishedRun, name: str) -> ReleaseMapping:
    """Return the mapping of a result, just as it would be read from its file."""
    return mapping_from(json.loads(mapping_text(result)), name)


def mapping_from(document: Any, file: str) -> ReleaseMapping:
    """Return the mapping in a document, or one sentence on what is wrong with it."""
    located = LocatedValue(file, "", document)
    if not isinstance(located.value, dict) or "kanon_mapping" not in located.value:
        raise located.refuse(
            "this is no mapping; export one as .json from Results, or with run --mapping"
        )
    mapping = replace(read_fields(ReleaseMapping, located), name=file)
    rules = mapping.attributes
    lost = [rule.name for rule in rules if rule.level is None]
    if mapping.classes is None and lost:
        raise located.refuse(f"{lost[0]} has no level, and there are no classes; export it again")
    if any(len(row) != len(rules) for row in mapping.classes or ()):
        raise located.refuse(f"a class is a list of {len(rules)} texts, one per attribute")
    return mapping


def _document(path: Path) -> Any:
    if path.suffix.lower() in (".csv", ".tsv", ".parquet"):
        raise InputError(
            f"{path.name}: a mapping as a table is for reading; export it as .json, which can be "
            f"applied"
        )
    try:
        return json.loads(
            document_text(path, "mapping"),
            object_pairs_hook=lambda pairs: _once(pairs, path.name),
            parse_constant=lambda word: _refuse_constant(word, path.name),
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path.name}: line {error.lineno}, column {error.colno}: not JSON ({error.msg}); "
            f"export the mapping again"
        ) from None
    except RecursionError:
        raise InputError(f"{path.name}: nested too deeply to be a mapping") from None


def _once(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    value_by_key = dict(pairs)
    if len(value_by_key) < len(pairs):
        earlier_keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in earlier_keys or earlier_keys.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"{file}: the key {twice} stands there twice; keep one of them")
    return value_by_key


def _refuse_constant(word: str, file: str) -> Any:
    raise InputError(f"{file}: {word} is no number that a mapping can have")


def applied_mapping(result: FinishedRun) -> pl.DataFrame:
    """Return the mapping of a result."""
    if result.grouping.levels is None:
        return _of_classes(result)
    return _of_levels(result, result.grouping.levels)


def _of_levels(result: FinishedRun, levels: tuple[int, ...]) -> pl.DataFrame:
    attributes_at_levels = zip(result.task.quasi, levels, result.release.cells, strict=True)
    rows = [
        (attribute.name, value, level, label)
        for attribute, level, cells in attributes_at_levels
        for value, label in _values_and_labels(attribute, level, cells.texts)
    ]
    return pl.DataFrame(rows, _OF_LEVELS, orient="row")


_OF_LEVELS = {"attribute": pl.String, "value": pl.String, "level": pl.Int64, "published": pl.String}


def _values_and_labels(
    attribute: QuasiIdentifier, level: int, published: Sequence[str]
) -> list[tuple[str | None, str]]:
    """Return (value, label) pairs that may be published; None for a value that may not."""
    typed = attribute.typed_hierarchy
    if typed is not None:
        return [(row[0], row[level] if level < len(row) else HIDDEN) for row in typed.rows]
    return [(label if level == 0 else None, label) for label in published]


def _of_classes(result: FinishedRun) -> pl.DataFrame:
    release = result.release
    quasi = [attribute.name for attribute in result.task.quasi]
    sizes = release.class_sizes
    columns = {
        _unused("class", quasi): np.arange(1, len(sizes) + 1),
        _unused("records", quasi): sizes,
    }
    return pl.DataFrame({**columns, **release.quasi_cells(release.class_members).to_dict()})


def _unused(name: str, taken: Collection[str]) -> str:
    """Return the name, or one that no quasi-identifier has."""
    while name in taken:
        name += "_"
    return name
