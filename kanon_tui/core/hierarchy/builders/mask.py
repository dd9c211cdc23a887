"""Builder `mask`: hides one character more at every level, `4620*`, `462**`, …"""

from collections.abc import Mapping
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, choice, whole_number
from kanon_tui.core.hierarchy.builders.builder import Builder, present_values
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.table.column import Column, Kind

_MOST_CHARACTERS = 500_000_000
"""Of all labels together."""


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build levels that hide the last (or first) j characters: 46201, 4620*, 462**, … and `*`.

    Values of different lengths are lined up first: a short one counts as if `*` filled it up to
    the longest at the end that is masked. So `E11` next to `E11.90` is `E11***` from the first
    level on and meets the longer code at the third, where that is `E11***` too. What level j shows
    is thus the first (or last) `longest - j` places, and each level follows from the one below. A
    character is one place whatever its width on the screen.
    """
    values = present_values(column)
    longest = max(map(len, values))
    if options["length"] is not None:
        if longest > options["length"]:
            raise InputError(
                f"{column.name}: its longest value has {longest:,} characters, length says "
                f"{options['length']:,}; raise length or leave it out"
            )
        longest = options["length"]
    from_right = options["from"] == "right"
    masked = longest - 1 if options["levels"] is None else min(options["levels"], longest - 1)
    if masked * longest * len(values) > _MOST_CHARACTERS:
        most = max(1, _MOST_CHARACTERS // (longest * len(values)))
        raise InputError(
            f"{column.name}: its longest value has {longest:,} characters, and to hide them one by "
            f"one takes {masked:,} levels of that length, more than the memory is asked for; set "
            f"levels to at most {most:,}, or use another builder"
        )
    filled = [v.ljust(longest, HIDDEN) if from_right else v.rjust(longest, HIDDEN) for v in values]
    levels = [
        [v[: longest - j] + HIDDEN * j if from_right else HIDDEN * j + v[j:] for v in filled]
        for j in range(1, masked + 1)
    ]
    return Hierarchy.from_rows(
        zip(values, *levels, [HIDDEN] * len(values), strict=True), column.name
    )


MASK = Builder(
    "mask",
    "Hides one character more at every level: 4620*, 462**, …",
    tuple(Kind),
    (
        Field("from", choice(("right", "left")), "right", "The end at which hiding begins"),
        Field(
            "levels",
            whole_number(low=1),
            help="How many characters are hidden one by one before all are; all when not given",
        ),
        Field(
            "length",
            whole_number(low=1),
            help="The places that values are lined up to; those of the longest when not given",
        ),
    ),
    _build,
)
