"""`run --preset`: options of algorithms as the research documents ran them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kanon_tui.commands import COMMANDS
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.project.paper_presets import PAPER_PRESETS, with_preset
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.project.sections import AlgorithmChoice

PAIRS = [(name, algorithm) for name, p in PAPER_PRESETS.items() for algorithm in p.algorithms]


def thesis() -> Project:
    return Project.load(find_sample("sbc-thesis").project)


@pytest.mark.parametrize(("preset", "algorithm"), PAIRS)
def test_every_option_is_one_of_its_algorithm(preset: str, algorithm: str) -> None:
    changed = with_preset(thesis(), preset, algorithm)
    options = PAPER_PRESETS[preset].algorithms[algorithm]
    assert changed.algorithm.name == algorithm
    assert set(changed.algorithm.params) == set(options)
    declared = {field.name: field for field in fields_of(ALGORITHMS[algorithm])}
    for name, text in options.items():
        assert changed.algorithm.params[name] == declared[name].parse(text, "")


def test_the_algorithm_of_the_project_stays_and_its_options_give_way() -> None:
    height = AlgorithmChoice("incognito", {"objective": "height", "memory": 7})
    changed = with_preset(replace(thesis(), algorithm=height), "utd-toolbox")
    assert changed.algorithm.params == {"objective": "classes", "memory": 7}


def test_a_preset_brings_its_algorithm_where_nobody_chose_one() -> None:
    guessed = AlgorithmChoice("global", guessed=True)
    changed = with_preset(replace(thesis(), algorithm=guessed), "byun-2007")
    assert changed.algorithm.name == "k-member"
    assert not changed.algorithm.guessed


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"no preset 'byun'.*byun-2007"):
        with_preset(thesis(), "byun")
    with pytest.raises(InputError, match=r"byun-2007 says nothing about incognito.*k-member"):
        with_preset(thesis(), "byun-2007")


def test_the_help_page_names_every_preset() -> None:
    preset = next(a for a in COMMANDS["run"].arguments if a.name == "--preset")
    assert all(name in preset.settings["help"] for name in PAPER_PRESETS)
