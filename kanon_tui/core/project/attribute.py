"""The settings of one attribute in a project, and the forms of its special keys."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kanon_tui.core.fields.declaration import (
    Checked,
    FieldType,
    choice,
    declared,
    list_of,
    number,
    optional,
    text,
    whole_number,
)
from kanon_tui.core.fields.yaml_text import LocatedValue, Plain, exact_number
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.hierarchy.specification import HIERARCHY
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.end_coding import CodedBounds
from kanon_tui.core.table.value_formats import FORMAT, Format
from kanon_tui.core.task.rules import RULES, RuleTable

# --- ends of a domain: numbers or dates ---------------------------------------------------------


def _read_end(located: LocatedValue) -> int | float | str:
    if isinstance(located.value, int | float) and not isinstance(located.value, bool):
        if not math.isfinite(located.value):
            raise located.wrong("a number or a date")
        return located.value
    written = located.text("a number or a date")
    return exact_number(written) if isinstance(located.value, Plain) else written


def _write_end(end: Any) -> int | float | str:
    return end if isinstance(end, int | float | str) else str(end)


_END = FieldType("a number or a date", _read_end, _write_end)
_DOMAIN = list_of(_END, "two values: [smallest, largest]", length=2)


# --- marked labels ------------------------------------------------------------------------------

_LABEL = text("a label")
_LEVEL = whole_number(low=0)


def _read_mark(located: LocatedValue) -> str | Mark:
    if not isinstance(located.value, Mapping):
        return located.text("a label, or {label: X, level: 2}")
    at = located.entries(("label", "level"))
    for key in ("label", "level"):
        if key not in at:
            raise located.refuse(f"the key {key} is missing; write {{label: X, level: 2}}")
    return Mark(_LEVEL.read(at["level"]), _LABEL.read(at["label"]))


def _write_mark(mark: str | Mark) -> Any:
    if isinstance(mark, Mark):
        return {"label": exact_number(mark.label), "level": mark.level}
    return exact_number(mark)


_MARKS = list_of(
    FieldType("a label, or {label: X, level: 2}", _read_mark, _write_mark),
    "a list of labels, or of {label: X, level: 2}",
)

_RESEARCH_VALUES = list_of(
    optional(number(low=0, words="a number of at least 0, or null")),
    "a list of numbers, one per level, null for the computed one",
)


Publish = Literal["range", "rounded", "mean", "median", "hierarchy", "ancestor", "set", "mode"]

_NUMERIC = FieldType(
    "ranges or hierarchy",
    lambda located: {"ranges": "range"}.get(
        word := choice(("ranges", "hierarchy")).read(located), word
    ),
    name="str",
)
"""The key `numeric: ranges|hierarchy` of older files, which `publish` replaced."""


@dataclass(frozen=True)
class AttributeSpec(Checked):
    """The settings of one attribute in a project; None leaves the choice to Kanon."""

    role: Role | None = declared(None, "Role in the release; guessed if not given")
    kind: Kind | None = declared(None, "Kind of its values; guessed if not given")
    format: Format | None = declared(
        None, "Format of its dates or numbers; detected if not given", type=optional(FORMAT)
    )
    weight: float | None = declared(
        None, "Weight; attributes without one share the rest of 1", low=0
    )
    resolution: float | None = declared(None, "The width of one unit of its span", above=0)
    span: Literal["domain", "distinct"] = declared(
        "domain",
        "Numbers and dates: the span of a range in research value, as all possible units or as the "
        "distinct values of the table in it",
    )
    domain: tuple[Any, Any] | None = declared(
        None,
        "The smallest and largest value; those of the data if not given",
        type=optional(_DOMAIN),
    )
    top: int | float | str | None = declared(
        None,
        "Numbers and dates: values at or above it are published as one, such as >=90",
        type=optional(_END),
    )
    bottom: int | float | str | None = declared(
        None,
        "Numbers and dates: values at or below it are published as one, such as <=18",
        type=optional(_END),
    )
    hierarchy: Mapping[str, Any] | None = declared(
        None, "Levels: a builder, a file or a level table", type=optional(HIERARCHY)
    )
    publish: Publish | None = declared(
        None,
        "What a class publishes. Numbers and dates: range, rounded (a range with ends on a round "
        "grid, which are no values of people), mean, median, or the label of their "
        "hierarchy; categories: ancestor (the label above), set, or mode. range or ancestor if not "
        "given",
        formerly=(("categories", choice(("ancestor", "set"))), ("numeric", _NUMERIC)),
    )
    rules: RuleTable = declared(RuleTable(), "Values that a class must not mix", type=RULES)
    rule_emphasis: float | None = declared(
        None,
        "How much rules count against granularity in its research value, from 0 (not at all) to 1 "
        "(alone); that of the project if not given",
        low=0,
        high=1,
    )
    magvals: tuple[str | Mark, ...] = declared(
        (), "Most general labels allowed for their values", type=_MARKS
    )
    max_width: float | None = declared(
        None,
        "Numbers and dates: largest width of a published range, a limit like a MAGVal (dates in "
        "days)",
        low=0,
    )
    max_level: int | None = declared(
        None, "Full-domain: the highest level that a search may choose", low=0
    )
    rv: tuple[float | None, ...] | None = declared(
        None, "Research values typed by hand, one per level", type=optional(_RESEARCH_VALUES)
    )
    identifier: Literal["drop", "pseudonym"] = declared(
        "drop", "Identifiers: left out, or published as pseudonyms that the key file alone can undo"
    )
    guessed: bool = declared(
        False,
        "Whether role, kind and levels are guesses that nobody has confirmed; a run needs them "
        "confirmed, or --accept-guesses",
    )
    publish_unique: bool = declared(
        False, "Whether to publish it unchanged although it singles people out (or is a weight)"
    )

    @property
    def coded_bounds(self) -> CodedBounds:
        """The bounds at which the attribute's ends are coded."""
        return CodedBounds(self.top, self.bottom)
