"""How much privacy a release must have."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.numeric import TIE
from kanon_tui.core.privacy.requirements import Requirement
from kanon_tui.core.privacy.requirements_file import REQUIREMENTS

__all__ = ["Privacy"]


@dataclass(frozen=True)
class Privacy:
    """The privacy that a release must have."""

    k: int = declared(
        5, "Every published record looks like at least k−1 others", low=1, always=True
    )
    max_suppression: float = declared(
        0.0,
        "Share of the records that full-domain algorithms may leave out",
        low=0,
        high=1,
        words="a share of the records, from 0 to 1",
    )
    requirements: tuple[Requirement, ...] = declared((), type=REQUIREMENTS)
    """Beyond k: what every class must keep of sensitive attributes."""

    def allowed_suppressed(self, records: int) -> int:
        """How many of so many records `max_suppression` lets go."""
        return floor(self.max_suppression * records + TIE)
