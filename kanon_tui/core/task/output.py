"""How a release is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Output"]


@dataclass(frozen=True)
class Output:
    """How the release is written."""

    suppressed: Literal["drop", "star"] = "drop"
    shuffle: bool = False
