"""How much privacy a release must have."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_tui.core.privacy.requirements import Requirement

__all__ = ["Privacy"]


@dataclass(frozen=True)
class Privacy:
    """The privacy that a release must have."""

    k: int = 5
    max_suppression: float = 0.0
    """Share of the records that full-domain algorithms may suppress."""
    requirements: tuple[Requirement, ...] = ()
    """Beyond k: what every class must keep of sensitive attributes."""
