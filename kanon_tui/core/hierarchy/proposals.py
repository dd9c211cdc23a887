"""Groupings for plain categories, made from the values and their records.

Each proposal is what a project writes for the builder `groups`, so that it can be looked at and
changed like any grouping.

by frequency     values with few records go together, level by level
by prefix        values with the same first word, or the same first letters
by alphabet      ranges of first letters that hold about equally many records
by association   values whose records have alike values of a sensitive attribute: pairs are joined
                 so that as little as possible of what they tell about it is lost (mutual
                 information), until a few groups are left
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_tui.core.hierarchy.builders.builder import members_of_groups
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.column import Column

MOST_VALUES = 2_000
"""Values up to which groups are proposed: more cannot be looked through."""
MOST_ASSOCIATED = 300
"""Values up to which they are compared pair by pair."""
OTHER = "Other"
_FEW = 3

Levels = list[dict[str, list[str]]]


@dataclass(frozen=True)
class Proposal:
    """A grouping that can be worked out."""

    title: str
    levels: Callable[[], Levels]
    """Works the groups out; empty where the values do not group so."""

    def make(self) -> Mapping[str, Any] | None:
        """Return the specification, or None where the values do not group so."""
        levels = self.levels()
        return {"builder": "groups", "levels": levels} if levels else None


def proposals(
    column: Column, k: int, sensitive: Mapping[str, Callable[[], Column]]
) -> Iterator[Proposal]:
    """Return groupings for a column of categories; none for numbers and dates.

    Sensitive attributes come by name, with what gives their column when it is wanted.
    """
    values = column.values[: column.present]
    if column.kind.ordered or not _FEW <= len(values) <= MOST_VALUES:
        return
    yield Proposal("groups by frequency", partial(_by_frequency, column, k))
    yield Proposal("groups by prefix", partial(_by_prefix, values))
    yield Proposal("groups by alphabet", partial(_by_alphabet, column))
    if len(values) <= MOST_ASSOCIATED:
        for name, column_of_name in sensitive.items():
            yield Proposal(
                f"groups alike in {name}", partial(_by_association, column, column_of_name)
            )


def _levels(values: Sequence[str], labels: Sequence[Sequence[str]]) -> Levels:
    """Return labels per level as groups of the level below, without levels that group nothing."""
    levels: Levels = []
    below: Sequence[str] = values
    for level in labels:
        if len(set(level)) in (1, len(set(below))):
            continue
        levels.append(members_of_groups(zip(below, level, strict=True)))
        below = level
    return levels


def _by_frequency(column: Column, k: int) -> Levels:
    values = column.values[: column.present]
    counts = column.counts[: len(values)]
    rarest_first = np.argsort(counts, kind="stable")
    group_name = OTHER
    while group_name in values:
        group_name += " values"
    labels = []
    for least in (k, counts.sum() * 0.05, counts.sum() * 0.2):
        rare = max(int((counts < least).sum()), 2)  # one value alone is no group
        together = set(rarest_first[:rare].tolist())
        labels.append([group_name if i in together else value for i, value in enumerate(values)])
    return _levels(values, labels)


def _by_prefix(values: Sequence[str]) -> Levels:
    words = [value.replace("-", " ").split(" ", 1)[0] for value in values]
    counts = Counter(words)
    if len(counts) < len(values) * 0.7:  # first words that several values share
        first = [_prefix(v, w) if counts[w] > 1 else v for v, w in zip(values, words, strict=True)]
        return _levels(values, [first, [_prefix(v, v[:1]) for v in values]])
    lengths = [n for n in (3, 2, 1) if n < max(map(len, values))]
    return _levels(values, [[_prefix(v, v[:length]) for v in values] for length in lengths])


def _prefix(value: str, shown: str) -> str:
    return value if value == shown else f"{shown}.."


def _by_alphabet(column: Column) -> Levels:
    values = column.values[: column.present]
    letters = [value[:1].upper() or " " for value in values]
    records: Counter[str] = Counter()
    for letter, count in zip(letters, column.counts.tolist(), strict=False):
        records[letter] += count
    alphabet = sorted(records)
    cuts = {0, len(alphabet)}
    labels = []
    total = sum(records.values())
    below = np.cumsum([records[letter] for letter in alphabet])
    nested = []
    for parts in (2, 4, 8):  # from coarse to fine, so that cuts are kept
        targets = [total * i / parts for i in range(1, parts)]
        cuts |= {int(np.abs(below - target).argmin()) + 1 for target in targets}
        nested.append(sorted(cuts))
    for edges in reversed(nested):
        group_of = {
            letter: "-".join(dict.fromkeys((alphabet[start], alphabet[end - 1])))
            for start, end in pairwise(edges)
            for letter in alphabet[start:end]
        }
        labels.append([group_of[letter] for letter in letters])
    return _levels(values, labels)


def _by_association(column: Column, related: Callable[[], Column]) -> Levels:
    """Join the two groups that lose least, again and again; levels at a half and at a quarter."""
    values = column.values[: column.present]
    joint = _joint_counts(column, related(), len(values))
    members = [[i] for i in range(len(values))]
    sizes = dict.fromkeys((len(values) // 2, len(values) // 4, 2))
    wanted_sizes = [size for size in sizes if 1 < size < len(values)]
    labels = []
    costs = np.array([_cost_row(joint, a) for a in range(len(joint))])
    costs = np.minimum(costs, costs.T)
    while wanted_sizes:
        a, b = divmod(int(costs.argmin()), len(members))
        a, b = min(a, b), max(a, b)
        members[a] += members.pop(b)
        joint[a] += joint[b]
        joint = np.delete(joint, b, axis=0)
        costs = np.delete(np.delete(costs, b, axis=0), b, axis=1)
        costs[a] = costs[:, a] = _cost_row(joint, a)
        if len(members) == wanted_sizes[0]:
            wanted_sizes.pop(0)
            labels.append(_named(values, column, members))
    return _levels(values, labels)


def _joint_counts(column: Column, related: Column, rows: int) -> Floats:
    codes = related.codes.astype(np.int64)
    width = len(related.values)
    if related.numbers is not None and width > 10:  # numbers and dates by tenths of their records
        order = np.cumsum(related.counts) - related.counts / 2
        codes = np.minimum(order * 10 // len(codes), 9).astype(np.int64)[codes]
        width = 10
    table = np.bincount(column.codes.astype(np.int64) * width + codes,
                        minlength=len(column.values) * width)  # fmt: skip
    return table.reshape(-1, width)[:rows].astype(np.float64)


def _cost_row(joint: Floats, a: int) -> Floats:
    """Return the mutual information lost when group `a` is joined with each of the others."""
    loss = _entropy(joint + joint[a]) - _entropy(joint) - _entropy(joint[a : a + 1])
    loss[a] = np.inf
    return loss


def _entropy(counts: Floats) -> Floats:
    """Return records times entropy of each row."""
    totals = counts.sum(axis=1)
    return np.asarray(_x_log_x(totals) - _x_log_x(counts).sum(axis=1))


def _x_log_x(counts: Floats) -> Floats:
    """Return x · ln x of each count, 0 for 0."""
    return counts * np.log(np.maximum(counts, 1.0))


def _named(values: Sequence[str], column: Column, members: Sequence[Sequence[int]]) -> list[str]:
    """Return the name of a group: its most frequent value and how many more there are."""
    labels = [""] * len(values)
    for group in members:
        first = max(group, key=lambda i: (int(column.counts[i]), -i))
        more = len(group) - 1
        name = values[first] if not more else f"{values[first]} and {more} more"
        for i in group:
            labels[i] = name
    return labels
