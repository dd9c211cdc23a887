"""The sections of a project: data, attributes, algorithm, resources, context, texts of the report.

A context says who gets a release under which controls, and which risk is accepted why. Presets fill
the threshold and say where it comes from. A preset is a starting point that somebody has to defend,
never a legal verdict.

Sources of the numbers: El Emam, Guide to the De-Identification of Personal Health Information, 2013
(cell sizes of 20, 5 and 3 by the controls on the data); EMA, External guidance on the
implementation of Policy 0070, EMA/90915/2016 (0.09); CMS, Cell Size Suppression Policy, as ResDAC
publishes it (no cells of 1 to 10). No number: 45 CFR 164.514(b)(1) and the guidance of HHS of 26
November 2012; Article 29 Working Party, Opinion 05/2014 (WP216), 10 April 2014. The fields follow
ISO/IEC 27559:2022: assessments of context, data and identifiability, governance.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kanon_tui.core.addresses import misses_slashes
from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.fields.declaration import (
    Checked,
    FieldType,
    choice,
    declared,
    inlined,
    keys_of,
    list_of,
    number,
    optional,
    read_parameters,
    text,
    whole_number,
    write_fields,
)
from kanon_tui.core.fields.located import LocatedValue, Plain, exact_number
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.hierarchy.specification import HIERARCHY
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.column_coding import CodedBounds
from kanon_tui.core.table.read_options import SIZE, ReadOptions
from kanon_tui.core.table.value_formats import FORMAT, Format
from kanon_tui.core.task.rules import RULES, RuleTable

_PATH = "the path of a data file or the connection string of a database"


def _read_path(located: LocatedValue) -> str:
    path = located.text(_PATH)
    if not path or "\0" in path:
        raise located.wrong(_PATH)
    if misses_slashes(path):  # and may hold a password, so it is not shown
        raise located.refuse(
            "it looks like a connection string with a mistake; write it like "
            "postgresql+psycopg://host/database, and a file of this name as ./NAME"
        )
    return path


@dataclass(frozen=True)
class DataSource:
    """The table of a project: its path and how to read it."""

    path: str = declared(
        help="The data file, or a folder or pattern of its parts, relative to the project file; or "
        "the connection string of a database",
        type=FieldType(_PATH, _read_path, exact_number),
        required="data: {path: FILE}",
    )
    read_options: ReadOptions = declared(factory=ReadOptions, type=inlined(ReadOptions))
    unlisted: Literal["drop", "publish", "omit", "guess"] = declared(
        "drop",
        "Columns that the project does not name: left out unless they seem quasi-identifying, "
        "published unchanged unless they seem to identify people, left out in any case, or given "
        "the roles that they seem to have, which a run needs confirmed",
    )
    distinct: Literal["value", "exact"] = declared(
        "value",
        "What l, t, p and alpha count: distinct values (100 and 1e2 are one, HIV and hiv are one), "
        "or distinct spellings",
    )
    missing_policy: Literal["value", "drop"] = declared(
        "value",
        "Missing values: treated as a value, or their records dropped",
        key="missing.policy",
    )


@dataclass(frozen=True)
class AlgorithmChoice:
    """An algorithm by name, with the parameters that differ from their defaults."""

    name: str = declared(
        "global",
        "Name of the algorithm; see `kanon-tui algorithms`",
        words="the name of an algorithm",
        always=True,
    )
    params: Mapping[str, Any] = declared(
        help="Parameters that differ from their defaults",
        type=FieldType("a mapping of parameters", lambda located: located.value, dict),
        factory=dict,
    )
    guessed: bool = dataclasses.field(default=False, compare=False)
    """Whether nobody has named it."""


def _read_algorithm(located: LocatedValue) -> AlgorithmChoice:
    """Read an algorithm and those parameters that it declares."""
    at = located.entries(keys_of(AlgorithmChoice))
    name = at["name"].text("the name of an algorithm") if "name" in at else AlgorithmChoice.name
    algorithm = find_algorithm(name, f"{located.file}: {located.key}.name")
    parameters = read_parameters(algorithm, at["params"]) if "params" in at else {}
    return AlgorithmChoice(name, parameters, guessed=not at)


ALGORITHM = FieldType("a mapping with the keys name and params", _read_algorithm, write_fields)
"""An algorithm and its parameters."""


Engine = Literal["auto", "memory", "stream", "dask"]


@dataclass(frozen=True)
class Resources:
    """The engine, memory and scheduler of a run. The release does not depend on them."""

    engine: Engine = declared(
        "auto",
        "Engine: in memory, coded into a file (stream), or on a Dask cluster; auto: in memory "
        "where the table fits",
    )
    memory: int | Literal["auto"] = declared(
        "auto", "Memory limit of a run; auto: the memory of the machine", type=SIZE
    )
    scheduler: str | None = declared(
        None,
        "Address of a Dask scheduler, like tls://host:8786, which needs --trust; none: Kanon "
        "starts its own cluster",
    )


@dataclass(frozen=True)
class ReportTexts:
    """Free text by those responsible for a release, which the report quotes as it is."""

    purpose: str = declared("", "Purpose of the release", type=text("a sentence"))
    recipients: str = declared("", "Recipients of the release", type=text("a sentence"))
    decisions: tuple[str, ...] = declared(
        (),
        "Decisions, by whom and why",
        type=list_of(text("a sentence"), "a list of sentences"),
    )
    signed_by: tuple[str, ...] = declared(
        (),
        "Names and offices of those who sign the report",
        type=list_of(text("a name"), "a list of names"),
    )


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
    """The settings of one attribute in a project; None leaves the choice to Kanon.

    Its fields are the keys of an attribute in a project file.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.AttributeSpec("quasi", kind="numeric", top=90).role.value
    'quasi'
    """

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
        (), "MAGVals: the most general labels allowed for the values below them", type=_MARKS
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


@dataclass(frozen=True)
class Preset:
    """A starting point for the threshold of a release."""

    title: str
    threshold: float | None
    """The highest risk of a person that is accepted; None where the source names no number."""
    source: str


PRESETS = {
    "public": Preset("public use file", 0.05, "classes of 20, for data anybody can get (El Emam)"),
    "scientific": Preset("scientific use file", 0.2, "classes of 5, under contract (El Emam)"),
    "secure": Preset("secure use", 1 / 3, "classes of 3, in a controlled room (El Emam)"),
    "ema-0070": Preset("EMA Policy 0070 style", 0.09, "EMA/90915/2016, for published reports"),
    "hipaa": Preset("HIPAA expert style", None, "45 CFR 164.514(b)(1): 'very small', no number"),
    "wp29": Preset("WP29 checklist", None, "Opinion 05/2014: three questions and no number"),
    "small-cells": Preset("small-cell rule", 1 / 11, "CMS: no cell of 1 to 10 people, so k = 11"),
}
NO_VERDICT = "A preset is a starting point for a decision, not a legal verdict."
_SENTENCE = text("a sentence")


@dataclass(frozen=True)
class ReleaseContext:
    """The recipient of a release, the controls, the accepted risk, and the person who decided."""

    preset: str | None = declared(
        None, "A source that fills the threshold", type=optional(choice(PRESETS))
    )
    recipient: Literal["public", "registered", "secure", "internal"] | None = declared(
        None, "Recipients: anybody, registered researchers, a secure environment, your organisation"
    )
    purpose: str = declared("", "What the recipients use the release for", type=_SENTENCE)
    controls: str = declared("", "Contracts and technical controls", type=_SENTENCE)
    population: str = declared("", "The population that the table is a part of", type=_SENTENCE)
    threshold: float | None = declared(
        None, "The highest accepted risk of a person; that of the preset", low=0, high=1
    )
    reason: str = declared("", "Reason for this threshold", type=_SENTENCE)
    review: str = declared("", "Date of the next review: 2027-05-01", type=text("a date"))
    decided_by: str = declared("", "The person who decided", type=text("a name"))

    @property
    def bound(self) -> float | None:
        """The accepted risk: what was typed, else that of the preset."""
        if self.threshold is not None or self.preset is None:
            return self.threshold
        return PRESETS[self.preset].threshold
