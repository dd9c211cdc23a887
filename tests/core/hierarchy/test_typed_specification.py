"""Builder specifications as the texts of a form."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import (
    BUILDERS,
    build_hierarchy,
    groups_spec,
    spec_from_texts,
    texts_of_spec,
)
from tests.core.hierarchy.countries import COUNTRIES, column, refused


@pytest.mark.parametrize(
    "spec",
    [
        {"builder": "intervals", "widths": [5, 10, 20]},
        {"builder": "intervals", "width": 2.5, "factor": 3, "origin": "1990-01-01"},
        {"builder": "breaks", "levels": [[18, 40, 65], [65]]},
        {"builder": "breaks", "levels": [[65]]},
        {"builder": "breaks", "levels": [["Jan 3, 1990", "Feb 4, 1991"]]},
        {"builder": "quantiles", "bins": [10, 5]},
        {"builder": "mask", "from": "left", "levels": 2},
        {"builder": "date", "levels": ["month", "5 years"]},
        {"builder": "groups", "levels": [{"E: U": ["01234", "12", "a, b"]}, {"*": ["E: U"]}]},
        {"builder": "groups", "levels": [{"x": ["[/]"]}], "other": "[rest"},
        {"builder": "flat"},
    ],
)  # fmt: skip
def test_a_specification_survives_the_form(spec):
    builder = BUILDERS[spec["builder"]]
    assert spec_from_texts(builder, texts_of_spec(builder, spec), "x") == spec


def test_what_is_typed_into_a_form():
    def made(name: str, **texts: str) -> dict[str, object]:
        return spec_from_texts(BUILDERS[name], texts, "age")

    assert made("intervals", widths="5,10 ")["widths"] == [5, 10]
    assert made("intervals", widths="5, ")["widths"] == [5]  # while the next is being typed
    assert made("intervals", widths="[5, 10]")["widths"] == [5, 10]
    assert made("breaks", levels="18, 65; 65;")["levels"] == [[18, 65], [65]]
    assert made("breaks", levels="18 25 35; 18 65")["levels"] == [[18, 25, 35, 65], [18, 65]]
    assert made("breaks", levels="18 3O 40")["levels"] == [[18, "3O", 40]]  # named when built
    assert made("intervals", widths="5 10 20")["widths"] == [5, 10, 20]
    with pytest.raises(InputError, match=r"widths\[2\]: 'ten'"):
        made("intervals", widths="5 ten 20")
    assert made("mask") == {"builder": "mask"}
    assert made("groups", levels="A: [x]\nB: [y]")["levels"] == [{"A": ["x"], "B": ["y"]}]
    assert refused(lambda: made("intervals", widths="wide")) == (
        "age: widths: 'wide' is not allowed here; write a list of numbers above 0, "
        "such as [5, 10, 20]"
    )
    assert "the key bins is missing" in refused(lambda: made("quantiles", bins=" "))
    assert "not valid YAML" in refused(lambda: made("groups", levels="{a"))


def test_the_groups_form_begins_with_the_groups_there_are():
    spec = groups_spec(COUNTRIES)
    made = build_hierarchy(spec, column(COUNTRIES.values), Path())
    assert sorted(made.rows) == sorted(COUNTRIES.rows)
    flat = groups_spec(Hierarchy.flat(["a", "b", "c"]))
    assert build_hierarchy(flat, column("abc"), Path()).rows == (
        ("a", "First group", "*"), ("b", "First group", "*"), ("c", "Other", "*"),
    )  # fmt: skip
