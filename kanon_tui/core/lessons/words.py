"""Words that narrators share: labels of groups, figures before and after."""

from collections.abc import Sequence
from math import ceil, log10

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.table.column import set_text
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import short_number

Codes = npt.NDArray[np.integer]
_VALUES_SHOWN = 4
_DECIMALS, _MOST_DECIMALS = 4, 6  # of figures before and after


def distinguishable(first: float, second: float) -> tuple[str, str]:
    """Return two figures with as many decimals as it takes to see that they differ."""
    apart = abs(second - first)
    needed = ceil(-log10(apart)) if apart > 0 else 0
    decimals = min(max(needed, _DECIMALS), _MOST_DECIMALS)
    return short_number(first, decimals), short_number(second, decimals)


def change(before: float, after: float) -> str:
    """Return `1 → 0.9167`, with more decimals where the change would not show."""
    return " → ".join(distinguishable(before, after))


def texts(attribute: QuasiIdentifier, codes: Codes) -> str:
    """Return the label of some values of an attribute together: `60–64`, `Married`, `{A|B}`."""
    present = np.unique(codes)
    values = attribute.column.values
    missing = attribute.column.missing
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
        f"{attribute.name} {texts(attribute, attribute_codes)}"
        for attribute, attribute_codes in zip(attributes, codes, strict=True)
    )
