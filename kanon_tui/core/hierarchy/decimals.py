"""Floats as the decimals they were written as."""

from __future__ import annotations

from decimal import Decimal

__all__ = ["exact"]


def exact(number: float) -> Decimal:
    """The decimal a float was written as: the shortest one that reads back as the same float."""
    return Decimal(int(number)) if number == int(number) else Decimal(repr(float(number)))
