"""Boundaries that laws, schools, pensions and taxes draw, as rules that are ready to be added.

The thresholds of money are those of the United States for 2025: the poverty guidelines of the
Department of Health and Human Services (48 states, households of one to four people) and the
brackets of the federal income tax for single filers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.task.rules import Boundary

IMPORTANCE = 10.0
"""The importance of a rule of a preset, to be changed where it matters."""
_MOST_DECADES = 30


@dataclass(frozen=True)
class RulePreset:
    """Thresholds on a line of numbers; every one begins what lies above it."""

    title: str
    thresholds: Callable[[Column], Sequence[int]]


def _decades(column: Column) -> Sequence[int]:
    numbers = column.value_numbers[: column.present]
    first = int(np.ceil(numbers[0] / 10)) * 10
    return range(first, int(numbers[-1]) + 1, 10)[:_MOST_DECADES]


PRESETS = (
    RulePreset("Ages of law: 18, 21, 65, 80", lambda column: (18, 21, 65, 80)),
    RulePreset("Ages of school: 6, 10, 16, 18", lambda column: (6, 10, 16, 18)),
    RulePreset("Ages of pension: 60, 63, 65, 67", lambda column: (60, 63, 65, 67)),
    RulePreset("Decades: 10, 20, 30, …", _decades),
    RulePreset(
        "US poverty guidelines 2025, households of 1 to 4",
        lambda column: (15_650, 21_150, 26_650, 32_150),
    ),
    RulePreset(
        "US income tax brackets 2025, single",
        lambda column: (11_925, 48_475, 103_350, 197_300, 250_525, 626_350),
    ),
)


def preset_rules(preset: RulePreset, column: Column) -> tuple[Boundary, ...]:
    """Return the boundaries of a preset that lie within the values of a column of numbers."""
    if column.kind is not Kind.NUMERIC or not column.present:
        return ()
    numbers = column.value_numbers[: column.present]
    unit = Decimal(1).scaleb(-column.scaled_numbers.decimals)
    rules = []
    for threshold in preset.thresholds(column):
        if numbers[0] < threshold <= numbers[-1]:
            below = f"{Decimal(threshold) - unit:f}"
            write = column.number_format.write
            rules.append(Boundary(write(below), write(str(threshold)), IMPORTANCE))
    return tuple(rules)
