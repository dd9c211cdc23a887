"""Shapes of texts that name a person whatever the column is called: e-mails, IBANs, card numbers.

A column has a shape when nearly all of a sample of its different texts have it. Some digits are
checked by more than their number, as telephone numbers and amounts are digits too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_tui.core.table.schema import Role

__all__ = ["Shape", "shape_of"]

SAMPLE = 60
"""Different texts that are looked at."""
FEWEST = 3
"""Texts from which a shape is believed."""
NEARLY_ALL = 0.9
_LONGEST = 200


@dataclass(frozen=True)
class Shape:
    """A form of texts, with the role of what is written so."""

    what: str
    role: Role
    pattern: re.Pattern[str]


def _shape(what: str, pattern: str, role: Role = Role.IDENTIFIER) -> Shape:
    return Shape(what, role, re.compile(pattern))


SHAPES = (
    _shape("e-mail addresses", r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"),
    _shape("web addresses", r"(?:https?://|www\.)\S+"),
    _shape("UUIDs", r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?"),
    _shape("IBANs", r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7} ?[A-Z0-9]{1,4}"),
    _shape(
        "IP addresses",
        r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
        r"|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}",
    ),
    _shape("MAC addresses", r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}"),
    _shape("US social security numbers", r"[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    _shape("AHV numbers", r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}"),
    _shape(
        "French social security numbers",
        r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3}"
        r"(?: ?[0-9]{2})?",
    ),
    _shape("Italian tax codes", r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]"),
    _shape("Spanish identity numbers", r"[XYZ]?[0-9]{7,8}-?[A-HJ-NP-TV-Z]"),
    _shape("Brazilian tax numbers", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"),
    _shape(
        "telephone numbers",
        r"(?=(?:\D*[0-9]){7,15}\D*$)(?:\+[0-9]{1,3}[ ./-]?|\(?0)[0-9]*\)?"
        r"(?:[ ./()-]{0,2}[0-9]{2,})+",
    ),
    _shape(
        "coordinates",
        r"-?[0-9]{1,2}\.[0-9]{3,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{3,}",
        Role.QUASI,
    ),
)


def shape_of(texts: Sequence[str]) -> Shape | None:
    """The shape that a sample of different texts has; None for most."""
    if len(texts) < FEWEST:
        return None
    allowed_misses = len(texts) * (1 - NEARLY_ALL)
    for shape in SHAPES:
        misses = 0
        for text in texts:
            if len(text) > _LONGEST or not shape.pattern.fullmatch(text):
                misses += 1
                if misses > allowed_misses:
                    break
        else:
            return shape
    return None
