"""Numbers as whole multiples of a power of ten: arithmetic on all values of a column, exactly."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any, Self

import numpy as np
import numpy.typing as npt

WholeNumbers = npt.NDArray[np.int64] | npt.NDArray[Any]
"""64-bit integers, or Python's own in an array of objects where they are larger."""

LARGEST_SAFE = 2**60
"""Whole numbers up to this one can be added and subtracted as 64-bit integers."""
SAFE_DIGITS = 18
"""Numbers of so many digits are always below `LARGEST_SAFE`."""


def whole_numbers(numbers: Sequence[int]) -> WholeNumbers:
    """Return whole numbers as an array, of Python's integers where 64 bits might not do."""
    if all(-LARGEST_SAFE <= number <= LARGEST_SAFE for number in numbers):
        return np.array(numbers, dtype=np.int64)
    return np.array(numbers, dtype=object)


@dataclass(frozen=True, eq=False)
class ScaledNumbers:
    """Numbers as whole multiples of 10 to the minus `decimals`: exact, whatever their size."""

    units: WholeNumbers
    decimals: int

    @classmethod
    def from_decimals(cls, numbers: Sequence[Decimal]) -> Self:
        """Return decimals in the coarsest unit in which all are whole."""
        decimals = max(map(decimal_places, numbers), default=0)
        return cls(whole_numbers(units_of(numbers, decimals)), decimals)

    def with_decimals(self, decimals: int) -> Self:
        """Return the same numbers in a unit that is at least as fine."""
        if decimals == self.decimals:
            return self
        times = 10 ** (decimals - self.decimals)
        largest = max((abs(int(unit)) for unit in (self.units.min(), self.units.max())), default=0)
        fits = self.units.dtype != object and largest * times <= LARGEST_SAFE
        units = self.units if fits else self.units.astype(object)
        return replace(self, units=units * times, decimals=decimals)


def decimal_places(number: Decimal) -> int:
    """Return how many digits a finite number has after its point."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int), "only finite numbers come here"
    return max(0, -exponent)


def units_of(numbers: Iterable[Decimal], decimals: int) -> list[int]:
    """Return numbers as whole multiples of 10 to the minus `decimals`; further digits are cut."""
    with localcontext(prec=1000):  # enough for every double, from 5e-324 to 1.8e308
        return [int(number.scaleb(decimals)) for number in numbers]
