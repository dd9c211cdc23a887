"""The utility of a release as sections of a report.

A report leaves the house with the release, so figures of the original are told only of groups of k
and ten people at least (`axis`), and with three digits.
"""

from __future__ import annotations

from kanon_tui.core.analysis.utility.group_means import GroupMean, Summary
from kanon_tui.core.analysis.utility.utility import Utility
from kanon_tui.core.report.sections import Bar, Distribution, Section, figure
from kanon_tui.core.text import significant

__all__ = ["utility_sections"]

PAIRS_SHOWN = 8
MEANS_SHOWN = 24
_DIGITS = 3


def utility_sections(found: Utility | None) -> list[Section]:
    """Distributions with pictures, pairs, counts and means; none where nothing was measured."""
    if found is None:
        return []
    return [_distributions(found), _pairs(found), *_means(found)]


def _distributions(found: Utility) -> Section:
    said = [
        "How far the release changes what is counted, attribute by attribute. A published range, "
        "label or set counts with equal shares in all values of the original that it covers. "
        "Distance is the total variation: 0 where both tables agree, 1 where they have nothing in "
        "common. Groups have at least k people of the original each, and never fewer than ten.",
    ]
    if found.queries is not None:
        asked = found.queries
        said.append(
            f"{asked.queries:,} random COUNT queries over two or three attributes were answered "
            f"from the release. Half of the answers are wrong by less than {asked.median:.1%}, "
            f"nine of ten by less than {asked.ninetieth:.1%}."
        )
    rows: list[list[str | Bar]] = [
        [
            each.attribute,
            "as it is" if each.attribute in found.as_they_are else "generalised",
            Bar(min(1.0, each.distance), figure(round(each.distance, 4))),
        ]
        for each in found.marginals
    ]
    drawn = [
        Distribution(each.attribute, each.labels, each.original, each.release)
        for each in found.marginals
        if len(each.labels) > 1
    ]
    columns = ("Attribute", "Published", "Distance")
    return Section("Distributions, original and release", said, columns, rows, pictures=drawn)


def _pairs(found: Utility) -> Section:
    rows: list[list[str | Bar]] = [
        [
            f"{each.first} and {each.second}",
            Bar(min(1.0, each.distance), figure(round(each.distance, 4))),
            figure(round(each.original_association, 3)),
            figure(round(each.release_association, 3)),
        ]
        for each in found.pairs[:PAIRS_SHOWN]
    ]
    said = (
        f"The pairs whose joint distribution changed most, of {len(found.pairs):,}. Association is "
        "Cramér's V, from 0 (independent) to 1 (one tells the other)."
    )
    columns = ("Pair", "Distance", "Association before", "Association released")
    return Section("Pairs of attributes", [said] if rows else [], columns, rows)


def _means(found: Utility) -> list[Section]:
    told = [each for each in found.means if each.measure in found.as_they_are][:MEANS_SHOWN]
    if not told:
        return []
    said = (
        "Means with 95 % confidence intervals, and medians, as a table of results would print "
        "them. Overlap is how much the two intervals have in common: 1 where they are the same, "
        "below 0 where they are apart (Karr and others, 2006)."
    )
    rows = [_mean_row(each) for each in told]
    columns = ("Mean of", "Group", "Original", "Release", "Medians", "Overlap")
    return [Section("Means by group", [said], columns, rows)]


def _mean_row(each: GroupMean) -> list[str]:
    medians = " → ".join(significant(one.median, _DIGITS) for one in (each.original, each.release))
    return [
        each.measure,
        f"{each.by}: {each.group}",
        _interval(each.original),
        _interval(each.release),
        medians,
        f"{each.overlap:.2f}",
    ]


def _interval(summary: Summary) -> str:
    mean, low, high = (
        significant(number, _DIGITS) for number in (summary.mean, summary.low, summary.high)
    )
    return f"{mean} [{low}; {high}]"
