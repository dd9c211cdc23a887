"""Masks such as `4620*` and `***01`: texts of which the end or the beginning is hidden."""

from __future__ import annotations

import re

__all__ = ["MASK", "fits_mask", "mask_shape"]

MASK = re.compile(r"([^*]+)(\*+)|(\*+)([^*]+)")


def mask_shape(text: str) -> tuple[tuple[bool, int, int], str] | None:
    """A mask as (hidden at the right, characters shown, length) and the characters shown."""
    mask = MASK.fullmatch(text)
    if mask is None:
        return None
    shown = mask[1] or mask[4]
    return (mask[1] is not None, len(shown), len(text)), shown


def fits_mask(value: str, mask: str) -> bool:
    """Whether a value shows what the mask shows and is no longer than it."""
    shape = mask_shape(mask)
    assert shape is not None
    (right, _, length), shown = shape
    ends = value.startswith(shown) if right else value.endswith(shown)
    return ends and len(value) <= length
