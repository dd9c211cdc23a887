"""The base classes of clusterings: refining of classes, and blocks of large tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType
from kanon_tui.core.task.steps import Algorithm, Family

__all__ = ["BlockClustering", "Clustering"]

_AUTO_ABOVE = 500_000
"""Records of the largest table that `auto` clusters as a whole."""
_AUTO_SIZE = 25_000
_ALLOWED = "auto, off, or how many records a block has at most: a whole number of at least 2"


def _read_blocks(located: LocatedValue) -> int | str:
    if located.value is False or located.value == "off":  # to YAML, off is false
        return "off"
    if located.value == "auto":
        return "auto"
    return located.whole(_ALLOWED, low=2)


BLOCKS = FieldType(_ALLOWED, _read_blocks, name="str")


@dataclass(frozen=True)
class Clustering(Algorithm):
    """An algorithm that finds classes of records; `refining` says how they are refined."""

    family: ClassVar[Family] = Family.CLUSTERING

    refine: bool = declared(
        False,
        "Afterwards let near classes exchange records and split large ones, as long as that helps",
        last=True,
    )
    refine_by: str = declared(
        "ncp",
        "What refining must better: the certainty penalty (lower) or the research value (higher)",
        choices=("ncp", "rv"),
        only_with="refine",
        last=True,
    )
    refine_rounds: int = declared(
        20,
        "Most rounds of refining; it ends earlier when nothing helps any more",
        low=1,
        high=1000,
        only_with="refine",
        last=True,
    )


@dataclass(frozen=True)
class BlockClustering(Clustering):
    """A clustering that may take a large table in blocks; `run.blocks` says how."""

    blocks: int | Literal["auto", "off"] = declared(
        "auto",
        f"Cluster a large table in blocks of about so many records, on all cores; auto: tables of "
        f"more than {_AUTO_ABOVE:,} records, in blocks of {_AUTO_SIZE:,}",
        type=BLOCKS,
        last=True,
    )

    def block_size(self, records: int) -> int | None:
        """Return the records per block of a table; None where it is clustered as a whole."""
        if isinstance(self.blocks, int):
            return self.blocks
        return _AUTO_SIZE if self.blocks == "auto" and records > _AUTO_ABOVE else None
