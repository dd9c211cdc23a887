"""Every analysis of the registry is complete: its declaration, its command, its panel."""

from __future__ import annotations

from importlib import import_module
from inspect import getdoc

import pytest

from kanon_tui.commands import COMMANDS
from kanon_tui.core.analysis.analysis import option_help, required_options
from kanon_tui.core.analysis.registry import ANALYSES, RESERVED, find_analysis
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.screens.panel import AnalysisScreen


@pytest.mark.parametrize("name", ANALYSES)
def test_its_declaration_its_command_and_its_panel_are_there(name):
    analysis = find_analysis(name)
    assert analysis.name == name
    assert getdoc(analysis)
    command = analysis.command_name()
    assert command is None or command in COMMANDS
    for option in fields_of(analysis):
        assert option.help, option.name
        assert option.name not in RESERVED
    if analysis.panel:
        module, class_name = analysis.panel.split(":")
        assert issubclass(getattr(import_module(module), class_name), AnalysisScreen)


def test_names_and_keys_are_different_and_a_wrong_name_is_told():
    keys = [analysis.key for analysis in ANALYSES.values() if analysis.key]
    assert len(set(keys)) == len(keys)
    with pytest.raises(InputError, match=r"'utilities'.*utility"):
        find_analysis("utilities")


def test_options_are_checked_and_explained():
    feasibility = find_analysis("feasibility")
    assert required_options(feasibility) == ["attributes", "k"]
    with pytest.raises(InputError, match="feasibility: k: '0' is not a whole number"):
        feasibility(attributes=3, k=0)
    by_name = {option.name: option for option in fields_of(feasibility)}
    assert option_help(by_name["values"], False) == "values of each, equally frequent (2)"
    trees = find_analysis("trees")
    assert trees(target="flu", attributes='age,"a,b"').attributes == ("age", "a,b")
    with pytest.raises(InputError, match="'straddle' is not one of its values; did you mean"):
        trees(target="flu", overlap="straddle")
