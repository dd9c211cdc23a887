"""Where k is not enough: people counted by hand, and remedies that change what they say."""

from __future__ import annotations

import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.analysis.attack.weak_spots import Exposure, Remedy, weak_spot_sections
from kanon_tui.core.analysis.evidence import evidence
from kanon_tui.core.errors import InputError

LEVELS = {"rome": ["south", "*"], "naples": ["south", "*"], "oslo": ["north", "*"]}


def release(algorithm: str = "mondrian", **frame: list[object]) -> kn.Release:
    columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    town = {"role": "quasi", "hierarchy": {"levels": LEVELS}}
    project = kn.Project.from_dict(
        {
            "data": {"path": "x.csv"},
            "attributes": columns | ({"town": town} if "town" in frame else {}),
            "privacy": {"k": 2},
            "algorithm": {"name": algorithm},
        }
    )
    return kn.anonymize(project, table=pl.DataFrame(frame))


def test_people_are_counted_by_hand() -> None:
    """Two of 20 and two of 50: the first class has flu alone, the second two values of three."""
    found = Exposure.from_result(release(age=[20, 20, 50, 50], ill=["flu", "flu", "flu", "gout"]))
    assert (found.certain, found.skewed, found.rare) == (2, 0, 0)
    assert (found.highest, found.risk) == (1.0, 0.5)
    rare = ["hiv", "hiv", "flu", *["flu"] * 300]
    skewed = Exposure.from_result(release(age=[20, 20, 20, *[50] * 300], ill=rare))
    # hiv: two of a class of three, and of 303 people; a label of under 1 % in a class below 2k
    assert (skewed.certain, skewed.skewed, skewed.rare) == (300, 2, 2)
    assert (
        Exposure.from_result(release("global", age=[1, 1, 2, 2], ill=list("abab"))).highest == 0.5
    )


def test_remedies_are_tried_and_the_cheapest_that_helps_comes_first() -> None:
    town = ["rome", "rome", "naples", "naples", *["oslo"] * 96]
    ill = ["flu", "flu", "gout", "gout", *["flu", "gout"] * 48]
    made = release(age=[30] * 100, town=town, ill=ill)
    assert Exposure.from_result(made).certain == 4  # rome has flu, naples has gout
    tried = {each.title: each for each in kn.remedies(made)}
    merged = next(each for title, each in tried.items() if title.startswith("merge town"))
    raised = tried["raise town by a level"]
    assert raised.changed == 100
    assert raised.after.certain == 0
    assert (merged.changed, merged.after.certain) == (4, 0)
    assert merged.general == "merge a rare value of town with another"
    found = list(tried.values())
    helping = [each.changed for each in found if each.helps]
    assert helping == sorted(helping)
    assert found[0].helps
    assert "ask for two sensitive values" in " ".join(tried)
    with pytest.raises(InputError, match="stopped"):
        kn.remedies(made, watch=lambda done, total: False)


def test_an_end_is_coded_where_k_records_reach() -> None:
    ages = [*range(20, 60), 90, 95, 99]
    made = release(age=ages, ill=["flu", "gout"] * 21 + ["flu"])
    top = next(each for each in kn.remedies(made) if each.title.startswith("top-code"))
    assert (top.title, top.changed) == ("top-code age at 95", 1)
    again = kn.anonymize(
        made.project.with_(
            attributes={"age": {"role": "quasi", "top": 95}, "ill": {"role": "sensitive"}}
        ),
        table=pl.DataFrame({"age": ages, "ill": ["flu", "gout"] * 21 + ["flu"]}),
    )
    assert top.after == Exposure.from_result(again)


def test_the_report_names_no_value_and_the_owner_sees_them() -> None:
    made = release(
        age=[20, 20, 50, 50, 70, 71], town=["rome", "rome", "naples", "oslo", "oslo", "oslo"],
        ill=["flu", "flu", "flu", "gout", "gout", "flu"],
    )  # fmt: skip
    found = kn.remedies(made)
    owner = "\n".join(text for s in weak_spot_sections(made, found) for text in s.texts)
    assert "Records with the highest scores" in owner
    assert "naples" in owner
    parts = [s for s in evidence(made) if s.title in ("Where k is not enough", "Remedies")]
    report = "\n".join(text for s in parts for text in s.texts)
    assert "Homogeneity" in report
    assert not any(value in report for value in LEVELS)
    assert parts[-1].headline


def test_what_chance_explains_is_no_help() -> None:
    before = Exposure(1000, 0, 0, 1.0, 0.2)
    for after, helps in (
        (Exposure(995, 0, 0, 1.0, 0.2), False),
        (Exposure(900, 0, 0, 1.0, 0.2), True),
        (Exposure(1000, 0, 0, 0.9, 0.2), True),
        (Exposure(1001, 0, 0, 0.9, 0.2), False),
    ):
        assert Remedy("t", "t", 1, before, after, (0.1, 0.1)).helps is helps
