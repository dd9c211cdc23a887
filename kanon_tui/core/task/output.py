"""How a release is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kanon_tui.core.fields.declaration import declared

__all__ = ["Output"]


@dataclass(frozen=True)
class Output:
    """How the release is written."""

    suppressed: Literal["drop", "star"] = declared(
        "drop", "What becomes of suppressed records: left out, or published with every cell hidden"
    )
    shuffle: bool = declared(False, "Whether the records are put in a random order")
