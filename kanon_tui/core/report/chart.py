"""Parts that every chart uses, drawn in characters or as SVG: lines, ticks, short numbers."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A named line with one value per category; None where there is none."""

    name: str
    values: tuple[float | None, ...]


def ticks(highest: float, most: int, integers_only: bool = False) -> list[float]:
    """Return round numbers from 0 to just above `highest`, at most `most` of them.

    >>> ticks(0.43, 6)
    [0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5]
    """
    highest = highest if highest > 1e-9 else 1.0
    rough = highest / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * f for f in (1, 2, 2.5, 5, 10, 20) if power * f >= rough * (1 - 1e-9))
    if integers_only:
        step = max(float(math.ceil(step)), 1.0)
    count = max(math.ceil(highest / step - 1e-9), 1)
    return [i * step for i in range(count + 1)]


def compact_number(value: float) -> str:
    """Return a number in few characters: 0.25, 12, 3,400, 35k, 1.2M.

    >>> compact_number(1200), compact_number(35_000.0), compact_number(0.30000000000000004)
    ('1,200', '35k', '0.3')
    """
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if value >= least:
            return f"{value / unit:.4g}{letter}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
