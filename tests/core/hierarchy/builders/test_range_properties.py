"""Ranges of random columns: every value is inside its label, and levels nest."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.hierarchy.specification import build_hierarchy, default_hierarchy
from tests.core.hierarchy.builders.building import build, column

_WHOLE = st.integers(-500, 500).map(str)
_DECIMAL = st.decimals(-50, 50, places=2).map(str)
_NUMBERS = st.one_of(st.lists(_WHOLE, min_size=1), st.lists(_DECIMAL, min_size=1))
_LABELS = (
    (re.compile(r"\[(.+), (.+)\)"), False),
    (re.compile(r"\[(.+)\.\.(.+)\]"), True),
    (re.compile(r"(\d+)-(\d+)"), True),
)


def is_inside(text: str, label: str) -> bool:
    """Whether a number is in the range that a label prints, read as a person reads it."""
    number = Decimal(text)
    if label == "*":
        return True
    if label.startswith("<"):
        return number < Decimal(label[1:])
    if label.startswith(">="):
        return number >= Decimal(label[2:])
    for form, closed in _LABELS:
        match = form.fullmatch(label)
        if match:
            low = Decimal(match[1])
            high = Decimal(match[2])
            return low <= number and (number <= high if closed else number < high)
    return number == Decimal(label)


@st.composite
def range_specs(draw: st.DrawFn) -> dict[str, Any]:
    builder = draw(st.sampled_from(["intervals", "grown", "breaks", "quantiles"]))
    if builder == "quantiles":
        bins = draw(st.sets(st.integers(2, 12), min_size=1, max_size=3))
        return {"builder": builder, "bins": sorted(bins, reverse=True)}
    step = draw(st.sampled_from([1, 5, 7, 0.1, 0.25, 2.5]))
    if builder == "breaks":
        cuts = draw(st.sets(st.integers(-40, 40), min_size=1, max_size=8))
        fewer = draw(st.sets(st.sampled_from(sorted(cuts)), min_size=1))
        levels = [sorted(cuts), sorted(fewer)]
        return {"builder": builder, "levels": [[c * step for c in level] for level in levels]}
    origin = draw(st.sampled_from([0, 3, -2.5, 0.1]))
    if builder == "grown":
        return {"builder": "intervals", "width": step, "origin": origin}
    factors = draw(st.lists(st.integers(2, 4), max_size=3))
    widths = [Decimal(str(step))]
    for factor in factors:
        widths.append(widths[-1] * factor)
    return {"builder": "intervals", "widths": [float(w) for w in widths], "origin": origin}


@settings(max_examples=200, deadline=None)
@given(_NUMBERS, range_specs())
def test_ranges_nest_are_contiguous_and_hold_their_values(texts: list[str], spec: dict[str, Any]):
    numbers = column(texts)
    hierarchy = build_hierarchy(spec, numbers, Path())  # checks that levels are functions
    assert hierarchy.values == numbers.values
    hierarchy.bind(numbers)  # checks that groups are ranges that do not overlap
    for text, *labels in hierarchy.rows:
        assert all(is_inside(text, label) for label in labels)


def naive_quantiles(numbers: list[int], bins: list[int]) -> list[list[set[int]]]:
    """Per level the bins as sets of numbers, by trying every place where a cut may be."""
    places = sorted(set(numbers))[:-1]
    levels = []
    for count in bins:
        chosen = set()
        for i in range(1, count):
            share = [abs(count * sum(n <= p for n in numbers) - i * len(numbers)) for p in places]
            if places:
                chosen.add(places[share.index(min(share))])
        places = sorted(chosen)
        edges = [min(numbers) - 1, *places, max(numbers)]
        levels.append([{n for n in numbers if a < n <= b} for a, b in pairwise(edges)])
    return levels


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=40),
    st.sets(st.integers(2, 9), min_size=1, max_size=3),
)
def test_quantiles_agree_with_trying_every_cut(numbers: list[int], counts: set[int]):
    bins = sorted(counts, reverse=True)
    made = build("quantiles", column(numbers), bins=bins)
    for level, wanted in enumerate(naive_quantiles(numbers, bins), start=1):
        groups: dict[str, set[int]] = {}
        for row in made.rows:
            groups.setdefault(row[level], set()).add(int(row[0]))
        assert list(groups.values()) == wanted


@settings(max_examples=60, deadline=None)
@given(_NUMBERS)
def test_default_ranges_hold_their_values(texts: list[str]):
    numbers = column(texts)
    hierarchy, _ = default_hierarchy(numbers)
    hierarchy.bind(numbers)
    for text, *labels in hierarchy.rows:
        assert all(is_inside(text, label) for label in labels)
