"""Rules as a CSV file, and the boundaries that laws and taxes draw."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.table import code_column
from kanon_tui.core.table.value_formats import NumberFormat
from kanon_tui.core.task.rule_files import read_rules, rules_text
from kanon_tui.core.task.rule_presets import PRESETS, preset_rules
from kanon_tui.core.task.rules import Apart, Boundary

RULES = (Boundary("64", "65", 25.0), Apart(("White", "Asian"), ("a|b\\c",), 0.5))
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1)
SIDES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)


def test_a_file_of_rules_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "race.csv"
    path.write_text(rules_text(RULES), encoding="utf-8")
    assert read_rules(path) == RULES
    assert rules_text(RULES).splitlines()[:2] == [
        "rule,first,second,importance",
        "boundary,64,65,25",
    ]


@given(st.lists(st.builds(Apart, SIDES, SIDES, st.integers(1, 99).map(float)), max_size=4))
def test_any_names_are_read_back(tmp_path_factory, rules) -> None:
    path = tmp_path_factory.mktemp("rules") / "rules.csv"
    path.write_text(rules_text(rules), encoding="utf-8")
    assert read_rules(path) == tuple(rules)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "its first row is not rule,first,second,importance"),
        ("a,b\n", "its first row is not rule,first,second,importance"),
        ("rule,first,second,importance\nbeside,1,2,3\n", "row 2: 'beside' is no rule"),
        ("rule,first,second,importance\napart,1,2\n", "row 2 has 3 cells"),
        ("rule,first,second,importance\napart,1,2,much\n", "row 2: importance 'much'"),
        ("rule,first,second,importance\n\nboundary,1,2,0\n", "row 3.*above 0"),
    ],
)
def test_a_wrong_file_is_refused_with_its_row(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "rules.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"rules.csv.*{sentence}"):
        read_rules(path)


def rules_of(title: str, values: list[str], format: NumberFormat | None = None) -> list[str]:
    preset = next(preset for preset in PRESETS if preset.title.startswith(title))
    column = code_column(pl.Series("x", values), Kind.NUMERIC, format=format)
    return [str(rule) for rule in preset_rules(preset, column)]


def test_presets_have_the_boundaries_that_lie_within_the_values() -> None:
    assert rules_of("Ages of law", ["17", "40", "70"]) == ["17 | 18", "20 | 21", "64 | 65"]
    assert rules_of("Ages of law", ["18", "20"]) == [], "nothing lies below 18 or above 20"
    assert rules_of("Decades", ["17", "40", "39.5"]) == ["19.9 | 20", "29.9 | 30", "39.9 | 40"]
    money = rules_of("US income tax", ["9.000,50", "50.000,00"], NumberFormat(",", "."))
    assert money == ["11.924,99 | 11.925", "48.474,99 | 48.475"]
