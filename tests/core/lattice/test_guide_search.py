"""The search of the guide: what `Search` gives an algorithm that declares nothing but itself."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.twins.full_domain import best, passing
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.lattice.full_domain import FullDomainSearch
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.task.rules import Apart, RuleTable
from kanon_tui.core.task.task import RunContext, Task
from kanon_tui.core.teaching.candidates import Candidates
from kanon_tui.core.teaching.lattice import LatticePicture
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline
from kanon_tui.core.teaching.pseudo_code import Code
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.analysis.why.test_levels import rule_case
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "add-an-algorithm.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(SEARCH,) = (block for block in BLOCKS if "FullDomainSearch" in block)


@pytest.fixture
def least_height(tmp_path: Path) -> Iterator[type[FullDomainSearch]]:
    """The class of the guide."""
    (tmp_path / "least_height.py").write_text(SEARCH, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("least_height", tmp_path / "least_height.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["least_height"] = module
    spec.loader.exec_module(module)
    yield module.LeastHeight
    del sys.modules["least_height"]


def least(task: Task) -> tuple[int, ...] | None:
    """The answer by looking at every string: least height, then the highest research value."""
    strings = passing(task)
    if not strings:
        return None
    height = min(map(sum, strings))
    return best(task, [string for string in strings if sum(string) == height])


def test_the_answer_is_the_one_of_the_rank_and_not_of_the_objective(
    least_height: type[FullDomainSearch],
) -> None:
    compared = 0
    for task in map(searchable_task, range(40)):
        expected = least(task)
        run = Run(task, least_height())
        if expected is None:
            with pytest.raises(NotReachedError):
                run.finish()
            continue
        grouping = run.finish()
        assert grouping is not None
        assert grouping.levels == expected
        listed = [tuple(one["levels"].values()) for one in grouping.search["passing"]]
        assert sum(listed[0]) == sum(expected)
        assert expected in listed
        assert [sum(levels) for levels in listed] == sorted(map(sum, listed))
        same = Run(task, Incognito()).finish()
        assert same is not None
        assert same.levels == expected
        compared += best(task, passing(task)) != expected
    assert compared > 5


def test_of_equal_heights_the_objective_decides(least_height: type[FullDomainSearch]) -> None:
    """The parameter that every search has does something here as well."""
    differ = 0
    for task in map(searchable_task, range(60)):
        if least(task) is None:
            continue
        by_rv = conclude(Run(task, least_height()))
        by_ncp = conclude(Run(task, least_height(objective="ncp")))
        assert sum(by_rv.grouping.levels or ()) == sum(by_ncp.grouping.levels or ())
        assert by_ncp.measures.ncp <= by_rv.measures.ncp + 1e-9
        differ += by_rv.grouping.levels != by_ncp.grouping.levels
    assert differ > 0


def watched(task: Task, algorithm: FullDomainSearch) -> tuple[Run, Timeline]:
    run = Run(task, algorithm, RunContext(1, watched=True))
    timeline = new_timeline(algorithm)
    for step in run:
        timeline.add(step)
    return run, timeline


def test_it_is_told_drawn_and_stepped_back_without_a_word_about_it(
    least_height: type[FullDomainSearch],
) -> None:
    task = next(task for task in map(searchable_task, range(40)) if least(task) is not None)
    run, timeline = watched(task, least_height())
    sentences = [step.sentence for _, step in timeline.steps(1, timeline.last)]
    halved = [sentence for sentence in sentences if sentence.startswith("Height searched: height ")]
    assert halved
    assert run.grouping is not None
    assert any(f"height {sum(run.grouping.levels or ())} and" in sentence for sentence in halved)
    numbers = [*range(timeline.last, -1, -1), *range(timeline.last + 1)]
    drawings = [LatticePicture(), Candidates(), Code()]
    for drawing in drawings:
        pictures = [
            drawing.draw(Scene(task, run.algorithm, timeline, number), 90, 30).plain()
            for number in numbers
        ]
        assert pictures == pictures[::-1]
    last = Scene(task, run.algorithm, timeline, timeline.last)
    assert "★" in LatticePicture().draw(last, 90, 30).plain()
    assert "▸   one passes: go on below" in Code().draw(last, 90, 30).plain()


def test_a_cancelled_run_keeps_the_best_by_its_rank(least_height: type[FullDomainSearch]) -> None:
    task = next(task for task in map(searchable_task, range(40)) if len(passing(task)) > 8)
    run = Run(task, least_height(), RunContext(1))
    met: list[tuple[int, ...]] = []
    for step in run:
        if step.kind == "test" and step.event.outcome.passes:
            met.append(step.event.levels)
        if step.keep is not None:
            assert sum(step.keep().levels or ()) == min(map(sum, met))
            assert step.event.standing.best.levels == step.keep().levels


def test_nothing_is_said_about_it_that_it_did_not_declare(
    least_height: type[FullDomainSearch],
) -> None:
    """A rule decides for `global`, which looks for the highest research value; here height does."""
    task = rule_case(RuleTable(0, (Apart(("a",), ("b",), 9),)))
    by_value = conclude(Run(task, GlobalSearch()))
    by_height = conclude(Run(task, least_height()))
    assert by_value.grouping.levels == by_height.grouping.levels == (1, 0)
    assert "rule" in {change.kind for change in explainer(by_value).of_attribute(0).changes}
    assert "rule" not in {change.kind for change in explainer(by_height).of_attribute(0).changes}
