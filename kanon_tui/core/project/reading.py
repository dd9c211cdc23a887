"""From a mapping, as YAML gives it or Python makes it, to a `Project`.

Every key, type and value is checked, and what is wrong is named by its full key. Values of the
table (in rules, hierarchies, MAGVals) are texts exactly as they were written, whatever YAML
itself would make of them.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import ReadOptions
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import fields_of, read_parameters
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import number, whole_number
from kanon_tui.core.fields.yaml_text import Plain, exact_number
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.hierarchy.specification import read_hierarchy
from kanon_tui.core.privacy.requirements_file import REQUIREMENT_KEYS, read_requirements
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.rules import Apart, Boundary, Rule, RuleTable

__all__ = ["VERSION", "project_from_mapping"]

VERSION = 1
"""Of the form of project files; there is one so far."""
_VERSION = whole_number(low=1)


def project_from_mapping(mapping: Any, file: str = "project") -> Project:
    """Check a mapping (from YAML or made in Python) and make a project of it.

    >>> project_from_mapping({"data": {"path": "census.csv"}, "privacy": {"k": 3}}).privacy.k
    3
    """
    whole = LocatedValue(file, "", mapping)
    sections = (
        "version", "data", "attributes", "weights", "privacy", "algorithm", "seed", "output"
    )  # fmt: skip
    if not isinstance(mapping, Mapping):
        raise whole.refuse(
            f"{whole.shown} is not a project; write a mapping that starts with data: {{path: FILE}}"
        )
    at = whole.entries(sections)
    if "version" in at and _VERSION.read(at["version"]) != VERSION:
        raise at["version"].refuse(
            f"{at['version'].shown} is not a version this Kanon reads; it reads version {VERSION}"
        )
    if "data" not in at:
        raise whole.refuse("the key data is missing; write data: {path: FILE}")
    project = Project(data=_data(at["data"]))
    if "attributes" in at:
        specs = {name: _attribute(p) for name, p in at["attributes"].entries().items()}
        project = replace(project, attributes=specs)
    if "weights" in at:
        weights = cast(Literal["equal", "auto"], at["weights"].one_of(("equal", "auto")))
        project = replace(project, weights=weights)
    if "privacy" in at:
        project = replace(project, privacy=_privacy(at["privacy"]))
    if "algorithm" in at:
        project = replace(project, algorithm=_algorithm(at["algorithm"]))
    if "seed" in at:
        project = replace(project, seed=whole_number(low=0).read(at["seed"]))
    if "output" in at:
        project = replace(project, output=_output(at["output"]))
    return project


def _data(located: LocatedValue) -> DataSource:
    at = located.entries(
        (
            "path", "delimiter", "header", "encoding", "quote", "space_after_delimiter", "missing",
        )
    )  # fmt: skip
    if "path" not in at:
        raise located.refuse("the key path is missing; write data: {path: FILE}")
    path = at["path"].text("the path of a data file")
    if not path or "\0" in path:
        raise at["path"].wrong("the path of a data file")
    options: dict[str, Any] = {}
    for key, reader in _READ_OPTIONS.items():
        if key in at:
            options[key] = reader(at[key])
    policy: Literal["value", "drop"] = "value"
    if "missing" in at:
        missing = at["missing"].entries(("tokens", "policy"))
        if "tokens" in missing:
            tokens = missing["tokens"].items('a list of texts like ["", "?", NA]')
            options["missing_tokens"] = tuple(token.text() for token in tokens)
        if "policy" in missing:
            policy = cast(Literal["value", "drop"], missing["policy"].one_of(("value", "drop")))
    return DataSource(path, ReadOptions(**options), policy)


def _delimiter(located: LocatedValue) -> str:
    allowed = 'auto or one character in quotes, such as ",", ";" or "\\t"'
    text = located.text(allowed)
    if text not in ("auto", "\\t") and (len(text) != 1 or text in "\r\n\0\"'"):
        raise located.wrong(allowed)
    return text


def _encoding(located: LocatedValue) -> str:
    allowed = "auto or a text encoding such as utf-8 or latin-1"
    text = located.text(allowed)
    try:
        known = text == "auto" or codecs.lookup(text) is not None
    except (LookupError, ValueError):
        known = False
    if not known:
        raise located.wrong(allowed)
    return text


def _header(located: LocatedValue) -> bool | str | tuple[str, ...]:
    if isinstance(located.value, list | tuple):
        return tuple(name.text("the name of a column") for name in located.items("a list of names"))
    return _auto_or_switch(located, "true, false, auto or a list of column names")


def _auto_or_switch(located: LocatedValue, allowed: str = "true, false or auto") -> bool | str:
    if located.value == "auto":
        return "auto"
    try:
        return located.switch()
    except InputError:
        raise located.wrong(allowed) from None


_READ_OPTIONS: dict[str, Callable[[LocatedValue], Any]] = {
    "delimiter": _delimiter,
    "header": _header,
    "encoding": _encoding,
    "quote": lambda located: located.one_of(("auto", '"', "'", "none")),
    "space_after_delimiter": _auto_or_switch,
}


def _attribute(located: LocatedValue) -> AttributeSpec:
    at = located.entries(
        (
            "role", "kind", "format", "weight", "resolution", "domain",
            "hierarchy", "rules", "magvals", "rv",
        )
    )  # fmt: skip
    given: dict[str, Any] = {}
    if "role" in at:
        given["role"] = Role(at["role"].one_of([role.value for role in Role]))
    if "kind" in at:
        given["kind"] = Kind(at["kind"].one_of([kind.value for kind in Kind]))
    if "format" in at:
        given["format"] = at["format"].text("a date format like '%d.%m.%Y'")
    if "weight" in at:
        given["weight"] = number(low=0).read(at["weight"])
    if "resolution" in at:
        given["resolution"] = number(above=0).read(at["resolution"])
    if "domain" in at:
        ends = at["domain"].items("two values: [smallest, largest]", length=2)
        given["domain"] = tuple(_end(end) for end in ends)
    if "hierarchy" in at:
        given["hierarchy"] = read_hierarchy(at["hierarchy"])
    if "rules" in at:
        given["rules"] = _rules(at["rules"])
    if "magvals" in at:
        marks = at["magvals"].items("a list of labels, or of {label: X, level: 2}")
        given["magvals"] = tuple(_mark(mark) for mark in marks)
    if "rv" in at:
        values = at["rv"].items("a list of numbers, one per level, null for the computed one")
        given["rv"] = tuple(
            None if v.value is None else v.number("a number of at least 0, or null", low=0)
            for v in values
        )
    return AttributeSpec(**given)


def _end(located: LocatedValue) -> int | float | str:
    if isinstance(located.value, int | float) and not isinstance(located.value, bool):
        if not math.isfinite(located.value):
            raise located.wrong("a number or a date")
        return located.value
    text = located.text("a number or a date")
    return exact_number(text) if isinstance(located.value, Plain) else text


def _rules(located: LocatedValue) -> RuleTable:
    at = located.entries(("base", "keep"))
    base = number(low=0).read(at["base"]) if "base" in at else 0.0
    rules = at["keep"].items("a list of rules") if "keep" in at else ()
    return RuleTable(base, tuple(_rule(rule) for rule in rules))


def _rule(located: LocatedValue) -> Rule:
    at = located.entries(("boundary", "apart", "importance"))
    if ("boundary" in at) == ("apart" in at):
        raise located.refuse(
            "a rule is either {boundary: [64, 65], importance: 25} or "
            "{apart: [A, B], importance: 20}"
        )
    if "importance" not in at:
        raise located.refuse("the key importance is missing; give a number above 0")
    importance = number(above=0).read(at["importance"])
    if "boundary" in at:
        ends = at["boundary"].items("two values: [highest below, lowest above]", length=2)
        low, high = (end.text("a number or a date") for end in ends)
        return Boundary(low, high, importance)
    sides = at["apart"].items("two values or two lists of values: [A, B]", length=2)
    first, second = (_side(side) for side in sides)
    return Apart(first, second, importance)


def _side(located: LocatedValue) -> tuple[str, ...]:
    if not isinstance(located.value, list | tuple):
        return (located.text("a value or a list of values"),)
    values = tuple(item.text("a value") for item in located.items("a list of values"))
    if not values:
        raise located.refuse("an empty list keeps nothing apart; name at least one value")
    return values


def _mark(located: LocatedValue) -> str | Mark:
    if not isinstance(located.value, Mapping):
        return located.text("a label, or {label: X, level: 2}")
    at = located.entries(("label", "level"))
    for key in ("label", "level"):
        if key not in at:
            raise located.refuse(f"the key {key} is missing; write {{label: X, level: 2}}")
    return Mark(whole_number(low=0).read(at["level"]), at["label"].text("a label"))


def _privacy(located: LocatedValue) -> Privacy:
    at = located.entries(("k", "max_suppression", *REQUIREMENT_KEYS))
    own = {
        field.name: field.read(at[field.name]) for field in fields_of(Privacy) if field.name in at
    }
    requirements = (
        requirement
        for key in REQUIREMENT_KEYS
        if key in at
        for requirement in read_requirements(key, at[key])
    )
    return Privacy(**own, requirements=tuple(requirements))


def _algorithm(located: LocatedValue) -> AlgorithmChoice:
    at = located.entries(("name", "params"))
    name = at["name"].text("the name of an algorithm") if "name" in at else AlgorithmChoice.name
    algorithm = find_algorithm(name, f"{located.file}: {located.key}.name")
    params = read_parameters(algorithm, at["params"]) if "params" in at else {}
    return AlgorithmChoice(name, params)


def _output(located: LocatedValue) -> Output:
    at = located.entries(("suppressed", "shuffle"))
    suppressed: Literal["drop", "star"] = "drop"
    if "suppressed" in at:
        suppressed = cast(Literal["drop", "star"], at["suppressed"].one_of(("drop", "star")))
    return Output(suppressed, at["shuffle"].switch() if "shuffle" in at else False)
