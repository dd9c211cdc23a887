"""The linking attack: SBC figure 1-2, a naive twin, and what the counts mean."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.analysis.attack import matching as matching_module
from kanon_tui.core.analysis.attack.linking import Attack, linking_attack
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project, project_from_mapping
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.task import Grouping, Task
from tests.tries import tries

MISSING = ("", "?", "NA")


def attack_on(project: Project, data: dict[str, list[str]], release: dict[str, list[str]],
              external: dict[str, list[str]], on: list[str]) -> Attack:  # fmt: skip
    task = prepare(project, as_table(pl.DataFrame(data)))
    published = PublishedTable(project, task, as_table(pl.DataFrame(release)))
    return linking_attack(published, as_table(pl.DataFrame(external)), on)


# --- worked


def test_worked_sbc_figure_1_2() -> None:
    """Paul is found in the original (gastritis) and is one of two in table 1-1."""
    path = find_sample("linking").project
    project = Project.load(path)
    task = prepare(project)
    voters = read_table(path.parent / "voters.csv")
    release = read_table(path.parent / "expected.csv")
    found = linking_attack(PublishedTable(project, task, release), voters, ["age", "gender", "zip"])
    paul = voters.frame["name"].to_list().index("Paul")

    assert found.people == 4
    assert found.original.matches.tolist() == [0, 0, 1, 0]
    assert (found.original.unique, found.original.below_k, found.original.disclosed) == (1, 1, 1)
    (record,) = found.original.look_up(paul).records
    assert task.table.frame["disease"][int(record)] == "Gastritis"
    assert found.original.disclosed_values["disease"].tolist() == [False, False, True, False]

    assert found.release.matches.tolist() == [0, 0, 2, 0]
    assert (found.release.unique, found.release.below_k, found.release.disclosed) == (0, 0, 0)
    diseases = release.frame["disease"].gather(found.release.look_up(paul).records).to_list()
    assert diseases == ["Gastritis", "HIV"]
    told = found.release.look_up(paul).values["disease"]
    assert told == (("Gastritis", 0.5), ("HIV", 0.5))
    assert found.notes == ()


def test_worked_sd_table_1() -> None:
    """Anna has HIV by table 1; in table 2 it may as well be asthma."""
    path = find_sample("linking-anna").project
    project = Project.load(path)
    task = prepare(project)
    people = read_table(path.parent / "people.csv")
    release = read_table(path.parent / "expected.csv")
    found = linking_attack(PublishedTable(project, task, release), people, ["age", "zip"])
    anna = people.frame["name"].to_list().index("Anna")
    assert found.original.matches.tolist() == [0, 0, 1, 0]
    assert found.release.matches.tolist() == [0, 0, 2, 0]
    told = [side.look_up(anna).values["disease"] for side in (found.original, found.release)]
    assert told == [(("HIV", 1.0),), (("Asthma", 0.5), ("HIV", 0.5))]


def test_possible_values_are_counted_commonest_first_and_missing_ones_too() -> None:
    people = pl.DataFrame({"town": ["X"] * 4 + ["Y"] * 3, "x": ["a", "b", "?", "b", *"ccc"]})
    project = project_from_mapping(
        {
            "data": {"path": "x.csv"},
            "attributes": {"town": {"role": "quasi"}, "x": {"role": "sensitive"}},
        }
    )
    task = prepare(project, as_table(people, MISSING))
    known = as_table(pl.DataFrame({"town": ["X", "Z"]}), MISSING)
    found = linking_attack(
        PublishedTable(project, task, as_table(people, MISSING)), known, ["town"]
    ).release
    assert found.look_up(0).values["x"] == (("b", 0.5), ("a", 0.25), ("", 0.25))
    assert found.look_up(1).values["x"] == ()


# --- what counts

SEX = Project(
    data=DataSource("x.csv"),
    attributes={
        "sex": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
        "flu": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        "wage": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    },
    privacy=Privacy(k=3),
)
DATA = {
    "sex": ["F", "F", "F", "M", "M", "X"],
    "flu": ["yes", "yes", "yes", "yes", "no", "?"],
    "wage": ["1", "2", "1", "3", "3", "?"],
}


def test_unique_below_k_and_disclosed() -> None:
    found = attack_on(SEX, DATA, DATA, {"sex": ["F", "M", "X", "N", "F"]}, ["sex"]).original
    assert found.matches.tolist() == [3, 2, 1, 0, 3]
    assert found.found == 4
    assert found.unique == 1  # X
    assert found.below_k == 2  # M and X
    # All F have flu, all M earn 3; that X has no value says nothing.
    assert found.disclosed_values["flu"].tolist() == [True, False, False, False, True]
    assert found.disclosed_values["wage"].tolist() == [False, True, False, False, False]
    assert found.disclosed == 3


def test_a_person_of_whom_nothing_is_known_may_be_anybody() -> None:
    found = attack_on(SEX, DATA, DATA, {"sex": ["?", ""]}, ["sex"])
    assert found.original.matches.tolist() == [6, 6]
    assert found.release.matches.tolist() == [6, 6]
    assert found.notes == ()


def test_without_a_sensitive_attribute_nothing_is_disclosed() -> None:
    data = {"sex": ["F", "M", "M"]}
    project = replace(SEX, attributes={"sex": SEX.attributes["sex"]})
    found = attack_on(project, data, data, {"sex": ["F"]}, ["sex"])
    assert (found.original.unique, found.original.disclosed) == (1, 0)


def test_values_written_otherwise_are_pointed_out() -> None:
    found = attack_on(SEX, DATA, DATA, {"sex": ["female", "male"]}, ["sex"])
    assert found.original.found == 0
    (note,) = found.notes
    assert note.startswith("sex: no value of the external table occurs in the data")
    assert "female" not in note


def test_equal_numbers_meet_however_they_are_written() -> None:
    project = replace(SEX, attributes={"age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC)},
                      privacy=Privacy(k=1))  # fmt: skip
    data = {"age": ["20", "20.0", "30"]}
    found = attack_on(
        project, data, {"age": ["[20..30]"] * 3}, {"age": ["20", "30.0", "x"]}, ["age"]
    )
    assert found.original.matches.tolist() == [2, 1, 0]
    assert found.release.matches.tolist() == [3, 3, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"on": []}, "no attributes to join on"),
        ({"on": ["sex", "sex"]}, "'sex' is named twice"),
        ({"on": ["sax"]}, "the data has no column 'sax'; did you mean 'sex'"),
        ({"on": ["name"]}, "'name' is an identifier, which is never published"),
        ({"release": {"flu": ["yes"], "wage": ["1"]}}, "the release has no column 'sex'"),
        ({"release": {"sex": ["F"], "flu": ["yes"]}}, "the release has no column 'wage', which is"),
        ({"external": {"Sex": ["F"]}}, "the external table has no column 'sex'"),
        (
            {"release": {"sex": ["Q"], "flu": ["yes"], "wage": ["1"]}},
            "the release: sex: a cell is neither a value",
        ),
    ],
)
def test_refused(change: dict[str, object], message: str) -> None:
    attributes = {**SEX.attributes, "name": AttributeSpec(role=Role.IDENTIFIER)}
    given = {
        "project": replace(SEX, attributes=attributes),
        "data": {**DATA, "name": list("abcdef")},
        "release": DATA,
        "external": {"sex": ["F"]},
        "on": ["sex"],
        **change,
    }
    with pytest.raises(InputError, match=f"^{message}"):
        attack_on(**given)  # type: ignore[arg-type]


# --- a twin that compares every person with every record

PROJECT = Project(
    data=DataSource("x.csv"),
    attributes={
        "age": AttributeSpec(
            role=Role.QUASI, kind=Kind.NUMERIC,
            hierarchy={"builder": "intervals", "widths": [5, 20]},
        ),
        "zip": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy={"builder": "mask"}),
        "job": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
        "town": AttributeSpec(
            role=Role.QUASI, kind=Kind.CATEGORICAL,
            hierarchy={"levels": {"Rome": ["Italy"], "Milan": ["Italy"], "Paris": ["France"]}},
        ),
        "flu": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        "wage": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    },
    privacy=Privacy(k=3),
)  # fmt: skip
POOLS = {
    "age": ["20", "21", "24", "25", "39", "40", "?"],
    "zip": ["111", "112", "121", "211"],
    "job": ["cook", "nurse", "?"],
    "town": ["Rome", "Milan", "Paris"],
    "flu": ["yes", "no", "?"],
    "wage": ["1", "2"],
}
STRANGERS = {
    "age": ["22", "23.5", "50", "young"],
    "zip": ["113", "999", "11"],
    "job": ["guard"],
    "town": ["Turin"],
}


def fits(name: str, cell: str, value: str) -> bool:
    """Whether a record with this cell may be of somebody with this value, the plain way."""
    if value in MISSING or cell == "*":
        return True
    if cell in MISSING:
        return False
    if name == "age":
        if cell.endswith("*"):
            return True
        if value == "young":
            return False
        if cell[0] == "[":
            low, high = cell[1:-1].split("..")
            return float(low) <= float(value) <= float(high)
        if "-" in cell:
            low, high = cell.split("-")
            return float(low) <= float(value) < float(high) + 1
        return float(cell) == float(value)
    if name == "zip":
        if len(cell) > 3:  # a star too many: some are hidden
            return True
        fill = value.ljust(3, "*")
        return len(value) <= 3 and all(c in ("*", v) for c, v in zip(cell, fill, strict=True))
    if cell.endswith("*"):
        return True
    if name == "town":
        country = {"Rome": "Italy", "Milan": "Italy", "Paris": "France"}.get(value)
        return cell in (value, country)
    return value in cell.strip("{}").split("|")


@st.composite
def attacks(draw: st.DrawFn) -> tuple[Task, Table, Table, list[str]]:
    rng = random.Random(draw(st.integers(0, 2**32)))
    n = rng.randrange(3, 25)
    names = ["age", "zip", "job", "town"]
    data = {name: [rng.choice(pool) for _ in range(n)] for name, pool in POOLS.items()}
    data["age"][0], data["job"][0] = "20", "cook"  # not everything missing
    output = Output(
        suppressed=rng.choice(["drop", "star"]), order=rng.choice(["sorted", "shuffled"])
    )
    task = prepare(replace(PROJECT, output=output), as_table(pl.DataFrame(data)))
    labels = np.array([rng.choice([-1, 0, 1, 2, 3]) for _ in range(n)], dtype=np.int32)
    labels[0] = 0
    if rng.random() < 0.5:
        levels = tuple(rng.randrange(a.hierarchy.height + 1) for a in task.quasi)
        grouping = Grouping(labels, levels)
    else:
        hidden = np.array([[rng.random() < 0.1 for _ in names] for _ in range(n)])
        grouping = Grouping(labels, suppressed_cells=hidden if rng.random() < 0.5 else None)
    people = {x: [rng.choice(POOLS[x] + STRANGERS[x]) for _ in range(12)] for x in names}
    on = rng.sample(names, rng.randrange(1, 5))
    return task, as_table(recode(task, grouping).frame), as_table(pl.DataFrame(people)), on


@pytest.mark.slow
@settings(max_examples=tries(30), deadline=None)
@given(case=attacks(), blocks=st.sampled_from([(1, 1), (30, 40), (1 << 22, 1 << 27)]))
def test_twin(case: tuple[Task, Table, Table, list[str]], blocks: tuple[int, int]) -> None:
    task, release, external, on = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching_module, "_BLOCK", blocks[0])
        patch.setattr(matching_module, "_MOST_BYTES", blocks[1])
        found = linking_attack(PublishedTable(PROJECT, task, release), external, on)
    for side, table, exactly in (
        (found.original, task.table, True),
        (found.release, release, False),
    ):
        records = table.frame.to_dicts()
        for i, person in enumerate(external.frame.to_dicts()):
            matching = [
                r
                for r, record in enumerate(records)
                if all(
                    _same(x, record[x], person[x]) if exactly else fits(x, record[x], person[x])
                    for x in on
                )
            ]
            assert side.matches[i] == len(matching)
            assert side.look_up(i).records.tolist() == matching
            for name in ("flu", "wage"):
                values = {records[r][name] for r in matching}
                certain = len(values) == 1 and not values & set(MISSING)
                assert side.disclosed_values[name][i] == certain
        assert side.unique == sum(m == 1 for m in side.matches)
        assert side.below_k == sum(0 < m < 3 for m in side.matches)


def _same(name: str, cell: str, value: str) -> bool:
    if value in MISSING:
        return True
    if name == "age" and value != "young" and cell not in MISSING:
        return float(cell) == float(value)
    return cell == value


def test_everybody_is_among_those_who_fit() -> None:
    """The outsider holds the original itself: nobody's own record may be ruled out."""
    rng = random.Random(5)
    data = {name: [rng.choice(pool) for _ in range(60)] for name, pool in POOLS.items()}
    task = prepare(PROJECT, as_table(pl.DataFrame(data)))
    labels = np.array([i % 7 for i in range(60)], dtype=np.int32)
    release = as_table(recode(task, Grouping(labels)).in_file_order)
    found = linking_attack(
        PublishedTable(PROJECT, task, release), task.table, ["age", "zip", "job", "town"]
    )
    for person in range(60):
        assert person in found.original.look_up(person).records
        assert person in found.release.look_up(person).records
    assert found.release.unique == 0
    assert found.release.below_k == 0


def test_people_are_counted_where_some_have_several_records() -> None:
    """Three records of F are two people; a published row is whose records it covers."""
    visits = replace(SEX, attributes={**SEX.attributes, "who": AttributeSpec(role=Role.PERSON)})
    data = {**DATA, "who": ["a", "a", "b", "c", "c", "d"]}
    release = {**DATA, "sex": ["{F|M}"] * 5 + ["X"]}
    found = attack_on(visits, data, release, {"sex": ["F", "M", "X", "N"]}, ["sex"])
    assert found.original.matches.tolist() == [2, 1, 1, 0]
    assert found.release.matches.tolist() == [3, 3, 1, 0]
    assert found.original.unique == 2
