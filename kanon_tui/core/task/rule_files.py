"""Rules of an attribute as a CSV file: to keep them, to type them in a spreadsheet, to share them.

    rule,first,second,importance
    boundary,64,65,25
    apart,White|Asian,Hispanic,5

Several values of a side are separated by `|`; a `|` or a backslash in a value has a backslash
before it.
"""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import document_text
from kanon_tui.core.task.rules import RULE, Boundary, Rule

COLUMNS = ("rule", "first", "second", "importance")
RULE_ENDINGS = (".csv",)


def rules_text(rules: Sequence[Rule]) -> str:
    """Return rules as the text of a CSV file."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for rule in rules:
        if isinstance(rule, Boundary):
            row = ("boundary", rule.low, rule.high)
        else:
            row = ("apart", _joined(rule.first), _joined(rule.second))
        writer.writerow((*row, f"{rule.importance:g}"))
    return file.getvalue()


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Return the rules in a CSV file; errors name the file and the row."""
    rows = list(csv.reader(io.StringIO(document_text(path, "rules"))))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise InputError(
            f"{path.name}: its first row is not {','.join(COLUMNS)}, so it is no file of rules; "
            f"export rules to see one"
        )
    return tuple(
        _rule(row, f"{path.name}: row {number}")
        for number, row in enumerate(rows[1:], start=2)
        if any(row)
    )


def _rule(row: Sequence[str], where: str) -> Rule:
    if len(row) != len(COLUMNS):
        raise InputError(f"{where} has {len(row)} cells; write {', '.join(COLUMNS)}")
    kind, first, second, importance = row
    if kind not in ("boundary", "apart"):
        raise InputError(f"{where}: '{kind}' is no rule; write boundary or apart")
    sides = [first, second] if kind == "boundary" else [_split(first), _split(second)]
    written = {kind: sides, "importance": _number(importance, where)}
    rule: Rule = RULE.read(LocatedValue(where, "", written))
    return rule


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{where}: importance '{text}' is not a number; write one above 0"
        ) from None


def _joined(values: Sequence[str]) -> str:
    return "|".join(re.sub(r"([|\\])", r"\\\1", value) for value in values)


def _split(side: str) -> list[str]:
    parts = re.findall(r"((?:[^|\\]|\\.)*)(?:\||$)", side)
    values = [re.sub(r"\\(.)", r"\1", part) for part in parts]
    return values[:-1] if len(values) > 1 and values[-1] == "" else values
