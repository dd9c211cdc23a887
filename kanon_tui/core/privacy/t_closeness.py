"""t-closeness: a class's sensitive values are distributed like the whole table's, at most t away.

With p the shares of a class and q those of the whole table, the distance is

- for categories the equal distance, ½ Σ|p − q|;
- for numbers and dates the ordered distance, Σ|P − Q| / (m − 1) over the m sorted values, where P
  and Q are the cumulated shares;
- by hierarchy the earth mover's distance, where moving a share from one value to another costs
  level / H: the level of their lowest common label in the hierarchy of the attribute, and its
  height H. Flu is nearer to bronchitis than to a fracture.

Li et al. give the hierarchical distance as a sum over all labels N of the tree: level(N) / H ·
min(surplus, want), what is above and below the table's shares among the children of N. The verifier
uses that sum. Here the same number is found level by level: in a tree where every value is at the
bottom, half an edge of 1/H lies between each level and the next, and what must pass the edge above
a label is the difference of its shares. So the distance is the mean, over the levels below the
root, of the equal distances of the shares of that level's labels.

A missing value is judged in two ways, and the larger distance counts: as a value of its own, which
meets the others at the root, and among the records that have a value.

All distances are convex, so that classes that hold make one that holds.

Reference: Li et al., t-closeness (2007), section 5.2 for the hierarchical distance.
"""

from typing import Any, Self

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import number
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import (
    equal_distances,
    fewest_removed,
    larger_of_both,
    sums_per_class,
    value_shares,
)
from kanon_tui.core.table.column import Column, GroupValues


class TCloseness(PrivacyModel):
    """At most a distance `bound` from the distribution of the whole table."""

    key = "t"
    bound_key = "max"
    example = 0.2
    name = "t"
    letter = "t"
    title = "t-closeness"
    report_meaning = "largest distance of a class from the whole table; 0: like the table"
    bound_type = number(low=0, high=1, words="a distance from 0 to 1")
    form_name = "t_closeness"
    help = "The largest distance of a class's values from those of the whole table"
    condition = "{attribute} within {bound:g} of the whole table"
    violation = "{attribute} further than {bound:g} from the whole table"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the distance of every class."""
        return larger_of_both(groups, column, lambda g, in_table: _distances(g, column, in_table))

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return how many records must go: the share of values that are too frequent must fall.

        It may be what they have in the whole table, and t. For ordered values, where a distance is
        no share, it may be t alone.
        """

        def removed(valued: GroupValues, in_table: Floats) -> Int64s:
            most = np.full(valued.count, self.bound)
            if not column.kind.ordered:
                expected = in_table[valued.code]
                too_much = value_shares(valued) > expected
                most += sums_per_class(valued, np.where(too_much, expected, 0.0))
            return fewest_removed(valued, _distances(valued, column, in_table) - self.bound, most)

        return larger_of_both(groups, column, removed)


def _distances(groups: GroupValues, column: Column, in_table: Floats) -> Floats:
    return (_ordered_distances if column.kind.ordered else equal_distances)(groups, in_table)


def _ordered_distances(groups: GroupValues, in_table: Floats) -> Floats:
    """Return Σ|P − Q| / (m − 1) over cumulated shares, of every class.

    A class's P is constant from one of its values up to the next. There Q rises past P at most
    once: two differences of running sums of Q give the sum of |P − Q| over the whole stretch.
    """
    m = len(in_table)
    if m == 1:
        return np.zeros(groups.count)
    cumulated = np.cumsum(in_table)
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
    """At most a distance `bound` from the whole table, by the hierarchy of the attribute."""

    key = "t"
    bound_key = "hierarchy"
    example = 0.2
    name = "t_hierarchy"
    letter = "t by hierarchy"
    title = "t-closeness by hierarchy"
    report_meaning = "the same with the hierarchy as distance; –: it has none"
    bound_type = TCloseness.bound_type
    help = "The same, where values under one label of its hierarchy are nearer"
    condition = "{attribute} within {bound:g} of the whole table, by its hierarchy"
    violation = "{attribute} further than {bound:g} from the whole table, by its hierarchy"

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
        return larger_of_both(
            groups, column, lambda g, in_table: _tree_distances(g, column, in_table)
        )

    def claim_fields(self, column: Column) -> dict[str, Any]:
        """Return the labels above every text."""
        assert column.ground is not None
        return {"ground": tuple(tuple(labels.tolist()) for labels in column.ground)}


def _tree_distances(groups: GroupValues, column: Column, in_table: Floats) -> Floats:
    """Return the mean over the levels below the root of the equal distances there."""
    assert column.ground is not None
    distances = [equal_distances(groups, in_table)]
    for labels in column.ground:
        shares = np.zeros(int(labels.max()) + 1)
        np.add.at(shares, labels[: len(in_table)], in_table)
        distances.append(equal_distances(groups.relabelled(labels), shares))
    return np.asarray(np.mean(distances, axis=0), dtype=np.float64)
