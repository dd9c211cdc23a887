"""Style sheets for many applications one after another: parsed once, and looked through once."""

from __future__ import annotations

from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

Few = tuple[list[RuleSet], dict[str, list[RuleSet]]]

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

    def __init__(self, sheet: Stylesheet, few: Few) -> None:
        self._sheet, (self.rules, self.rules_map) = sheet, few

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sheet, name)


_found: dict[tuple[int, ...], dict[frozenset[str], Few]] = {}
"""By the rules of a style sheet, which stay to the end, and by the names that concern a node."""
_apply = Stylesheet.apply


def apply_few(sheet: Stylesheet, node: DOMNode, **options: Any) -> None:
    """As Textual does, which looks through all rules for each node and finds a handful."""
    rules_map = sheet.rules_map
    known, found, here = sheet.__dict__.get("_few", (None, {}, {}))
    if known is not rules_map:
        found, here = _found.setdefault(tuple(map(id, sheet.rules)), {}), {}
        sheet.__dict__["_few"] = rules_map, found, here
    names = frozenset(rules_map.keys() & node._selector_names)
    if names not in here:
        if names not in found:
            found[names] = _few(sheet, names)
        here[names] = FewRules(sheet, found[names])
    _apply(here[names], node, **options)


def _few(sheet: Stylesheet, names: frozenset[str]) -> Few:
    few = {name: sheet.rules_map[name] for name in names}
    concerned = {rule for rules in few.values() for rule in rules}
    return [rule for rule in sheet.rules if rule in concerned], few
