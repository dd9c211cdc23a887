"""Facts and words of clustering steps: clusters, cuts and merges, candidates, labels of boxes.

`teaching.run_states` lists the facts that pictures are drawn from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.events import Alternatives
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Floats, Int32s, Int64s
from kanon_tui.core.table.column import set_text
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import short_number

Codes = npt.NDArray[np.integer]
_VALUES_SHOWN = 4
_DECIMALS, _MOST_DECIMALS = 4, 6  # of figures before and after


def distinguishable(one: float, other: float) -> tuple[str, str]:
    """Return two figures with as many decimals as it takes to see that they differ."""
    apart = abs(other - one)
    needed = ceil(-log10(apart)) if apart > 0 else 0
    decimals = min(max(needed, _DECIMALS), _MOST_DECIMALS)
    return short_number(one, decimals), short_number(other, decimals)


def change(before: float, after: float) -> str:
    """Return `1 → 0.9167`, with more decimals where the change would not show."""
    return " → ".join(distinguishable(before, after))


def texts(attribute: QuasiIdentifier, codes: Codes) -> str:
    """Return the label of some values of an attribute together: `60–64`, `Married`, `{A|B}`."""
    present = np.unique(codes)
    values, missing = attribute.column.values, attribute.column.missing
    if len(present) == 0:
        return "hidden"
    if len(present) == 1:
        return str(values[present[0]])
    if attribute.ordered:
        if present[-1] == missing:
            return HIDDEN
        return f"{values[present[0]]}–{values[present[-1]]}"
    if attribute.publishes_ancestor:
        level = attribute.hierarchy.lca_level(present)
        return str(attribute.hierarchy.label(int(present[0]), level))
    if len(present) > _VALUES_SHOWN:
        return f"{len(present)} values"
    return set_text(values[code] for code in present)


def in_words(attributes: Sequence[QuasiIdentifier], codes: Sequence[Codes]) -> str:
    """Return labels of some attributes: `age 63–64, sex Female`."""
    return ", ".join(
        f"{attribute.name} {texts(attribute, own)}"
        for attribute, own in zip(attributes, codes, strict=True)
    )


MOST_FOLLOWED = 100_000
"""Records of the largest table whose steps at full speed report the clusters of records."""


def moved_records(records: Int64s, groups: Codes) -> dict[str, Any]:
    """Return the fact that records have new groups: `moved`, the records of every such group."""
    order = np.argsort(groups, kind="stable")
    numbers, starts = np.unique(groups[order], return_index=True)
    parts = np.split(records[order], starts[1:])
    return {"moved": tuple(zip(numbers.tolist(), parts, strict=True)) if len(records) else ()}


_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Measured:
    """The candidates of a decision, measured before it is taken.

    Kernels find the best candidate alone; all are measured only while a run is watched.
    """

    numbers: Int32s
    """Records or clusters, rising, from 0."""
    parts: Floats
    """Candidates × attributes: what each attribute contributes to a score."""
    scores: Floats

    def best(self, taken: int, highest: bool = False) -> Alternatives:
        """Return the best five, that which was taken first."""
        rounded = np.round(-self.scores if highest else self.scores, 9)
        chosen = int(np.flatnonzero(self.numbers == taken)[0])
        order = np.argsort(rounded, kind="stable")[: _SHOWN + 1]
        places = [chosen, *(i for i in order.tolist() if i != chosen)][:_SHOWN]
        return Alternatives(
            self.numbers[places], self.scores[places], self.parts[places], len(self.scores)
        )
