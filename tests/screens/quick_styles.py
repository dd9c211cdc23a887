"""Style sheets for many applications one after another: parsed once, and looked through once."""

from __future__ import annotations

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}
_parse_rules = Stylesheet._parse_rules


def parse_rules_once(
    sheet: Stylesheet,
    css: str,
    read_from: tuple[str, str],
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    """The rules of a style sheet, parsed once in a process and not for every application."""
    source = (css, read_from, is_default_rules, tie_breaker, scope)
    key = (frozenset(sheet._variables.items()), *source)
    if key not in _parsed:
        _parsed[key] = _parse_rules(sheet, *source)
    return _parsed[key]


class FewRules:
    """The rules of a style sheet that can concern a node; the rest is the style sheet's."""

    def __init__(self, sheet: Stylesheet, names: frozenset[str]) -> None:
        self._sheet = sheet
        self.rules_map = {name: sheet.rules_map[name] for name in names}
        concerned = {rule for rules in self.rules_map.values() for rule in rules}
        self.rules = [rule for rule in sheet.rules if rule in concerned]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sheet, name)


_apply = Stylesheet.apply


def apply_few(sheet: Stylesheet, node: DOMNode, **options: Any) -> None:
    """As Textual does, which looks through all rules for each node and finds a handful.

    What is found is kept as long as the rules are the same.
    """
    rules_map = sheet.rules_map
    kept, found = sheet.__dict__.get("_found", (None, {}))
    if kept is not rules_map:
        found = {}
        sheet.__dict__["_found"] = rules_map, found
    names = frozenset(rules_map.keys() & node._selector_names)
    if names not in found:
        found[names] = FewRules(sheet, names)
    _apply(found[names], node, **options)
