"""How a sensitive attribute is spread within classes: one figure per class.

- distinct l: the number of distinct values, which p-sensitivity asks for too (`GroupValues`);
- entropy l: e to the entropy, as if the class had that many equally frequent values;
- t: the distance of the class's distribution from that of the whole table. For categories the equal
  distance ½ Σ|p − q|, for numbers and dates the ordered one, Σ|cumulated p − q| / (m − 1) over the
  m sorted values;
- α: the highest share of one value.

All is counted on distinct (class, value) pairs, never on a classes × values table.

Reference: Machanavajjhala et al., l-diversity (2007); Li et al., t-closeness (2007); Truta and
Vinay, p-sensitive k-anonymity (2006); Wong et al., (α, k)-anonymity (2006).
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.numeric import Flags, Floats

__all__ = ["distance", "equal_values", "expected_of_excess", "highest_share"]


def equal_values(held: GroupValues) -> Floats:
    """Entropy l of every class: so many equally frequent values would be as diverse."""
    share = _shares(held)
    return np.asarray(np.exp(_per_class(held, -share * np.log(share))), dtype=np.float64)


def highest_share(held: GroupValues, among: Flags | None = None) -> Floats:
    """Share of the most frequent value of every class; with `among`, of one of these values."""
    share = _shares(held)
    if among is not None:
        share = np.where(among[held.code], share, 0.0)
    return np.asarray(np.maximum.reduceat(share, held.starts[:-1]), dtype=np.float64)


def distance(held: GroupValues, reference: Floats, ordered: bool) -> Floats:
    """t of every class: how far its distribution is from the reference."""
    return (_ordered_distance if ordered else _equal_distance)(held, reference)


def expected_of_excess(held: GroupValues, reference: Floats) -> Floats:
    """The reference's share of the values that each class has too much of."""
    expected = reference[held.code]
    return _per_class(held, np.where(_shares(held) > expected, expected, 0.0))


def _shares(held: GroupValues) -> Floats:
    return np.asarray(held.records / held.sizes[held.group], dtype=np.float64)


def _per_class(held: GroupValues, per_pair: Floats) -> Floats:
    """Sum over the values of every class; each class has at least one."""
    return np.asarray(np.add.reduceat(per_pair, held.starts[:-1]), dtype=np.float64)


def _equal_distance(held: GroupValues, reference: Floats) -> Floats:
    """½ Σ|p − q|: the values that a class lacks add their q."""
    share = _shares(held)
    expected = reference[held.code]
    return (1.0 + _per_class(held, np.abs(share - expected) - expected)) / 2.0


def _ordered_distance(held: GroupValues, reference: Floats) -> Floats:
    """Σ|P − Q| / (m − 1) over cumulated shares.

    A class's P is constant from one of its values up to the next. There Q rises past P at most
    once, so two differences of running sums of Q give the sum of |P − Q| over the whole stretch.
    """
    m = len(reference)
    if m == 1:
        return np.zeros(held.count)
    cumulated = np.cumsum(reference)
    running = np.concatenate([[0.0], np.cumsum(cumulated)])

    first = held.starts[:-1]
    so_far = np.cumsum(held.records)
    level = (so_far - (so_far - held.records)[first][held.group]) / held.sizes[held.group]
    begin = held.code
    end = np.append(held.code[1:], m)
    end[held.starts[1:] - 1] = m
    crossing = np.clip(np.searchsorted(cumulated, level), begin, end)
    below = level * (crossing - begin) - (running[crossing] - running[begin])
    above = (running[end] - running[crossing]) - level * (end - crossing)
    up_to_first: Floats = running[held.code[first]]
    return (up_to_first + _per_class(held, below + above)) / (m - 1)
