"""A string that a person chooses: verdicts against releases, refusals, and applying it."""

from __future__ import annotations

import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.twins.full_domain import (
    all_strings,
    class_members,
    passing,
    roots,
    rv,
)
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.lattice.chosen_string import Verdicts, read_levels, write_levels
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.project.project import with_overrides
from kanon_tui.core.project.samples import find_sample
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import must_go, with_requirements
from tests.helpers import make_task
from tests.tries import tries


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(tries(10)))
def test_every_verdict_is_what_publishing_the_string_gives(seed: int) -> None:
    task = searchable_task(seed)
    if seed % 2:
        task = with_requirements(task, seed)
    verdicts = Verdicts(task)
    allowed = min(task.allowed_suppressed, task.n - 1)
    for levels in list(all_strings(task))[:: 1 + seed % 3]:
        verdict = verdicts.judge(levels)
        gone = must_go(task, levels)
        sizes = [len(members) for members in class_members(task, levels)]
        assert verdict.passes == (len(gone) <= allowed)
        assert verdict.smallest == min(sizes)
        assert verdict.rv == pytest.approx(rv(task, levels))
        assert verdict.roots == roots(task, levels)
        written = write_levels(dict(zip((a.name for a in task.quasi), levels, strict=True)))
        run = Run(task, GlobalSearch(levels=written))
        if not verdict.passes:
            with pytest.raises(NotReachedError, match="does not pass"):
                run.finish()
            continue
        measures = conclude(run).measures
        assert (verdict.below, verdict.suppressed) == (len(gone), measures.suppressed_records)
        assert verdict.classes == measures.classes
        assert verdict.ncp == pytest.approx(measures.ncp, abs=1e-12)


def test_sbc_table_4_1_the_string_age_3_sex_1_country_1_has_exactly_22_results() -> None:
    project = kn.Project.load(find_sample("sbc-thesis").project)
    chosen = with_overrides(project, levels="age=3,sex=1,native-country=1")
    assert kn.anonymize(chosen).measures.distinct_published == 22


def test_attributes_that_are_not_named_stand_at_their_root() -> None:
    task = make_task({"a": ["x", "x", "y", "y"], "b": ["p", "q", "r", "s"]}, 2)
    assert read_levels("a=0", task) == (0, 1)
    result = conclude(Run(task, GlobalSearch(levels="a=0")))
    assert result.grouping.levels == (0, 1)
    assert result.measures.classes == 2


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("a", "'a' is not of the form ATTRIBUTE=LEVEL; write them like a=1,b=1"),
        ("a=x", "'a=x' is not of the form"),
        ("c=1", "'c' is not a quasi-identifier"),
        ("a=2", "a has the levels 0 to 1, not 2"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_can(written: str, said: str) -> None:
    task = make_task({"a": ["x", "x", "y", "y"], "b": ["p", "q", "r", "s"]}, 2)
    with pytest.raises(InputError, match=said):
        read_levels(written, task)


def test_levels_and_another_algorithm_exclude_each_other() -> None:
    project = kn.Project.load(find_sample("incognito").project)
    with pytest.raises(InputError, match="leave one of the two out"):
        with_overrides(project, algorithm="mondrian", levels="birth=1")


@pytest.mark.parametrize("seed", range(20))
def test_morton_tables_5_and_6_least_and_highest_rv_of_the_passing_strings(seed: int) -> None:
    task = searchable_task(seed)
    search = Run(task, GlobalSearch()).finish().search
    met = [tuple(one["levels"].values()) for one in search["passing"]]
    assert set(met) <= set(passing(task))
    values = [rv(task, levels) for levels in met]
    assert search["rv_range"]["total"] == pytest.approx([min(values), max(values)])
    assert list(search["rv_range"]["attributes"]) == [a.name for a in task.quasi]
