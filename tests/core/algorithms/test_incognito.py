"""Incognito: exactly the minimal passing strings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.twins.full_domain import all_strings, best, minimal, passing
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, RunContext, Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import with_requirements
from tests.helpers import make_task
from tests.tries import tries


def sbc_table_2_10() -> Task:
    zips = {"53715": ["5371*", "537**"], "53703": ["5370*", "537**"], "53706": ["5370*", "537**"]}
    genders = {"Male": ["Person"], "Female": ["Person"]}
    columns = {
        "birth": ["1/21/76", "4/13/86", "2/28/76", "1/21/76", "4/13/86", "2/28/76"],
        "gender": ["Male", "Female", "Male", "Male", "Female", "Female"],
        "zip": ["53715", "53715", "53703", "53703", "53706", "53706"],
    }
    specs = {
        "birth": AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"builder": "flat"}),
        "gender": AttributeSpec(hierarchy={"levels": genders}),
        "zip": AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": zips}),
    }
    return make_task(columns, 2, specs)


@pytest.mark.parametrize("pace", [1, FULL_SPEED])
@pytest.mark.parametrize("seed", range(tries(50)))
def test_passing_are_exactly_the_minimal_strings(seed: int, pace: int) -> None:
    task = searchable_task(seed)
    grouping = Run(task, Incognito(), RunContext(pace)).finish()
    assert grouping is not None
    expected = minimal(passing(task))
    assert {tuple(met["levels"].values()) for met in grouping.search["passing"]} == expected
    least = min(map(sum, expected))
    assert grouping.levels == best(task, [s for s in expected if sum(s) == least])
    search = grouping.search
    assert search["strings"] == search["pruned"] + search["tested"]


@settings(max_examples=tries(25))
@given(
    st.integers(1000, 9999),
    st.booleans(),
    st.sampled_from(["height", "rv", "ncp", "classes", "il"]),
)
def test_full_speed_gives_what_the_lattices_give(seed: int, required: bool, objective: str) -> None:
    """With and without suppression, and where requirements let more general strings fail."""
    task = searchable_task(seed)
    task = with_requirements(task, seed) if required else task
    found = []
    for pace in (1, FULL_SPEED):
        try:
            grouping = Run(task, Incognito(objective=objective), RunContext(pace)).finish()
        except NotReachedError as error:
            found.append(str(error))
            continue
        assert grouping is not None
        assert grouping.search["remaining"] == 0
        minimal_ones = grouping.search["passing"] if objective == "height" else None
        found.append((grouping.levels, grouping.labels.tolist(), minimal_ones))
    assert found[0] == found[1]


def test_full_speed_tests_little_more_than_the_border() -> None:
    """What is minimal, and what fails though all above it passes, has to be tested."""
    columns = {name: [str(i // 3**x % 3) for i in range(200)] for x, name in enumerate("abcde")}
    levels = {"0": ["low", "*"], "1": ["low", "*"], "2": ["high", "*"]}
    spec = AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": levels})
    task = make_task(columns, 4, dict.fromkeys(columns, spec))
    task = replace(task, privacy=Privacy(k=4, max_suppression=0.05))
    passes = set(passing(task))
    above = [
        [(*s[:x], s[x] + 1, *s[x + 1 :]) for x in range(5) if s[x] < 2] for s in all_strings(task)
    ]
    highest_failing = [
        s
        for s, more in zip(all_strings(task), above, strict=True)
        if s not in passes and passes.issuperset(more)
    ]
    border = len(minimal(list(passes))) + len(highest_failing)
    quick = Run(task, Incognito()).finish()
    stepped = Run(task, Incognito(), RunContext(1)).finish()
    assert quick is not None
    assert stepped is not None
    assert quick.search["strings"] == 3**5
    assert border <= quick.search["tested"] <= 2 * border
    assert quick.search["tested"] < stepped.search["tested"]


def test_sbc_table_2_10_and_its_iterations() -> None:
    """⟨birth 1, gender 1, zip 0⟩; the lattice of all three has five candidates (figure 2-6)."""
    run = Run(sbc_table_2_10(), Incognito(), RunContext(1))
    sentences = [step.sentence for step in run]
    assert run.grouping is not None
    assert run.grouping.levels == (1, 1, 0)
    assert sentences[0] == "Join birth and gender: 4 of 4 strings can pass, as all their parts do."
    assert sentences[1] == "⟨birth 0, gender 0⟩ fails: its smallest class has 1 record, k is 2."
    assert (
        "Join birth, gender and zip: 5 of 12 strings can pass, as all their parts do." in sentences
    )
    assert sentences[-1] == (
        "⟨birth 1, gender 1, zip 0⟩ is the answer: of 3 minimal strings it has the least height, "
        "2 levels in all."
    )
    published = recode(run.task, run.grouping).in_file_order
    assert published.rows() == [
        ("*", "Person", zipcode) for zipcode in ("53715",) * 2 + ("53703",) * 2 + ("53706",) * 2
    ]


def test_only_strings_whose_parts_pass_are_tested() -> None:
    run = Run(sbc_table_2_10(), Incognito(), RunContext(1))
    tested = [step.sentence.split("⟩")[0] + "⟩" for step in run if step.kind == "test"]
    assert len(tested) == len(set(tested))
    whole = [string for string in tested if string.count(",") == 2]
    assert whole == [
        "⟨birth 1, gender 1, zip 0⟩",
        "⟨birth 0, gender 1, zip 2⟩",
        "⟨birth 1, gender 0, zip 2⟩",
    ]


def test_cancel_keeps_a_passing_string_of_fewer_attributes() -> None:
    run = Run(sbc_table_2_10(), Incognito(), RunContext(1))
    while run.last is None or not run.last.counters["passed"]:
        next(run)
    kept = run.cancel()
    assert kept is not None
    assert kept.levels == (0, 1, 2)
    assert "not proven optimal" in kept.notes[0]


def test_too_many_attributes_are_refused() -> None:
    columns = {f"a{x}": [f"v{i}" for i in (0, 0, 1, 1)] for x in range(24)}
    with pytest.raises(InputError, match=r"24 attributes .* choose global, distributed or anytime"):
        Run(make_task(columns, 2), Incognito()).finish()
