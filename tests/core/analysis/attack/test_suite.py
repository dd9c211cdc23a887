"""The attack suite: tables by hand with known answers, and claims that the original bears out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.analysis.attack import inference, linkability, singling_out
from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.suite import (
    KINDS,
    AttackedAgain,
    attack_again,
    attack_release,
    attack_sections,
    find_kinds,
    offered,
    run_attacks,
    side_by_side,
)
from kanon_tui.core.analysis.attack.two_releases import two_releases
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.table.table import as_table

PEOPLE = {
    "age": ["20", "22", "30", "35", "50", "50"],
    "sex": ["f", "f", "m", "m", "f", "m"],
    "ill": ["flu", "flu", "flu", "cold", "cold", "cancer"],
}
RELEASE = {
    "age": ["[20..22]", "[20..22]", "[30..35]", "[30..35]", "50", "50"],
    "sex": ["f", "f", "m", "m", "*", "*"],
    "ill": ["flu", "flu", "flu", "cold", "cold", "cancer"],
}


def project(algorithm: str = "mondrian", **more: object) -> Project:
    attributes = {
        "age": {"role": "quasi", "kind": "numeric"},
        "sex": {"role": "quasi", "kind": "categorical"},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    document = {"data": {"path": "x.csv"}, "attributes": attributes, "privacy": {"k": 2}}
    return project_from_mapping({**document, "algorithm": {"name": algorithm}, **more})


def attacked(
    release: dict[str, list[str]] = RELEASE, made: Project | None = None, **more: object
) -> AttackedRelease:
    made = made or project()
    task = prepare(made, as_table(pl.DataFrame(PEOPLE)))
    return AttackedRelease(made, task, as_table(pl.DataFrame(release)), **more)


def one(kind: str, **more: object) -> AttackResult:
    return run_attacks(attacked(**more), find_kinds(kind))[0]


# --- by hand


def test_downcoding_rebuilds_the_ends_of_ranges() -> None:
    """Two classes of two people print their two ages as ends: four people, two whole classes."""
    found = one("downcoding")
    assert (found.people, found.successes) == (6, 4)
    assert "2 classes can be rebuilt completely" in " ".join(found.sentences)
    assert "[20..22]" in found.worst
    coarse = project("global")
    assert run_attacks(attacked(made=coarse), find_kinds("downcoding"))[0].successes == 0
    apart = project(overlap=False)
    assert run_attacks(attacked(made=apart), find_kinds("downcoding"))[0].successes == 0


def test_a_set_names_values_that_occur() -> None:
    sets = {**RELEASE, "sex": ["f", "f", "m", "m", "{f|m}", "{f|m}"]}
    claims = [each for each in singling_out.claims(attacked(sets)) if each.exact]
    told = {(each.x, int(row)) for each in claims for row in each.row}
    assert told == {(0, 0), (0, 1), (1, 2)}
    assert one("downcoding", release=sets).successes == 6


def test_singling_out_needs_a_predicate_of_one_person() -> None:
    """Ends of ranges single out four people; cancer and cold are one row of the last class."""
    found = one("singling-out")
    assert (found.people, found.successes) == (6, 6)
    same = {**PEOPLE, "age": ["20", "20", "30", "30", "50", "50"], "ill": ["flu"] * 6}
    printed = {**RELEASE, "age": same["age"], "ill": same["ill"]}
    made = project()
    task = prepare(made, as_table(pl.DataFrame(same)))
    alike = AttackedRelease(made, task, as_table(pl.DataFrame(printed)))
    assert run_attacks(alike, find_kinds("singling-out"))[0].successes == 0


def test_inference_from_the_class_and_by_negations() -> None:
    """Both people of the first class have flu; the others have two values each."""
    found = one("inference")
    assert (found.people, found.successes) == (6, 2)
    assert "about 6 people" in found.sentences[0]
    low, high = found.interval
    assert low < 2 / 6 < high
    beside = as_table(pl.DataFrame({"age": ["21", "33"], "sex": ["f", "m"], "ill": ["flu", "flu"]}))
    found = one("inference", control=beside)
    assert found.control == (2, 1)
    assert found.control_rate == 0.5
    assert "people who were not in the data" in found.sentences[1] or "those who" in " ".join(
        found.sentences
    )
    by_model = run_attacks(attacked(control=beside), find_kinds("inference"))[1]
    assert by_model.control is not None
    assert by_model.control[0] == 2


def test_linkability_of_two_parties() -> None:
    """Age 20 fits the class of both women, whose records of the second party are the same."""
    found = one("linkability")
    assert "age" in found.sentences[0]
    assert "sex, ill" in found.sentences[0]
    # 30 and 35 lead to one record each: (m, flu) and (m, cold) remain of their class for both.
    assert found.people == 6
    alone = {**RELEASE, "age": PEOPLE["age"]}
    exact = one("linkability", release=alone)
    # 20 and 22 have the same record of the second party, 50 leads to two: 30 and 35 are linked.
    assert exact.successes == 2
    with pytest.raises(InputError, match="'shoe'"):
        run_attacks(attacked(options={"on": ["shoe"]}), find_kinds("linkability"))


def test_refinement_excludes_a_class_that_is_full() -> None:
    """Of {20, 22} and [20..35], the class of 30 and 35 has no room for 20 or 22."""
    wide = {**RELEASE, "age": ["[20..22]", "[20..22]", "[20..35]", "[20..35]", "50", "50"],
            "sex": ["*"] * 6}  # fmt: skip
    seen = attacked(wide)
    possible = inference.possible_pairs(seen)
    assert possible is not None
    pairs = {
        (seen.task.table.frame["age"][int(np.flatnonzero(seen.fit.records.row_of == record)[0])],
         seen.class_text(int(row)))
        for record, row, fine in zip(seen.fit.record, seen.fit.row, possible, strict=True) if fine
    }  # fmt: skip
    assert ("20", "age [20..22], sex *") in pairs
    assert ("20", "age [20..35], sex *") not in pairs
    found = inference.refinement(seen)[0]
    assert found.successes == 2  # flu of 20 and 22, which was flu or cold before
    assert "without excluding classes of 0" in found.sentences[0]
    elsewhere = attacked({**RELEASE, "age": ["50"] * 6})
    assert inference.possible_pairs(elsewhere) is None
    assert inference.refinement(elsewhere)[0].successes == 0


def test_minimality_as_wong_enumerates_worlds() -> None:
    """Two of a and five of b, two of the seven have hiv: only a world with hiv in a is uncut.

    At most half may have it. The cut into a and b is forbidden just where both of a have it.
    """
    alpha = {"attribute": "ill", "max": 0.5, "values": ["hiv"]}
    attributes = {
        "city": {"role": "quasi", "kind": "categorical"},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    made = project(attributes=attributes, privacy={"k": 2, "alpha": alpha})
    frame = pl.DataFrame({"city": list("aabbbbb"), "ill": ["hiv", "hiv", *["no"] * 5]})
    task = prepare(made, as_table(frame))
    (requirement,) = task.requirements
    column = requirement.column
    side = np.array([True, True, *[False] * 5])
    shares = inference.chances(column.codes.astype(np.int64), [side], [requirement])
    assert shares is not None
    hiv = column.values.index("hiv")
    assert shares[:2, hiv].tolist() == [1.0, 1.0]
    assert shares[2:, hiv].tolist() == [0.0] * 5
    release = as_table(pl.DataFrame({"city": ["{a|b}"] * 7, "ill": frame["ill"]}))
    (found,) = run_attacks(AttackedRelease(made, task, release), find_kinds("minimality"))
    assert found.successes == 7  # hiv of a and no of b are certain; no is 5 of 7 in the class
    assert "{a|b}" in found.worst


def test_worlds_are_all_orders_or_drawn() -> None:
    orders = inference._worlds(np.array([3, 7]), np.array([2, 3]))
    assert len({tuple(each) for each in orders.tolist()}) == len(orders) == 10
    drawn = inference._worlds(np.array([3, 7]), np.array([20, 20]))
    assert drawn.shape == (inference.MOST_WORLDS, 40)
    assert (np.sort(drawn, axis=1) == np.repeat([3, 7], 20)).all()


def test_k_alone_tells_nothing_by_minimality() -> None:
    found = one("minimality")
    assert found.successes == 0
    assert "k does not depend" in found.sentences[0]


def test_composition_needs_an_earlier_release() -> None:
    with pytest.raises(InputError, match="needs an earlier release"):
        one("composition")
    earlier = as_table(pl.DataFrame({**RELEASE, "age": ["20", "22", *RELEASE["age"][2:]]}))
    found = one("composition", earlier=earlier)
    assert found.successes == 2
    assert [each.kind for each in run_attacks(attacked())].count("composition") == 0


def test_all_attacks_in_one_table_and_cancelled() -> None:
    results = run_attacks(attacked())
    questions, table, *told = attack_sections(results)
    for number, criterion in enumerate(("singling out", "linkability", "inference"), 1):
        assert f"Is {criterion} possible?" in questions.paragraphs[number]
    assert len(table.rows) == len(results) == len(told)
    assert {each.kind for each in results} == {each.name for each in KINDS} - {"composition"}
    for each in results:
        low, high = each.interval
        assert 0 <= low <= each.rate <= high <= 1
        assert each.mapping()["rate"] == each.rate
    with pytest.raises(InputError, match="stopped"):
        run_attacks(attacked(watch=lambda done, total: False))
    with pytest.raises(InputError, match=r"no attack 'inferences'; did you mean 'inference'"):
        find_kinds("inferences")


@pytest.mark.parametrize("kind", [each.name for each in KINDS])
def test_every_attack_tells_its_progress_and_can_be_cancelled(kind: str) -> None:
    required = project(privacy={"k": 2, "l": 2}) if kind == "minimality" else project()
    more = {"made": required, "earlier": as_table(pl.DataFrame(RELEASE))}
    seen: list[tuple[int, int]] = []
    run_attacks(attacked(watch=lambda *done: not seen.append(done), **more), find_kinds(kind))
    assert seen
    assert all(0 <= done <= total for done, total in seen)
    with pytest.raises(InputError, match="stopped"):
        run_attacks(attacked(watch=lambda done, total: False, **more), find_kinds(kind))


# --- counter-measures


def test_counter_measures_are_offered_and_attacked_side_by_side() -> None:
    seen = attacked()
    assert offered(seen.task, seen.project) == [
        "publish=rounded", "overlap=false", "l=2", "t=0.3", "beta=2", "k=4",
    ]  # fmt: skip
    before = AttackedAgain("", run_attacks(seen), None)
    runs = [before, *(attack_again(seen, each) for each in ("overlap=false", "l=2,k=3"))]
    shown = {row[0]: row[1:] for row in side_by_side(runs).rows}
    assert shown["Downcoding"][:2] == ["66.7%", "0.0%"]  # ends are no values of somebody
    assert shown["Inference of ill, class"][2] == "0.0%"
    assert len(shown["Detail lost (NCP)"]) == 3
    full_domain = attacked(made=project("global", privacy={"k": 2}))
    assert offered(full_domain.task, full_domain.project) == ["l=2", "t=0.3", "beta=2", "k=4"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("l", "write it like publish=rounded"),
        ("publish=hierarchy", "fits no quasi-identifier"),
        ("shoe=2", "shoe"),
    ],
)
def test_a_counter_measure_that_is_none_is_refused(typed: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        attack_again(attacked(), typed)


# --- what is claimed is true


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["mondrian", "k-member", "udc", "global"]))
def test_no_claim_contradicts_the_original(seed: int, algorithm: str) -> None:
    """Rebuilt values occur in their class, true classes stay possible, certain values are true."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    frame = pl.DataFrame(
        {
            "age": [str(v) for v in rng.integers(20, 40, n)],
            "sex": [["f", "m", "x"][v] for v in rng.integers(0, 3, n)],
            "ill": [["flu", "cold", "cancer"][v] for v in rng.integers(0, 3, n)],
        }
    )
    made = project(algorithm, privacy={"k": int(rng.integers(2, 5))}, output={"order": "input"})
    result = anonymize(made, frame)
    seen = AttackedRelease(made, result.task, as_table(result.table))
    members: dict[int, list[int]] = {}
    for record, row in enumerate(seen.classes.row_of.tolist()):
        members.setdefault(row, []).append(int(result.release.order[record]))
    for each in singling_out.claims(seen):
        codes = seen.published.cells[each.x].attribute.column.codes
        for row, group in zip(each.row.tolist(), each.group.tolist(), strict=True):
            assert group in each.group_of_value[codes[members[row]]].tolist()
    possible = inference.possible_pairs(seen)
    assert possible is not None
    kept = set(
        zip(seen.fit.record[possible].tolist(), seen.fit.row[possible].tolist(), strict=True)
    )
    for row, own in members.items():
        assert all((int(seen.fit.records.row_of[record]), row) in kept for record in own)
    values, right = inference.learnt_values(seen, "ill", seen.task.table, seen.fit)
    kept = ~result.release.suppressed
    assert right[kept & (values == 1)].all()  # her own row is among those that fit
    texts = {name: frame[name].to_list() for name in frame.columns}
    alone, _, _ = singling_out._singled_out(seen, seen.task.table, seen.fit)
    for person in np.flatnonzero(alone).tolist():
        same = [all(each[x] == each[person] for each in texts.values()) for x in range(n)]
        assert (
            sum(same) == 1
        )  # nobody else has all her values, or no predicate would tell them apart
    together = two_releases(seen, seen.table)
    assert (together.candidates >= made.privacy.k).all()  # the same release twice tells no more
    linked = linkability._linked(seen, seen.task.table, ["age"], ["sex", "ill"], n)
    for person in np.flatnonzero(linked).tolist():
        twins = [(texts["sex"][x], texts["ill"][x]) for x in range(n)]
        assert twins.count(twins[person]) == 1  # else two records of the second party remain
    for found in attack_release(result):
        assert 0 <= found.successes <= found.people


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=4, max_size=7), st.data())
def test_minimality_never_excludes_a_world_that_was_not_cut(
    codes: list[int], data: st.DataObject
) -> None:
    """The true world is uncut where the cut was forbidden: its values keep a chance."""
    frame = pl.DataFrame({"city": ["a"] * len(codes), "ill": [str(code) for code in codes]})
    attributes = {
        "city": {"role": "quasi", "kind": "categorical"},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    made = project(attributes=attributes, privacy={"k": 2, "l": 2})
    (requirement,) = prepare(made, as_table(frame)).requirements
    column = requirement.column
    side = np.array(data.draw(st.permutations([True, True, *[False] * (len(codes) - 2)])))
    truth = column.codes.astype(np.int64)
    cut = all(len(set(truth[part].tolist())) >= 2 for part in (side, ~side))
    shares = inference.chances(truth, [side], [requirement])
    if cut:  # the algorithm would have cut: this world is not what an attacker sees
        return
    assert shares is not None
    own = np.unique(truth, return_inverse=True)[1]
    assert (shares[np.arange(len(truth)), own] > 0).all()
    assert np.allclose(shares.sum(axis=1), 1)
