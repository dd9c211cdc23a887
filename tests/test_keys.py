"""Letters: none means two things on neighbouring screens, and docs/keys.md shows them all."""

from __future__ import annotations

import pytest

from kanon_tui.app import binding_names
from kanon_tui.settings import PRESETS
from tests.key_table import BEGIN, END, KEYS_PAGE, NEIGHBOURS, SCREENS, letters, table

MOTIONS = set("hjklgG0") | {"^", "$"}


@pytest.mark.parametrize(("one", "other"), NEIGHBOURS)
def test_no_letter_means_two_things_on_neighbouring_screens(one: str, other: str) -> None:
    here = letters(one)
    there = letters(other)
    assert here
    assert there
    clashes = {
        key: (here[key], there[key])
        for key in here
        if key.isalpha() and there.get(key, here[key]) != here[key]
    }
    assert clashes == {}


def test_the_page_of_keys_is_up_to_date() -> None:
    page = KEYS_PAGE.read_text()
    assert table() in page.split(BEGIN)[1].split(END)[0], "python -m tests.key_table writes it"


def test_presets_name_what_there_is_and_leave_no_letter_to_two() -> None:
    names = binding_names()
    for preset in PRESETS.values():
        assert set(preset) <= names
    moved = {key for keys in PRESETS["vim"].values() for key in keys.split(",")}
    for screen in SCREENS:
        taken = {key for key in letters(screen) if key in MOTIONS & moved}
        assert taken <= {"k", "g", "j"}  # which have other letters in the preset
    others = {"attributes.kind", "what-if.values", "hierarchies.group", "watch.jump"}
    assert others <= set(PRESETS["vim"])
