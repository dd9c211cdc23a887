"""A hierarchy as a rule for values that are yet to come.

A builder takes part of what it does from the data: the width of intervals, the longest value that a
mask lines up to, the ends of quantiles. `portable_rule` writes these down as they were, so that the
same value gets the same label in another table; `labels_of` applies such a rule. A rule is one of

    {levels: {France: [Europe], …}, other: [Other]}   somebody typed it, value by value
    {builder: intervals, widths: [5, 10], …}          a builder with nothing left to the data
    {ranges: ["[18..24]", "[25..40]"]}                quantiles: the published ranges of the level

It holds values only where the hierarchy was typed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.hierarchy.builders.categories import group_labels, parents_of_members
from kanon_tui.core.hierarchy.builders.intervals import chosen_widths
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.hierarchy.specification import (
    build_hierarchy,
    default_specification,
    read_specification,
    to_yaml_levels,
)
from kanon_tui.core.table.column import Column


def portable_rule(
    spec: Mapping[str, Any] | None,
    column: Column,
    typed: Hierarchy | None,
    published: Sequence[str],
) -> dict[str, Any]:
    """Return the rule of an attribute's hierarchy; `published` are the labels of its level."""
    if typed is not None:
        return {"levels": to_yaml_levels(typed)}
    spec = spec or default_specification(column)
    builder = spec["builder"]
    _, options = read_specification(LocatedValue(column.name, "", spec))
    if builder == "groups":
        parents = parents_of_members(spec["levels"], column.name)
        rows = {v: group_labels(v, parents, str(spec.get("other")))[1:] for v in parents[0]}
        labels_of_others = other_labels(spec)
        return {"levels": rows, **({"other": list(labels_of_others)} if labels_of_others else {})}
    if not column.values[: column.present]:
        return {"builder": "flat"}
    if builder == "intervals":
        rule = {"builder": builder, "widths": chosen_widths(column, options)}
        return {**rule, "origin": spec["origin"]} if "origin" in spec else rule
    if builder == "mask":
        longest = max(map(len, column.values[: column.present]))
        return {**spec, "length": options["length"] or longest}
    if builder == "quantiles":
        return {"ranges": [label for label in published if label != HIDDEN]}
    return dict(spec)


def other_labels(spec: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the labels that the builder `groups` gives to a value which no group names."""
    if not spec or spec.get("builder") != "groups" or spec.get("other") is None:
        return ()
    other_group = str(spec["other"])
    return tuple(
        group_labels(other_group, parents_of_members(spec["levels"], "groups")[1:], other_group)
    )


def rule_hierarchy(rule: Mapping[str, Any], who: str) -> Hierarchy | None:
    """Return the level table of a typed rule; None for a builder."""
    if "levels" not in rule or "builder" in rule:
        return None
    return Hierarchy.from_rows([(value, *labels) for value, labels in rule["levels"].items()], who)


def labels_of(rule: Mapping[str, Any], level: int, column: Column) -> list[str | None]:
    """Return the label of every value at a level; None where the rule does not cover it.

    A missing value stays what it is below the root. Values that a rule of `ranges` must place are
    not read here: whoever reads published cells does that.
    """
    typed = rule_hierarchy(rule, column.name)
    if typed is not None:
        return _typed_labels(typed, rule.get("other", ()), level, column)
    if level == 0:
        return list(column.values)
    codes = list(range(len(column.values)))
    if rule["builder"] == "mask":  # which lines values up to a length
        fits = [len(value) <= rule["length"] for value in column.values]
        codes = [code for code in codes if fits[code] or code == column.missing]
    labels: list[str | None] = [None] * len(column.values)
    if codes:
        part = column.with_values(np.array(codes), np.arange(len(codes)))
        bound = build_hierarchy(rule, part, Path()).bind(part)
        for place, code in enumerate(codes):
            labels[code] = bound.label(place, level) if level <= bound.height else HIDDEN
    return labels


def _typed_labels(
    typed: Hierarchy, labels_of_others: Sequence[str], level: int, column: Column
) -> list[str | None]:
    labels: list[str | None] = []
    for code, row in enumerate(typed.find_rows(column).tolist()):
        value = column.values[code]
        if row >= 0:
            labels.append(typed_label(typed.rows[row], level, value))
        elif code == column.missing:
            hidden = level > typed.height or (level == typed.height and typed.root == HIDDEN)
            labels.append(HIDDEN if hidden else value)
        elif labels_of_others:
            labels.append(typed_label((value, *labels_of_others, typed.root), level, value))
        else:
            labels.append(None)
    return labels


def typed_label(row: Sequence[str], level: int, value: str) -> str:
    """Return the label of a value at a level of its row, `*` above the row."""
    if level == 0:
        return value
    return row[level] if level < len(row) else HIDDEN
