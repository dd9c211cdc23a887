"""A builder's keys as they are given on the command line: `widths=5,10`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import Plain, parse
from kanon_tui.core.hierarchy.specification import read_hierarchy

__all__ = ["spec_from_assignments"]


def spec_from_assignments(
    builder: str, assignments: Iterable[tuple[str, str]], source: str
) -> dict[str, Any]:
    """The specification that these keys and texts describe; raises the first that does not fit."""
    given: dict[str, Any] = {"builder": builder}
    for key, text in assignments:
        given[key] = _value(key, text, builder)
    return read_hierarchy(LocatedValue(source, "", given))


def _value(key: str, text: str, builder: str) -> Any:
    """`5` is a word, `5,10` a list; `[[18, 65], [65]]` and `{…}` are YAML."""
    if text.lstrip().startswith(("[", "{")):
        return parse(text, f"--set {key}")
    words = [Plain(word.strip()) for word in text.split(",")]
    is_list = len(words) > 1 or key in ("widths", "bins") or (key, builder) == ("levels", "date")
    return words if is_list else Plain(text)
