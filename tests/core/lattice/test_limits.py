"""Highest levels and MAGVals in full-domain searches, against all strings within them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.twins.full_domain import best, minimal, passing
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.lattice.chosen_string import read_levels
from kanon_tui.core.lattice.pre_pruning import highest_levels
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.task import FULL_SPEED, Family, RunContext, Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task
from tests.tries import tries

SEARCHES = [name for name, one in ALGORITHMS.items() if one.family is Family.FULL_DOMAIN]
STATES = {
    "Wichita": ["Kansas"],
    "Topeka": ["Kansas"],
    "Lincoln": ["Nebraska"],
    "Omaha": ["Nebraska"],
}


def limited_task(seed: int) -> Task:
    task = searchable_task(seed)
    rng = random.Random(seed)
    quasi = tuple(
        replace(a, max_level=rng.choice([None, *range(a.hierarchy.height + 1)])) for a in task.quasi
    )
    return replace(task, quasi=quasi)


def towns(**more: object) -> Task:
    city = ["Wichita", "Wichita", "Topeka", "Lincoln", "Lincoln", "Omaha", "Omaha", "Omaha"]
    columns = {"city": city, "sex": list("mmmmffff")}
    spec = AttributeSpec(hierarchy={"levels": STATES}, magvals=("Kansas", "Nebraska"))
    return make_task(columns, 2, {"city": replace(spec, **more)})


@pytest.mark.parametrize("decisions", [1, FULL_SPEED])
@pytest.mark.parametrize("name", SEARCHES)
def test_no_search_goes_above_the_highest_levels(name: str, decisions: int) -> None:
    for seed in range(tries(25)):
        task = limited_task(seed)
        tops = highest_levels(task)
        within = [s for s in passing(task) if all(x <= t for x, t in zip(s, tops, strict=True))]
        run = Run(task, ALGORITHMS[name](), RunContext(decisions))
        try:
            found = run.finish()
        except NotReachedError:
            assert not within or name in ("local", "datafly"), seed
            continue
        assert found is not None
        assert found.levels is not None
        assert all(x <= top for x, top in zip(found.levels, tops, strict=True))
        if name in ("global", "hybrid", "distributed"):
            assert found.levels == best(task, within), seed
        if name == "incognito":
            assert found.levels in minimal(within), seed


@pytest.mark.parametrize("name", SEARCHES)
def test_magvals_are_never_exceeded_when_they_are_the_limit(name: str) -> None:
    result = conclude(Run(towns(), ALGORITHMS[name](limits="magvals")))
    assert result.measures.privacy.violations == 0
    assert result.measures.attributes["city"].level == 1 or name == "datafly"


def test_violations_are_counted_beyond_a_highest_level() -> None:
    task = replace(towns(max_level=0), privacy=Privacy(k=4))
    with pytest.raises(NotReachedError, match=r"limits.*city 0.*max_level"):
        Run(task, ALGORITHMS["global"]()).finish()
    clustered = conclude(Run(task, ALGORITHMS["top-down"]())).measures.privacy
    assert clustered.violations == clustered.violating_values["city"] > 0


def test_levels_beyond_the_limit_are_refused() -> None:
    task = towns(max_level=1)
    assert read_levels("sex=0", task) == (1, 0)
    with pytest.raises(InputError, match="city has the levels 0 to 1"):
        read_levels("city=2", task)
    with pytest.raises(InputError, match=r"city: max_level is 3.*0 to 2"):
        towns(max_level=3)
