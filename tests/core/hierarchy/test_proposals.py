"""Groupings proposed for categories: each builds, covers every value and can be changed."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from kanon_tui.core.hierarchy.proposals import proposals
from kanon_tui.core.hierarchy.specification import build_hierarchy
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import code_column


def column(name: str, texts: list[str], kind: Kind = Kind.CATEGORICAL) -> Column:
    return code_column(pl.Series(name, texts), kind)


REGIONS = ["Burgenland"] * 2 + ["Lower Austria"] * 40 + ["Lower Saxony"] * 3 + ["Vienna"] * 55
WAGES = ["low"] * 2 + ["high"] * 40 + ["low"] * 3 + ["high"] * 55


def proposed(texts: list[str], k: int = 5) -> dict[str, list[dict[str, list[str]]]]:
    region = column("region", texts)
    found = {}
    for each in proposals(region, k, {"wage": lambda: column("wage", WAGES)}):
        spec = each.make()
        if spec is not None:
            build_hierarchy(spec, region, Path()).bind(region)  # it covers all and nests
            found[each.title] = spec["levels"]
    return found


def test_rare_values_go_together() -> None:
    first = proposed(REGIONS)["groups by frequency"][0]
    assert first["Other"] == ["Burgenland", "Lower Saxony"]
    assert first["Vienna"] == ["Vienna"]
    taken = proposed([*REGIONS[:-3], *["Other"] * 3])["groups by frequency"][0]
    assert "Other values" in taken  # a value may have that name already


def test_by_prefix_and_by_alphabet() -> None:
    found = proposed(REGIONS)
    assert ["Lower Austria", "Lower Saxony"] in found["groups by prefix"][0].values()
    assert "V" in found["groups by alphabet"][-1]
    codes = [f"{letter}{number}" for letter in "AB" for number in range(10)] * 5
    assert set(proposed(codes)["groups by prefix"][0]) == {"A..", "B.."}


def test_values_that_are_alike_in_a_sensitive_attribute_go_together() -> None:
    first = proposed(REGIONS)["groups alike in wage"][0]
    groups = sorted(sorted(members) for members in first.values())
    assert groups == [["Burgenland", "Lower Saxony"], ["Lower Austria", "Vienna"]]


def test_nothing_is_proposed_where_nothing_groups() -> None:
    assert proposed(["a", "b"] * 50) == {}
    numbers = column("n", ["1", "2", "3"], Kind.NUMERIC)
    assert list(proposals(numbers, 2, {})) == []
