"""The entries of the papers: each has a state that is true, and what it names exists."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache

import pytest

from kanon_tui.cli import make_parser
from kanon_tui.core.analysis.papers.entry import NEED_REASONS, PAPERS, STATES, Entry
from kanon_tui.core.analysis.papers.registry import find_entries, list_entries
from kanon_tui.core.analysis.papers.relations import RELATIONS
from kanon_tui.core.analysis.papers.repeating import (
    Releases,
    compare,
    study,
    verdict_on,
    within_chance,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.samples import samples_folder
from tests.paths import ROOT

ENTRIES = list_entries()
FIGURES = [entry for entry in ENTRIES if entry.figures]
SIMULATIONS = [entry for entry in ENTRIES if entry.simulation is not None]
CLAIMS = [entry for entry in ENTRIES if entry.claim is not None]
SERIES = json.loads((ROOT / "benchmarks" / "papers.json").read_text(encoding="utf-8"))
QUICK = ("sd-figure-4-500", "sbc-figure-4-2a-incognito", "sbc-figure-4-2a-allowable", "cka-")
"""Claims that are also tried here; `make papers` tries all of them."""


def _ids(entry: Entry) -> str:
    return entry.id


@cache
def releases(project: str) -> Releases:
    return Releases(study(project))


def test_every_document_has_entries_and_every_state_occurs() -> None:
    assert len(ENTRIES) >= 100
    assert {entry.paper for entry in ENTRIES} == set(PAPERS.values())
    assert {entry.state for entry in ENTRIES} == set(STATES)


@pytest.mark.parametrize("entry", ENTRIES, ids=_ids)
def test_entry_says_why_and_how(entry: Entry) -> None:
    if entry.state in NEED_REASONS:
        assert entry.why, "say why"
    if entry.state not in ("drawing", "not public"):
        assert entry.here or entry.commands, "say how it is repeated"


@pytest.mark.parametrize("entry", ENTRIES, ids=_ids)
def test_commands_are_commands(entry: Entry) -> None:
    parser = make_parser()
    for command in entry.commands:
        words = shlex.split(command)
        assert words[0] == "kanon-tui"
        parser.parse_args(words[1:])
        for word in words:
            if word.startswith("sample_data/"):
                assert (samples_folder().parent / word).is_file(), word


@pytest.mark.slow
@pytest.mark.parametrize("entry", FIGURES, ids=_ids)
def test_printed_figures_and_ours_are_what_the_entry_says(entry: Entry) -> None:
    comparisons = list(compare(entry))
    recorded = [figure for figures in entry.figures for figure in figures.ours]
    assert [line.ours for line in comparisons] == recorded
    assert all(line.agrees for line in comparisons) == (entry.state == "equal")


@pytest.mark.parametrize("entry", SIMULATIONS, ids=_ids)
def test_simulated_rates(entry: Entry) -> None:
    assert entry.simulation is not None
    assert within_chance(entry.simulation)
    if entry.simulation.attributes <= 7:
        (rate,) = compare(entry)
        assert rate.ours == entry.simulation.ours
        assert rate.agrees == (entry.state == "equal")


@pytest.mark.parametrize("entry", CLAIMS, ids=_ids)
def test_state_of_a_claim_is_what_was_measured(entry: Entry) -> None:
    """`make papers` measures; the curves that it wrote give the state once more."""
    assert entry.claim is not None
    measured = SERIES[entry.id]
    assert set(measured["series"]) == set(entry.claim.methods)
    curves = [
        dict(zip(measured["points"], figures, strict=True))
        for figures in measured["series"].values()
    ]
    assert measured["holds"] == RELATIONS[entry.claim.relation].is_true(curves)
    assert entry.state == {True: "holds", False: "differs"}[measured["holds"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry",
    [e for e in CLAIMS if e.id.startswith(QUICK) and e.claim and e.claim.measure != "seconds"],
    ids=_ids,
)
def test_claim_is_measured_again(entry: Entry) -> None:
    assert entry.claim is not None
    verdict = verdict_on(entry.claim, releases(entry.claim.project))
    for name, figures in SERIES[entry.id]["series"].items():
        assert verdict.series[name] == pytest.approx(figures, rel=1e-3)
    assert verdict.holds == (entry.state == "holds")


def test_names_find_a_table_or_figure_with_its_parts() -> None:
    incognito = "sbc-table-4-1-incognito"
    assert incognito in [entry.id for entry in find_entries("sbc-4-1")]
    assert [entry.id for entry in find_entries(incognito)] == [incognito]
    assert {entry.paper for entry in find_entries("SD")} == {"SD"}
    assert "morton-figure-10" not in [entry.id for entry in find_entries("morton-1")]
    with pytest.raises(InputError, match=r"no entry 'sbc-4-11'.*did you mean"):
        find_entries("sbc-4-11")


def test_relations_tell_curves_apart() -> None:
    low = {2: 1.0, 10: 3.0, 20: 2.0}
    high = {2: 2.0, 10: 3.2, 20: 4.0}
    truth = {name: relation.is_true([low, high]) for name, relation in RELATIONS.items()}
    assert {name for name, is_true in truth.items() if is_true} == {
        "lowest", "below last", "cheap", "falling from 10 to 20",
    }  # fmt: skip
    assert RELATIONS["most"].is_true([high, low])
    assert RELATIONS["rising"].is_true([high])
    assert RELATIONS["zero"].is_true([{2: 0.0}])
    assert RELATIONS["linear"].is_true([{1: 1.0, 2: 2.0, 4: 4.5}])
    assert not RELATIONS["linear"].is_true([{1: 1.0, 2: 2.0, 4: 6.0}])
    assert RELATIONS["close"].is_true([low, {2: 1.05, 10: 3.1, 20: 2.1}])
    assert RELATIONS["above until 8"].is_true([{7: 2.0, 8: 1.0}, {7: 1.0, 8: 1.0}])


def test_samples_and_tests_that_entries_name_exist() -> None:
    golden = (ROOT / "tests" / "test_papers.py").read_text(encoding="utf-8")
    golden += (ROOT / "tests/core/analysis/papers/test_entries.py").read_text(encoding="utf-8")
    for entry in ENTRIES:
        for start in re.findall(r"`(test_\w+?)_?…`", entry.here):
            assert f"def {start}" in golden, start
