"""Rules as a project file writes them.

rules: {base: 10, keep: [{boundary: [64, 65], importance: 25},
                         {apart: [[White, Asian], Hispanic], importance: 5}]}
"""

from __future__ import annotations

from typing import Any

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType, list_of, number, text
from kanon_tui.core.fields.yaml_text import exact_number
from kanon_tui.core.task.rules import Apart, Boundary, Rule, RuleTable

__all__ = ["RULES"]

_BASE = number(low=0)
_IMPORTANCE = number(above=0)
_ENDS = list_of(text("a number or a date"), "two values: [highest below, lowest above]", length=2)
_VALUES = list_of(text("a value"), "a list of values")


def _read_side(located: LocatedValue) -> tuple[str, ...]:
    if not isinstance(located.value, list | tuple):
        return (located.text("a value or a list of values"),)
    values: tuple[str, ...] = _VALUES.read(located)
    if not values:
        raise located.refuse("an empty list keeps nothing apart; name at least one value")
    return values


def _write_side(side: tuple[str, ...]) -> Any:
    return exact_number(side[0]) if len(side) == 1 else _VALUES.write(side)


_SIDES = list_of(
    FieldType("a value or a list of values", _read_side, _write_side),
    "two values or two lists of values: [A, B]",
    length=2,
)


def _read_rule(located: LocatedValue) -> Rule:
    at = located.entries(("boundary", "apart", "importance"))
    if ("boundary" in at) == ("apart" in at):
        raise located.refuse(
            "a rule is either {boundary: [64, 65], importance: 25} or "
            "{apart: [A, B], importance: 20}"
        )
    if "importance" not in at:
        raise located.refuse("the key importance is missing; give a number above 0")
    importance = _IMPORTANCE.read(at["importance"])
    if "boundary" in at:
        low, high = _ENDS.read(at["boundary"])
        return Boundary(low, high, importance)
    first, second = _SIDES.read(at["apart"])
    return Apart(first, second, importance)


def _write_rule(rule: Rule) -> dict[str, Any]:
    importance = _IMPORTANCE.write(rule.importance)
    if isinstance(rule, Boundary):
        return {"boundary": _ENDS.write((rule.low, rule.high)), "importance": importance}
    return {"apart": _SIDES.write((rule.first, rule.second)), "importance": importance}


_KEEP = list_of(FieldType("a rule", _read_rule, _write_rule), "a list of rules")


def _read_table(located: LocatedValue) -> RuleTable:
    at = located.entries(("base", "keep"))
    base = _BASE.read(at["base"]) if "base" in at else 0.0
    return RuleTable(base, _KEEP.read(at["keep"]) if "keep" in at else ())


def _write_table(table: RuleTable) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if table.base:
        result["base"] = _BASE.write(table.base)
    if table.rules:
        result["keep"] = _KEEP.write(table.rules)
    return result


RULES = FieldType("a mapping with the keys base and keep", _read_table, _write_table)
"""The rules of one attribute."""
