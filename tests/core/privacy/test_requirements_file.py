"""Requirements in project files: every form is read, written back the same, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, PSensitivity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.project.project import DataSource, Project


def read(tmp_path: Path, privacy: str) -> tuple[PrivacyModel, ...]:
    (tmp_path / "p.yaml").write_text(f"data: {{path: d.csv}}\nprivacy: {privacy}\n")
    return Project.load(tmp_path / "p.yaml").privacy.requirements


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{k: 5, l: {attribute: diagnosis, distinct: 3}}", [DistinctLDiversity(3, "diagnosis")]),
        ("{l: {distinct: 3, entropy: 2.5}}", [DistinctLDiversity(3), EntropyLDiversity(2.5)]),
        ("{l: 3}", [DistinctLDiversity(3)]),
        ("{t: 0.2}", [TCloseness(0.2)]),
        ("{t: {attribute: pay, max: 0.2}}", [TCloseness(0.2, "pay")]),
        ("{p: {attribute: pay, min: 2}}", [PSensitivity(2, "pay")]),
        (
            "{alpha: {attribute: ill, max: 0.5, values: [HIV, 007]}}",
            [AlphaKAnonymity(0.5, "ill", ("HIV", "007"))],
        ),
        (
            "{t: [{attribute: pay, max: 0.2}, {attribute: ill, max: 0.3}]}",
            [TCloseness(0.2, "pay"), TCloseness(0.3, "ill")],
        ),
    ],
)
def test_forms(written: str, meant: list[PrivacyModel], tmp_path: Path) -> None:
    assert list(read(tmp_path, written)) == meant


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("{l: {attribute: ill}}", "privacy.l: the key distinct, entropy or c is missing; write"),
        ("{l: {attribute: ill, distinkt: 3}}", "privacy.l.distinkt: unknown key; did you mean"),
        ("{l: 0}", "privacy.l: '0' is not a whole number of at least 1"),
        ("{l: {distinct: 2.5}}", "privacy.l.distinct: '2.5' is not a whole number"),
        ("{l: {entropy: 0.5}}", "privacy.l.entropy: '0.5' is not a number of at least 1"),
        ("{t: 1.5}", "privacy.t: '1.5' is not a distance from 0 to 1"),
        ("{p: {min: many}}", "privacy.p.min: 'many' is not a whole number of at least 1"),
        ("{alpha: 0}", "privacy.alpha: '0' is not a share above 0, at most 1"),
        ("{alpha: {max: 0.5, values: []}}", "privacy.alpha.values: an empty list is not allowed"),
        ("{t: {max: 0.1, values: [a]}}", "privacy.t.values: unknown key"),
        ("{t: [0.1, {attribute: x}]}", "privacy.t[2]: the key max or hierarchy is missing"),
    ],
)
def test_what_is_wrong_is_named(written: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, written)
    assert f"p.yaml: {why}" in str(error.value)


bounds: dict[type[PrivacyModel], st.SearchStrategy[float]] = {
    DistinctLDiversity: st.integers(1, 9),
    EntropyLDiversity: st.floats(1, 9),
    TCloseness: st.floats(0, 1),
    PSensitivity: st.integers(1, 9),
}
requirements = st.one_of(
    *(
        st.builds(model, bound, st.sampled_from([None, "ill", "12"]))
        for model, bound in bounds.items()
    ),
    st.builds(
        AlphaKAnonymity,
        st.floats(0.01, 1),
        st.sampled_from([None, "ill"]),
        st.sampled_from([(), ("a",), ("1", "no")]),
    ),
)


@given(st.lists(requirements, max_size=5))
def test_round_trip(wanted: list[PrivacyModel]) -> None:
    """All that was asked for is still asked for, and a second trip changes nothing more."""
    from kanon_tui.core.project.project import project_from_mapping, project_to_mapping

    project = Project(DataSource("d.csv"), privacy=Privacy(requirements=tuple(wanted)))
    once = project_from_mapping(project_to_mapping(project))
    assert sorted(map(repr, once.privacy.requirements)) == sorted(map(repr, wanted))
    again = project_from_mapping(project_to_mapping(once))
    assert set(again.privacy.requirements) == set(once.privacy.requirements)


def test_a_bound_for_one_attribute_leaves_the_others_alone() -> None:
    asked = Privacy(requirements=(TCloseness(0.2), AlphaKAnonymity(0.5, "ill", ("HIV",))))
    assert asked.bounds_of("ill") == {"t": 0.2, "alpha": 0.5}
    wanted = {"t": 0.1, "l_distinct": 3, "alpha": 0.4, "p": None}
    changed = asked.with_bounds(["pay", "ill"], "ill", wanted)
    assert changed.requirements == (
        DistinctLDiversity(3, "ill"),
        TCloseness(0.2, "pay"),
        TCloseness(0.1, "ill"),
        AlphaKAnonymity(0.4, "ill", ("HIV",)),
    )
    dropped = changed.with_bounds(["pay", "ill"], "ill", dict.fromkeys(MODELS))
    assert dropped.requirements == (TCloseness(0.2, "pay"),)
