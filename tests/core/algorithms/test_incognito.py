"""Incognito: exactly the minimal passing strings."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.run.run import Run
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.task.task import Task
from tests.core.algorithms.twins.full_domain import (
    best,
    minimal,
    passing,
    searchable_task,
)
from tests.helpers import make_task


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


@pytest.mark.parametrize("seed", range(150))
def test_passing_are_exactly_the_minimal_strings(seed: int) -> None:
    task = searchable_task(seed)
    grouping = Run(task, Incognito()).finish()
    assert grouping is not None
    expected = minimal(passing(task))
    assert {tuple(met["levels"].values()) for met in grouping.search["passing"]} == expected
    least = min(map(sum, expected))
    assert grouping.levels == best(task, [s for s in expected if sum(s) == least])
    search = grouping.search
    assert search["strings"] == search["pruned"] + search["tested"]


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
    tested = [str(step.facts["string"]) for step in run if step.kind == "test"]
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
    with pytest.raises(InputError, match=r"24 attributes .* choose global or distributed"):
        Run(make_task(columns, 2), Incognito()).finish()
