"""What a person is told before starting."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError, in_screen_words
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.trial import preflight
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Role


def test_strings_of_the_space_and_after_pre_pruning() -> None:
    project = kn.Project.load(find_sample("pre-pruning").project)
    made = preflight(project, prepare(project), ALGORITHMS["global"])
    assert "16 strings, 4 after pre-pruning" in made.facts  # 2·4·2, then 1·2·2
    assert not made.problem


def test_made_up_hierarchies_are_a_warning_for_full_domain_only() -> None:
    project = kn.Project.load(find_sample("linking").project)
    task = prepare(project)
    assert any("no hierarchy" in w for w in preflight(project, task, ALGORITHMS["global"]).warnings)
    (small,) = preflight(project, task, ALGORITHMS["mondrian"]).warnings
    assert "k = 2 is small" in small


def test_a_parameter_that_does_not_fit_is_the_problem() -> None:
    project = kn.Project.load(find_sample("linking").project)
    project = replace(project, algorithm=AlgorithmChoice("mondrian", {"relaxed": "perhaps"}))
    assert "relaxed" in preflight(project, prepare(project), ALGORITHMS["mondrian"]).problem


def test_a_screen_is_told_in_its_own_words() -> None:
    """The command line keeps the words of the project file."""
    project = kn.Project.load(find_sample("linking").project)
    others = {name: replace(spec, role=Role.OTHER) for name, spec in project.attributes.items()}
    with pytest.raises(KanonError) as raised:
        prepare(replace(project, attributes=others))
    assert "{role: quasi}" in str(raised.value)
    assert "role:" not in in_screen_words(raised.value)
    assert "press q" in in_screen_words(raised.value)
