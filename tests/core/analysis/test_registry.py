"""Every analysis of the registry can be loaded, opened and run by its command."""

from __future__ import annotations

from importlib import import_module

import pytest

from kanon_tui.commands.declarations import COMMANDS
from kanon_tui.core.analysis.registry import ANALYSES, find_analysis
from kanon_tui.core.errors import InputError
from kanon_tui.screens.panel import AnalysisScreen


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda each: each.name)
def test_its_function_its_command_and_its_panel_are_there(analysis):
    assert find_analysis(analysis.name) is analysis
    assert callable(analysis.load())
    assert not analysis.command or analysis.command in COMMANDS
    assert bool(analysis.key) == bool(analysis.screen)
    if analysis.screen:
        module, name = analysis.screen.split(":")
        panel = getattr(import_module(f"kanon_tui.screens.analyses.{module}"), name)
        assert issubclass(panel, AnalysisScreen)


def test_names_and_keys_are_different_and_a_wrong_name_is_told():
    assert len({each.name for each in ANALYSES}) == len(ANALYSES)
    keys = [each.key for each in ANALYSES if each.key]
    assert len(set(keys)) == len(keys)
    with pytest.raises(InputError, match=r"'utilities'.*utility"):
        find_analysis("utilities")
