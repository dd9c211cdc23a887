"""Likeness: how much a class raises the probability of each sensitive value.

With p the share of a value in a class and q that in the whole table:

- basic β-likeness: (p − q) / q ≤ β for every value. A rare value may become at most 1 + β times as
  frequent in a class; t-closeness, which adds differences up, lets a rare value grow by much.
- enhanced β-likeness: (p − q) / q ≤ min(β, −ln q): a frequent value may grow less, and none to
  certainty. The cap does not depend on β, so that the figure of a class beyond it has no bound.
- δ-disclosure privacy: |ln(p / q)| < δ for every value of the table. Every class must have every
  value: one that lacks a value tells that nobody in it has it.

Merging. Each bounds p from above (δ also from below) by numbers that depend on q alone, and the p
of a union lies between those of its parts. So two classes that hold make one that holds, and the
whole table, where p = q, always does.

Missing values. β looks at two distributions, and the larger gain counts: with missing as a value of
its own, and among the records that have one. δ looks at those that have one; a class in which none
has shows nothing and has 0.

Reference: Cao and Karras, Publishing microdata with a robust privacy guarantee (2012), definitions
3 and 4; Brickell and Shmatikov, The cost of privacy (2008), definition 4.
"""

import numpy as np

from kanon_tui.core.fields.declaration import number
from kanon_tui.core.numeric import TIE, Floats
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import larger_of_both, over_present, present_shares, value_shares
from kanon_tui.core.table.column import Column, GroupValues


class BasicLikeness(PrivacyModel):
    """A bound for the relative gain of every value: basic β-likeness."""

    key = "beta"
    bound_key = "basic"
    example = 2
    name = "beta"
    letter = "β"
    title = "basic β-likeness"
    report_title = "Basic β-likeness"
    report_meaning = "largest relative gain of a value in a class; 0: like the table"
    loosest = np.inf
    bound_type = number(above=0)
    form_name = "beta_basic"
    help = "No value's share of a class is more than 1 + β times that of the whole table"
    condition = "no value of {attribute} more than 1 + {bound:g} times as frequent"
    violation = (
        "a value of {attribute} more than 1 + {bound:g} times as frequent as in the whole table"
    )

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the largest gain of a value in every class."""
        return larger_of_both(groups, column, self._largest_gains)

    def _largest_gains(self, groups: GroupValues, table_shares: Floats) -> Floats:
        expected = table_shares[groups.code]
        with np.errstate(divide="ignore"):  # in people, a missing value may be missing nowhere else
            gains = self.gain((value_shares(groups) - expected) / expected, expected)
        return np.asarray(np.maximum.reduceat(np.maximum(gains, 0.0), groups.starts[:-1]))

    def gain(self, gains: Floats, expected: Floats) -> Floats:
        """Return the gains that count; `expected` are the shares of their values in the table."""
        return gains


class EnhancedLikeness(BasicLikeness):
    """Enhanced β-likeness: no more than −ln q in any case."""

    bound_key = "enhanced"
    name = "beta_enhanced"
    letter = "enhanced β"
    title = "enhanced β-likeness"
    report_title = "Enhanced β-likeness"
    form_name = "beta_enhanced"
    report_meaning = "the same; – where a value gains more than −ln of its share in the table"
    help = "The same, and no value gains more than −ln of its share in the whole table"
    condition = (
        "no value of {attribute} more than 1 + {bound:g} times as frequent, nor beyond its own "
        "limit"
    )
    violation = "a value of {attribute} that gains more than {bound:g} or −ln of its share"

    def gain(self, gains: Floats, expected: Floats) -> Floats:
        """Return the gains, infinite where they exceed −ln q."""
        beyond = gains > -np.log(expected) + TIE
        return np.where(beyond, np.inf, gains)


class DisclosurePrivacy(PrivacyModel):
    """δ-disclosure privacy: no value much more or much less frequent than in the whole table."""

    key = "delta"
    bound_key = "max"
    example = 1
    name = "delta"
    letter = "δ"
    title = "δ-disclosure privacy"
    check_title = "δ-disclosure privacy: more than this δ"
    report_meaning = "largest |ln(p/q)| of a value; δ must be above it; –: a class lacks a value"
    strict = True
    loosest = np.inf
    bound_type = number(above=0)
    form_name = "delta_disclosure"
    help = "Every value's share of a class is within e^δ times that of the whole table"
    condition = "every value of {attribute} with a share within e^{bound:g} of the whole table"
    violation = "a value of {attribute} e^{bound:g} times as frequent or as rare, or none"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the largest |ln(p / q)| of every class."""
        return over_present(groups, column, lambda g: self._figures(g, column), 0.0)

    def _figures(self, groups: GroupValues, column: Column) -> Floats:
        table_shares = present_shares(column)
        away = np.abs(np.log(value_shares(groups) / table_shares[groups.code]))
        largest = np.maximum.reduceat(away, groups.starts[:-1])
        return np.where(groups.distinct < np.count_nonzero(table_shares), np.inf, largest)
