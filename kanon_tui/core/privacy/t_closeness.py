"""t-closeness: a class's sensitive values are distributed like the whole table's, at most t away.

With p the shares of a class and q those of the whole table, the distance is

- for categories the equal distance, ½ Σ|p − q|;
- for numbers and dates the ordered distance, Σ|P − Q| / (m − 1) over the m sorted values, where P
  and Q are the cumulated shares.

A missing value is judged in two ways, and the larger distance counts: as a value of its own (that
it is missing may be what is sensitive) and among the records that have a value (missing ones must
not thin out what is known of the others).

Reference: Li et al., t-closeness (2007).

t-closeness with a hierarchy as ground distance: flu is nearer to bronchitis than to a fracture.

The distance of two values is level / H, with the level of their lowest common label in the
hierarchy of the sensitive attribute and H its height. Moving the shares of a class to those of the
whole table costs the least sum of share × distance (earth mover's distance). Li et al. add up over
all labels N of the tree level(N) / H · min(surplus, want), surplus and want being what is above and
below the table's shares among the children of N.

Here the same number is found level by level. In a tree where every value is at the bottom, half an
edge of 1/H lies between each level and the next, and what must pass the edge above a label is the
difference of its shares. So the distance is the mean, over the levels below the root, of the equal
distances ½ Σ|P − Q| of the shares of that level's labels. The verifier uses the sum of Li et al.

Like the other distances it is convex, so that classes that hold make one that holds. Missing values
as in `t_closeness`; as a value of its own, missing meets the others at the root.

Reference: Li et al., t-closeness (2007), section 5.2 (hierarchical distance).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.types import number
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import (
    equal_distances,
    fewest_removed,
    over_present,
    present_shares,
    sums_per_class,
    table_shares,
    value_shares,
)
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.group_values import GroupValues

__all__ = ["HierarchicalTCloseness", "TCloseness"]


class TCloseness(PrivacyModel):
    """At most this distance from the whole table."""

    key, bound_key, example = "t", "max", 0.2
    name, letter, title = "t", "t", "t-closeness"
    check_title = title
    report_title = title
    report_meaning = "largest distance of a class from the whole table; 0: like the table"
    at_least = False
    bound_type = number(low=0, high=1, words="a distance from 0 to 1")
    form_name = "t_closeness"
    help = "Every class's values are spread like the whole table's, at most so far from them"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the distance of every class."""
        of_present = over_present(
            groups, column, lambda g: _distances(g, column, present_shares(column)), 0.0
        )
        of_all = _distances(groups, column, table_shares(column))
        return np.asarray(np.maximum(of_all, of_present), dtype=np.float64)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return how many records must go: the share of values that are too frequent must fall.

        It may be what they have in the whole table, and t. For ordered values, where a distance is
        no share, it may be t alone.
        """
        of_present = over_present(
            groups, column, lambda g: self._removed(g, column, present_shares(column)), 0
        )
        of_all = self._removed(groups, column, table_shares(column))
        return np.asarray(np.maximum(of_all, of_present), dtype=np.int64)

    def _removed(self, groups: GroupValues, column: Column, whole: Floats) -> Int64s:
        most = np.full(groups.count, self.bound)
        if not column.kind.ordered:
            expected = whole[groups.code]
            too_much = value_shares(groups) > expected
            most += sums_per_class(groups, np.where(too_much, expected, 0.0))
        return fewest_removed(groups, _distances(groups, column, whole) - self.bound, most)

    def __str__(self) -> str:
        return f"{self.attribute} within {self.bound:g} of the whole table"

    @property
    def fault(self) -> str:
        """Too far away."""
        return f"{self.attribute} further than {self.bound:g} from the whole table"


def _distances(groups: GroupValues, column: Column, whole: Floats) -> Floats:
    return (_ordered_distances if column.kind.ordered else equal_distances)(groups, whole)


def _ordered_distances(groups: GroupValues, whole: Floats) -> Floats:
    """Return Σ|P − Q| / (m − 1) over cumulated shares, of every class.

    A class's P is constant from one of its values up to the next. There Q rises past P at most
    once: two differences of running sums of Q give the sum of |P − Q| over the whole stretch.
    """
    m = len(whole)
    if m == 1:
        return np.zeros(groups.count)
    cumulated = np.cumsum(whole)
    running = np.concatenate([[0.0], np.cumsum(cumulated)])

    first = groups.starts[:-1]
    so_far = np.cumsum(groups.records)
    level = (so_far - (so_far - groups.records)[first][groups.group]) / groups.sizes[groups.group]
    begin = groups.code
    end = np.append(groups.code[1:], m)
    end[groups.starts[1:] - 1] = m
    crossing = np.clip(np.searchsorted(cumulated, level), begin, end)
    below = level * (crossing - begin) - (running[crossing] - running[begin])
    above = (running[end] - running[crossing]) - level * (end - crossing)
    up_to_first: Floats = running[groups.code[first]]
    return (up_to_first + sums_per_class(groups, below + above)) / (m - 1)


class HierarchicalTCloseness(PrivacyModel):
    """At most this distance from the whole table, by the hierarchy of the attribute."""

    key, bound_key, example = "t", "hierarchy", 0.2
    name, letter, title = "t_hierarchy", "t by hierarchy", "t-closeness by hierarchy"
    check_title = title
    report_title = title
    report_meaning = "the same with the hierarchy as distance; –: it has none"
    at_least = False
    bound_type = number(low=0, high=1, words="a distance from 0 to 1")
    form_name = "t_hierarchy"
    help = "The same, where values under one label of its hierarchy are nearer"

    def of_column(self, column: Column, who: str) -> Self:
        """Return the requirement for one column; refuse a column without a hierarchy."""
        if column.ground is None:
            raise InputError(
                f"{who}: {self.title} is required of {column.name}, which has no hierarchy; give "
                f"it one, or write t: {{attribute: {column.name}, max: {self.bound:g}}}",
                on_screen=f"{self.title} is required of {column.name}, which has no hierarchy; "
                f"write one in the project file, or use t_closeness",
            )
        return super().of_column(column, who)

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the distance of every class; nan where there is no hierarchy."""
        if column.ground is None:
            return np.full(groups.count, np.nan)
        of_present = over_present(
            groups, column, lambda g: _tree_distances(g, column, present_shares(column)), 0.0
        )
        return np.asarray(
            np.maximum(of_present, _tree_distances(groups, column, table_shares(column)))
        )

    def claim_fields(self, column: Column) -> dict[str, Any]:
        """Return the labels above every text."""
        assert column.ground is not None
        return {"ground": tuple(tuple(labels.tolist()) for labels in column.ground)}

    def __str__(self) -> str:
        return f"{self.attribute} within {self.bound:g} of the whole table, by its hierarchy"

    @property
    def fault(self) -> str:
        """Too far away."""
        return (
            f"{self.attribute} further than {self.bound:g} from the whole table, by its hierarchy"
        )


def _tree_distances(groups: GroupValues, column: Column, whole: Floats) -> Floats:
    """Return the mean over the levels below the root of the equal distances there."""
    assert column.ground is not None
    found = [equal_distances(groups, whole)]
    for labels in column.ground:
        shares = np.zeros(int(labels.max()) + 1)
        np.add.at(shares, labels[: len(whole)], whole)
        found.append(equal_distances(groups.relabelled(labels), shares))
    return np.asarray(np.mean(found, axis=0), dtype=np.float64)
