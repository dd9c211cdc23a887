"""Linkability: two parties know different attributes of the same people and join by the release.

The first party has a record with some quasi-identifiers of a person, the second one records of
everybody with the other attributes. Through the published rows that fit the first record, only some
records of the second party remain; a person is linked where that is one, and hers. Without the
release nothing connects the two.

`options["on"]` names the attributes of the first party; else it has the first half of the
quasi-identifiers. At most `MOST_PEOPLE` people, drawn by the seed, are tried. With a control, both
sides have as many records as the control.

Reference: Giomi and others, Anonymeter, PoPETs 2023, section 4.2, for generalised releases.

Composition: two releases of the same people, joined (see `two_releases`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.matching import DistinctRows, PublishedRows, pairs_matrix
from kanon_tui.core.analysis.attack.two_releases import two_releases
from kanon_tui.core.analysis.published_cells import check_column
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.table import Table

MOST_PEOPLE = 2_000
_AT_A_TIME = 200


def linkability(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people whose two records the release joins."""
    first = list(attacked.options.get("on") or attacked.quasi[: max(1, len(attacked.quasi) // 2)])
    for name in first:
        check_column(name, attacked.quasi, "the published quasi-identifiers")
    published_names = [*attacked.quasi, *(column.name for column in attacked.sensitive)]
    second = [name for name in published_names if name not in first]
    if not second:
        raise InputError("linkability: the second party needs an attribute; name fewer with --on")
    pool = attacked.task.table.height
    control = None
    if attacked.control is not None:
        pool = min(pool, attacked.control.height)
        linked = _linked(attacked, attacked.control, first, second, pool)
        control = len(linked), int(linked.sum())
    linked = _linked(attacked, attacked.task.table, first, second, pool)
    return [
        AttackResult(
            "Linkability",
            len(linked),
            int(linked.sum()),
            control,
            sentences=(
                f"Of {len(linked):,} people whose {', '.join(first)} one party knows, the release "
                f"leaves {int(linked.sum()):,} with exactly one record among {pool:,} of a party "
                f"that knows {', '.join(second)}.",
            ),
            remedy="a larger k, or fewer published attributes",
        )
    ]


def _linked(
    attacked: AttackedRelease, table: Table, first: Sequence[str], second: Sequence[str], pool: int
) -> Flags:
    """Return for every person tried whether exactly her record of the second party remains."""
    chance = np.random.default_rng(attacked.task.seed)
    pooled = np.sort(chance.choice(table.height, pool, replace=False))
    tried = np.sort(chance.choice(pool, min(pool, MOST_PEOPLE), replace=False))
    rows = PublishedRows.from_table(attacked, [*first, *second])

    def fits(names: Sequence[str]) -> tuple[Any, DistinctRows]:
        columns = [table.column(name, Kind.CATEGORICAL) for name in names]
        known_rows = DistinctRows.from_codes([column.codes[pooled] for column in columns])
        published_rows = rows.only(names)
        covering = published_rows.covering(known_rows, [column.values for column in columns])
        shape = len(known_rows.sizes), len(rows.rows.sizes)
        return pairs_matrix(covering.record, covering.row, shape), known_rows

    (first_fit, first_rows), (second_fit, second_rows) = fits(first), fits(second)
    mine = first_rows.row_of[tried]
    theirs = second_rows.row_of[tried]
    linked = np.zeros(len(tried), dtype=bool)
    sizes: Int64s = second_rows.sizes
    for start in range(0, len(tried), _AT_A_TIME):
        batch = slice(start, start + _AT_A_TIME)
        remain = (first_fit[mine[batch]] @ second_fit.T).toarray() > 0
        true_rows = theirs[batch]
        alone = (remain @ sizes == 1) & remain[np.arange(len(true_rows)), true_rows]
        linked[batch] = np.asarray(alone, dtype=bool)
        attacked.check(min(start + _AT_A_TIME, len(tried)), len(tried))
    return linked


def composition(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people who keep fewer than k candidates beside an earlier release."""
    if attacked.earlier is None:
        raise InputError("composition needs an earlier release of the same people; name its file")
    joint = two_releases(attacked, attacked.earlier)
    return [
        AttackResult(
            "Composition with an earlier release",
            joint.people,
            joint.below_k,
            sentences=(
                f"Together the two releases leave {joint.below_k:,} {joint.counted} fewer than k = "
                f"{joint.k:,} candidates, and {joint.unique:,} exactly one.",
            ),
            remedy="generalise the new release further (run --earlier FILE --repair)",
        )
    ]
