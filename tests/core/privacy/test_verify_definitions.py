"""The verifier on plain tables: every figure against the number computed by hand.

`bounds_at` judges each table at its figures and a hair beyond them, so that a formula that is only
nearly right does not pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import exp, inf, log, nan
from random import Random
from typing import Any

import polars as pl
import pytest

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.privacy import verify_figures
from kanon_tui.core.privacy.verify import (
    RiskClaim,
    classes_without,
    overlapping,
    smallest_class,
    verify,
    verify_pseudonyms,
)
from kanon_tui.core.privacy.verify_figures import AT_LEAST, BELOW, Claim, People, as_read, ranks_of

TOKENS = ("?", "NA")


def claim(model: str, bound: float, held: Sequence[str], **more: Any) -> Claim:
    """A claim about a table that holds these values of `ill`."""
    values = tuple(sorted(set(held), key=lambda text: (text in TOKENS, text)))
    facts: dict[str, Any] = {
        "model": model,
        "bound": bound,
        "only_values": (),
        "fault": "a fault",
        "attribute": "ill",
        "values": values,
        "counts": tuple(held.count(text) for text in values),
        "numbers": None,
        "missing_tokens": TOKENS,
        "spellings_differ": True,
    }
    return Claim(**facts | more)


def table(*classes: str) -> pl.DataFrame:
    """Classes of records, one letter each: `table("aab", "a?")`."""
    rows = [(str(number), text) for number, held in enumerate(classes) for text in held]
    return pl.DataFrame(rows, schema=["age", "ill"], orient="row")


def bounds_at(model: str, release: pl.DataFrame, expected: Sequence[float], **more: Any) -> None:
    people = more.pop("people", None)
    held = release["ill"].to_list()
    for bound in sorted({figure for figure in expected if 0 < figure < inf}):
        for factor in (1 - 1e-6, 1, 1 + 1e-6):
            at = bound * factor
            if model in AT_LEAST:
                failing = sum(figure < at * (1 - 1e-9) for figure in expected)
            elif model in BELOW:
                failing = sum(figure >= at * (1 - 1e-12) for figure in expected)
            else:
                failing = sum(figure > at * (1 + 1e-9) for figure in expected)
            stated = claim(model, at, held, **more)
            assert classes_without(release, ["age"], stated, people=people) == failing, (model, at)


def entropy(*shares: float) -> float:
    return exp(-sum(p * log(p) for p in shares))


PLAIN = table("aab", "abcc")
MISSING = table("a??", "ab?", "??")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("at_a_time", [1, 4, 7, 5_000_000])
@pytest.mark.parametrize(
    ("model", "release", "expected", "more"),
    [
        ("l_distinct", PLAIN, [2, 3], {}),
        ("p", PLAIN, [2, 3], {}),
        ("l_entropy", PLAIN, [entropy(2 / 3, 1 / 3), entropy(0.25, 0.25, 0.5)], {}),
        ("alpha", PLAIN, [2 / 3, 1 / 2], {}),
        ("alpha", PLAIN, [1 / 3, 1 / 4], {"only_values": ("b",)}),
        ("alpha", PLAIN, [0, 1 / 2], {"only_values": ("c",)}),
        ("l_recursive", PLAIN, [2, 1], {"l": 2}),
        ("l_recursive", PLAIN, [inf, 2], {"l": 3}),
        ("l_recursive", table("aaabbc"), [3.0], {"l": 3}),
        ("t", PLAIN, [2 / 7, 3 / 14], {}),
        ("t", PLAIN, [11 / 42, 11 / 56], {"numbers": (1.0, 2.0, 3.0)}),
        ("beta", PLAIN, [5 / 9, 3 / 4], {}),
        ("beta_enhanced", PLAIN, [5 / 9, 3 / 4], {}),
        ("beta_enhanced", table("aa", "bc", "abbc"), [inf, 1, 1 / 3], {}),
        ("delta", PLAIN, [inf, log(7 / 4)], {}),
        ("t_hierarchy", PLAIN, [2 / 7, 3 / 14], {"ground": ((0, 0, 1),)}),
        ("t_hierarchy", PLAIN, [11 / 42, 11 / 56], {"ground": ((0, 1, 1),)}),
        ("t_hierarchy", PLAIN, [2 / 7, 3 / 14], {"ground": ()}),
        ("l_distinct", MISSING, [1, 2, 1], {}),
        ("l_entropy", MISSING, [1, 2, 1], {}),
        ("alpha", MISSING, [1, 1 / 2, 0], {}),
        ("l_recursive", MISSING, [inf, 1, inf], {}),
        ("t", MISSING, [1 / 3, 7 / 24, 3 / 8], {}),
        ("t", MISSING, [1 / 3, 3 / 16, 5 / 16], {"numbers": (1.0, 2.0, nan)}),
        ("beta", MISSING, [1 / 2, 5 / 3, 3 / 5], {}),
        ("delta", MISSING, [inf, log(3 / 2), 0], {}),
        ("t_hierarchy", MISSING, [1 / 6, 7 / 24, 3 / 8], {"ground": ((0, 0, 1),)}),
    ],
)
def test_figures_are_those_of_the_definitions(
    model: str,
    release: pl.DataFrame,
    expected: list[float],
    more: dict[str, Any],
    at_a_time: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verify_figures, "_CELLS_AT_A_TIME", at_a_time)
    bounds_at(model, release, expected, **more)


@pytest.mark.parametrize("model", ["t", "beta", "beta_enhanced", "delta"])
def test_a_column_that_is_missing_throughout_shows_nothing(model: str) -> None:
    release = table("??", "???")
    held = release["ill"].to_list()
    assert classes_without(release, ["age"], claim(model, 1e-6, held)) == 0


def test_values_of_the_table_that_the_release_leaves_out_count() -> None:
    """c was suppressed: δ still asks for it, and t and β compare with a table that has it."""
    release, held = table("ab"), ["a", "b", "c", "c"]
    assert classes_without(release, ["age"], claim("delta", 99, held)) == 1
    assert classes_without(release, ["age"], claim("t", 0.499, held)) == 1
    assert classes_without(release, ["age"], claim("t", 0.501, held)) == 0
    assert classes_without(release, ["age"], claim("beta", 0.999, held)) == 1
    assert classes_without(release, ["age"], claim("beta", 1.001, held)) == 0


@pytest.mark.filterwarnings("error")
def test_a_value_that_nobody_has_does_not_disturb_the_others() -> None:
    release, none = table("ab"), {"values": ("a", "b", "c"), "counts": (1, 1, 0)}
    for model in ("beta", "beta_enhanced", "delta"):
        assert classes_without(release, ["age"], claim(model, 1e-6, [], **none)) == 0


def test_rounding_is_forgiven_but_no_more() -> None:
    held = ["a"] * 3 + ["b"] * 7
    release = table("aaabbbbbbb")
    assert classes_without(release, ["age"], claim("alpha", 0.7 - 1e-10, held)) == 0
    assert classes_without(release, ["age"], claim("alpha", 0.7 - 1e-8, held)) == 1
    assert classes_without(release, ["age"], claim("l_distinct", 2 + 1e-9, held)) == 0
    assert classes_without(release, ["age"], claim("l_distinct", 2 + 1e-8, held)) == 1
    assert classes_without(release, ["age"], claim("l_recursive", 7 / 3 + 1e-10, held)) == 1
    assert classes_without(release, ["age"], claim("l_recursive", 7 / 3 + 1e-8, held)) == 0


def test_what_the_verifier_cannot_judge_is_refused() -> None:
    release = table("ab", "cd")
    with pytest.raises(NotReachedError, match=r"2 values of ill .* nothing was written"):
        classes_without(release, ["age"], claim("p", 1, ["a", "b"]))
    with pytest.raises(NotReachedError, match=r"model magic; nothing was written"):
        classes_without(release, ["age"], claim("magic", 1, list("abcd")))


# --- spellings


@pytest.mark.parametrize(
    ("one", "other"),
    [("HIV", " hiv "), ("lung\u00a0 cancer", "Lung Cancer"), ("H\u200bIV", "hiv"), ("Ｈ", "h"),
     ("100", "1E2"), ("+5", "5.0"), ("\u22125", "-5"), ("a\ufe0f", "a"), ("Straße", "STRASSE"),
     ("a\tb", "a b")],
)  # fmt: skip
def test_spellings_of_a_value_are_one(one: str, other: str) -> None:
    assert as_read(one) == as_read(other)
    assert as_read("a  b") == "a b"
    stated = claim("p", 2, [one, other, "x"], spellings_differ=False)
    ranks = ranks_of(stated)
    assert ranks[one] == ranks[other] != ranks["x"]


@pytest.mark.parametrize(("one", "other"), [("1e", "1"), ("a b", "ab"), ("5", "5a"), ("-5", "5")])
def test_values_that_read_differently_are_two(one: str, other: str) -> None:
    assert as_read(one) != as_read(other)


def test_ranks_follow_the_order_of_values() -> None:
    stated = claim("t", 0.5, [], values=("5", "5.0", "7", "?"), counts=(1, 1, 1, 1),
                   numbers=(5.0, 5.0, 7.0, nan), spellings_differ=False)  # fmt: skip
    assert ranks_of(stated) == {"?": -1, "NA": -1, "5": 0, "5.0": 0, "7": 1}
    texts = claim("t", 0.5, ["a", " na ", "b", "?"], spellings_differ=False)
    assert ranks_of(texts) == {"?": -1, "NA": -1, " na ": -1, "a": 0, "b": 1}
    apart = claim("t", 0.5, ["A", "a", "?"])
    assert ranks_of(apart) == {"?": -1, "NA": -1, "A": 0, "a": 1}
    spelt = pl.DataFrame({"age": ["1"] * 4, "ill": ["a", "A", "b", " na "]})
    bounds_at("alpha", spelt, [2 / 3], spellings_differ=False, only_values=("a",))


# --- people


def people(of_rows: str, ill: str) -> People:
    return People(list(of_rows), list(of_rows), {"ill": list(ill)})


@pytest.mark.parametrize(
    ("model", "expected", "more"),
    [
        ("l_distinct", [2, 1], {}),
        ("p", [2, 1], {}),
        ("alpha", [1, 1], {}),
        ("alpha", [1 / 2, 1], {"only_values": ("b",)}),
        ("t", [3 / 8, 3 / 8], {}),
        ("l_entropy", [entropy(3 / 4, 1 / 4), 1], {}),
    ],
)
def test_a_person_counts_once(model: str, expected: list[float], more: dict[str, Any]) -> None:
    """p has a and b, q has a; r has b; s has b and, in another record, a missing value."""
    release = table("aba", "b?b")
    whose = people("ppqrss", "aba" + "b?b")
    assert smallest_class(release, ["age"], people=whose) == 2
    bounds_at(model, release, expected, people=whose, **more)


def test_one_person_is_not_diverse_by_herself() -> None:
    whose = people("pppqr", "abcab")
    for model in ("l_distinct", "p"):
        bounds_at(model, table("abc", "ab"), [1, 2], people=whose)
    bounds_at("alpha", table("ab"), [1 / 2], people=people("pq", "ab"))


def test_a_person_counts_in_every_class_by_its_own_records() -> None:
    """p's value is missing in the second class, and she has two values in the third."""
    bounds_at("t", table("a??", "?a"), [1 / 6, 0], people=people("pqspr", "a???a"))
    bounds_at("l_entropy", table("ab", "ab"), [2, 2], people=people("pppq", "abab"))


@pytest.mark.parametrize("who", ["".join(order) for order in permutations("pqs")])
def test_a_value_that_is_passed_on_is_given_once(who: str) -> None:
    """Of a, b and c only a has other holders than p, and p takes one of the other two."""
    bounds_at("l_distinct", table("aaabc"), [2], people=people(who + "pp", "aaabc"))


def test_people_without_a_value_count_in_no_share() -> None:
    release = table("a??", "??")
    bounds_at("alpha", release, [1, 0], people=people("pqrst", "a????"))
    bounds_at("l_distinct", release, [1, 1], people=people("pqrst", "a????"))


def test_spellings_of_a_person_are_one() -> None:
    release = table("abc")
    whose = People(["Ann", "ann ", "Bob"], [], {})
    assert smallest_class(release, ["age"], people=whose) == 2
    with pytest.raises(NotReachedError, match="3 records and 2 people"):
        smallest_class(release, ["age"], people=People(["a", "b"], [], {}))


@pytest.mark.parametrize("seed", range(40))
def test_values_are_given_to_as_many_people_as_can_be(seed: int) -> None:
    chance = Random(seed)
    pairs = [(chance.choice("pqrst"), chance.choice("abcde")) for _ in range(chance.randint(3, 9))]
    who, ill = ("".join(each) for each in zip(*pairs, strict=True))
    persons, values = sorted(set(who)), sorted(set(ill))
    most = max(
        sum((person, value) in pairs for person, value in zip(persons, order, strict=False))
        for order in permutations([*values, *"." * len(persons)], len(persons))
    )
    bounds_at("l_distinct", table(ill), [max(1, most)], people=people(who, ill))


# --- k, personal k and risk


def test_what_may_be_published_is_proved_and_the_rest_refused() -> None:
    release = table("aab", "ab")
    assert verify(release, ["age"], ["name"], 2) == 2
    held = list("aabab")
    assert verify(release, ["age"], [], 2, [claim("p", 2, held), claim("alpha", 0.7, held)]) == 2
    assert smallest_class(release.clear(), ["age"]) == 0
    with pytest.raises(NotReachedError, match=r"identifier 'ill'; nothing was written"):
        verify(release, ["age"], ["name", "ill"], 2)
    with pytest.raises(NotReachedError, match="every record is suppressed"):
        verify(release.clear(), ["age"], [], 1)
    with pytest.raises(NotReachedError, match="smallest class has 2 records, k is 3"):
        verify(release, ["age"], [], 3)
    with pytest.raises(NotReachedError, match="smallest class has 1 people, k is 2"):
        verify(release, ["age"], [], 2, people=people("ppqrr", "aabab"))
    whose = people("ppqrs", "abcab")
    with pytest.raises(NotReachedError, match="2 of its classes are with a fault"):
        verify(table("abc", "ab"), ["age"], [], 2, [claim("p", 3, list("abcab"))], people=whose)
    with pytest.raises(NotReachedError, match="1 of its classes is with a fault"):
        verify(release, ["age"], [], 2, [claim("alpha", 0.5, list("aabab"))])
    with pytest.raises(NotReachedError, match="2 of its classes are with a fault"):
        verify(release, ["age"], [], 2, [claim("p", 3, list("aabab"))])


def test_a_row_may_stand_for_several_records() -> None:
    release, copies = table("ab", "b"), pl.Series([3, 1, 2])
    assert verify(release, ["age"], [], 2, copies=copies) == 2
    assert smallest_class(release, ["age"], copies=copies) == 2
    stated = claim("alpha", 0.74, ["a"] * 3 + ["b"] * 3)
    assert classes_without(release, ["age"], stated, copies=copies) == 2
    assert classes_without(release, ["age"], stated.__class__(**{**stated.__dict__, "bound": 0.76}),
                           copies=copies) == 1  # fmt: skip
    assert verify(release, ["age"], [], 2, personal_k=[4, 1, 2], copies=copies) == 2
    risk = RiskClaim("average", 1 / 3, 1, 0.2, "a low risk")
    assert verify(release, ["age"], [], 2, risk=risk, copies=copies) == 2
    held = ["a"] * 3 + ["b"] * 3
    with pytest.raises(NotReachedError, match="2 of its classes"):
        verify(release, ["age"], [], 2, [claim("alpha", 0.74, held)], copies=copies)
    with pytest.raises(NotReachedError, match="1 of its classes"):
        verify(release, ["age"], [], 2, [claim("alpha", 0.76, held)], copies=copies)
    with pytest.raises(NotReachedError, match="3 rows and 2 counts"):
        verify(release, ["age"], [], 2, copies=copies.head(2))


def test_everybody_gets_the_k_they_ask_for() -> None:
    release = table("aab", "ab")
    assert verify(release, ["age"], [], 2, personal_k=[3, nan, 1, 2, 2]) == 2
    with pytest.raises(NotReachedError, match=r"1 of its classes has fewer records than .* in it"):
        verify(release, ["age"], [], 2, personal_k=[3, 1, 1, 3, nan])
    with pytest.raises(NotReachedError, match=r"2 of its classes have fewer .* in them"):
        verify(release, ["age"], [], 2, personal_k=[4, 1, 1, 3, nan])
    with pytest.raises(NotReachedError, match="5 records and 4 wishes"):
        verify(release, ["age"], [], 2, personal_k=[1] * 4)
    whose = people("ppqrs", "aabab")
    with pytest.raises(NotReachedError, match="1 of its classes"):
        verify(release, ["age"], [], 2, personal_k=[3, 1, 1, 1, 1], people=whose)


@pytest.mark.parametrize(
    ("measure", "scale", "threshold", "found"),
    [("average", 1, 0.2, 2 / 5), ("average", 0.5, 0.2, 1 / 5), ("share", 1, 0.4, 2 / 5),
     ("share", 1, 0.3, 1), ("share", 1, 0.5, 0), ("share", 0.5, 0.25, 0)],
)  # fmt: skip
def test_the_risk_of_the_release_is_bounded(
    measure: str, scale: float, threshold: float, found: float
) -> None:
    """Classes of 3 and 2: the mean risk is 2 / 5, and that of the second class's records 1 / 2."""
    release = table("aab", "ab")

    def stated(most: float) -> RiskClaim:
        return RiskClaim(measure, most, scale, threshold, "a low risk")

    assert verify(release, ["age"], [], 2, risk=stated(found)) == 2
    if found:
        with pytest.raises(NotReachedError, match=f"a low risk is required, and it has {found:g}"):
            verify(release, ["age"], [], 2, risk=stated(found - 1e-6))


def test_the_risk_is_that_of_people_where_they_are_counted() -> None:
    release, whose = table("aab", "ab"), people("ppqrs", "aabab")
    bounded = RiskClaim("average", 0.45, 1, 0.2, "a low risk")
    assert verify(release, ["age"], [], 2, risk=bounded) == 2
    with pytest.raises(NotReachedError, match=r"it has 0\.5"):
        verify(release, ["age"], [], 2, risk=bounded, people=whose)


# --- pseudonyms and ranges

A, B, C = ("a" * 32, "0b" * 16, "c9" * 16)


def pseudonyms(who: Sequence[str], age: str, k: int = 2, raw: Sequence[str] = ("Ann",)) -> None:
    release = pl.DataFrame({"age": list(age), "who": who})
    verify_pseudonyms(release, ["age"], "who", pl.Series(raw), TOKENS, k)


def test_pseudonyms_show_no_identifier() -> None:
    pseudonyms([A, B, "?"], "112")
    pseudonyms([A, B], "11", raw=["?", "NA"])
    with pytest.raises(NotReachedError, match="identifiers of 'who'"):
        pseudonyms([A, "Ann"], "11")
    with pytest.raises(NotReachedError, match="identifiers of 'who'"):
        pseudonyms([A, B], "11", raw=[B])
    for text in (A[:31], A + "0", A[:31] + "g"):
        with pytest.raises(NotReachedError, match="identifiers of 'who'"):
            pseudonyms([A, text], "11")


def test_rows_that_a_pseudonym_joins_are_those_of_k_people() -> None:
    pseudonyms([A, A, B, B], "1212")
    pseudonyms([A, A, B, B, "?", "?"], "121212")
    pseudonyms([A, A, B, B, "?", "?", "?"], "1212112")
    pseudonyms([A, A, B, B], "1221")
    with pytest.raises(NotReachedError, match=r"5 rows are 3 people, and 1 of them .* than 2"):
        pseudonyms([A, A, B, B, C], "12121")
    with pytest.raises(NotReachedError, match="2 of them"):
        pseudonyms([A, A, B, B], "1212", k=3)


@pytest.mark.parametrize(
    ("cells", "overlap"),
    [
        ("[1..3] [4..6]", False),
        ("[1..4] [4..6]", True),
        ("[1..5] [2..3]", True),
        ("[1..3] 4 5", False),
        ("[1..3] 2", True),
        ("[1..3] [1..3]", False),
        ("[1..3]* [4..6]", False),
        ("[1..4]* 4", True),
        ("<=3 [4..6]", False),
        ("<=3 2", True),
        ("<=3 [3..5]", True),
        (">=4 [1..3]", False),
        (">=4 9", True),
        (">=4 <=3", False),
        (">=4 <=4", True),
        ("* [1..3] ?", False),
        ("5* 5", False),
        ("* [1..4] [4..6] 9 8", True),
    ],
)
def test_ranges_that_overlap_are_seen(cells: str, overlap: bool) -> None:
    numbers = {str(number): float(number) for number in range(10)} | {"?": nan}
    assert overlapping(pl.Series(cells.split()), numbers) is overlap


def test_a_value_that_looks_like_a_range_is_a_value() -> None:
    numbers = {"[1..9]": 5.0, ">=7": 1.0, "6*": 6.0, "7": 7.0}
    assert not overlapping(pl.Series(["[1..9]", ">=7", "6*", "7"]), numbers)


@pytest.mark.parametrize("cell", ["x", "[1..x]", "[x..2]", "1..2]", "[1..2", "<1", ">=x", "[]"])
def test_a_cell_that_is_no_range_is_refused(cell: str) -> None:
    with pytest.raises(NotReachedError, match="no range of the data; nothing was written"):
        overlapping(pl.Series([cell]), {"1": 1.0, "2": 2.0})


# --- what a mutated verifier would let through


def test_counts_beside_the_rows_are_refused_when_they_are_too_many() -> None:
    release = table("aa", "bb")
    for beside in (
        {"copies": pl.Series([1] * 5)},
        {"personal_k": [1.0] * 5},
        {"people": people("pqrst", "aabbb")},
    ):
        with pytest.raises(NotReachedError, match="nothing was written"):
            verify(release, ["age"], [], 2, **beside)


def test_more_than_k_people_may_share_the_rows_of_a_pseudonym() -> None:
    pseudonyms([A, A, B, B, C, C], "121212")


def test_an_open_range_reaches_below_zero() -> None:
    numbers = {str(number): float(number) for number in range(-10, 1)}
    assert overlapping(pl.Series(["<=-5", "[-9..-7]"]), numbers)
    assert not overlapping(pl.Series(["<=-5", "[-4..-1]"]), numbers)


def test_people_without_a_value_do_not_lower_a_share() -> None:
    """One of the two people whose value is known has it: a half, not a third."""
    release, whose = table("ab?"), people("pqr", "ab?")
    held = release["ill"].to_list()
    for bound, failing in ((0.4, 1), (0.5, 0)):
        stated = claim("alpha", bound, held, only_values=("a",))
        assert classes_without(release, ["age"], stated, people=whose) == failing


def test_a_class_with_one_value_has_one_whoever_has_it() -> None:
    release, whose = table("aa", "??"), people("pqrs", "aa??")
    held = release["ill"].to_list()
    for bound, failing in ((1, 0), (2, 2)):
        stated = claim("l_distinct", bound, held)
        assert classes_without(release, ["age"], stated, people=whose) == failing


def test_a_gain_above_its_cap_is_refused_at_every_bound() -> None:
    """a gains 5/3 in its own class, and ln(8/3) is all it may: no β makes up for that."""
    release = table("aa", "bc", "abbc")
    held = release["ill"].to_list()
    assert classes_without(release, ["age"], claim("beta_enhanced", 9, held)) == 1
    assert classes_without(release, ["age"], claim("beta", 9, held)) == 0


def test_numbers_are_one_value_however_they_are_written() -> None:
    comma = claim("t", 0.5, [], values=("1,5", "1.5", "2"), counts=(1, 1, 1),
                  numbers=(1.5, 1.5, 2.0), spellings_differ=False)  # fmt: skip
    assert ranks_of(comma) == {"?": -1, "NA": -1, "1,5": 0, "1.5": 0, "2": 1}
    token = claim("t", 0.5, [], values=("-9.0", "7"), counts=(1, 1), numbers=(-9.0, 7.0),
                  missing_tokens=("-9",), spellings_differ=False)  # fmt: skip
    assert ranks_of(token) == {"-9": -1, "-9.0": 0, "7": 1}
    assert as_read("NaN") == "nan"


def test_a_value_that_a_person_has_twice_counts_once() -> None:
    bounds_at("l_entropy", table("aabb"), [entropy(0.25, 0.75)], people=people("pppq", "aabb"))


@pytest.mark.filterwarnings("error")
def test_a_column_of_one_number_is_as_close_as_can_be() -> None:
    release = table("aa")
    stated = claim("t", 1e-6, ["a", "a"], numbers=(1.0,))
    assert classes_without(release, ["age"], stated) == 0


@pytest.mark.parametrize("missing", range(6))
def test_a_missing_cell_hides_no_overlap(missing: int) -> None:
    """Wherever its nan would stand in the order of ranges."""
    numbers = {str(number): float(number) for number in range(10)} | {"?": nan}
    for low in range(8):
        cells = [f"[{low}..{low + 1}]", f"[{low + 1}..9]"]
        cells.insert(missing % 3, "?")
        assert overlapping(pl.Series(cells), numbers)


def records_per_class(held: pl.DataFrame, claim: Claim) -> Any:
    sizes = held.group_by("class", maintain_order=True).agg(pl.col("records").sum())
    return sizes.sort("class")["records"].cast(pl.Float64).to_numpy()


@pytest.mark.parametrize(
    ("direction", "failing"),
    [
        ({"at_least": True}, {2: 0, 3: 1, 4: 2}),
        ({"strict": True}, {2: 2, 3: 1, 4: 0}),
        ({}, {1: 2, 2: 1, 3: 0}),
    ],
)
def test_a_formula_of_another_package_is_judged_in_its_direction(
    direction: dict[str, bool], failing: dict[int, int]
) -> None:
    """Classes of 2 and 3 records: the bound is the least, too much itself, or the most."""
    release = table("aa", "bbb")
    held = release["ill"].to_list()
    for bound, expected in failing.items():
        stated = claim("foreign", bound, held, proof=records_per_class, **direction)
        assert classes_without(release, ["age"], stated) == expected, (direction, bound)


def test_own_models_keep_their_direction_whatever_a_claim_says() -> None:
    """The highest share of a value is 2/3: allowed at most, not at least."""
    release = table("aab")
    for bound, expected in ((0.5, 1), (0.7, 0)):
        stated = claim("alpha", bound, release["ill"].to_list(), at_least=True, strict=True)
        assert classes_without(release, ["age"], stated) == expected
    stated = claim("alpha", 2 / 3, release["ill"].to_list(), strict=True)
    assert classes_without(release, ["age"], stated) == 0


def test_a_pseudonym_alone_among_missing_ones_joins_nobody() -> None:
    """No pseudonym repeats, so the class of two is all that is known of either."""
    pseudonyms([A, "?"], "11")


@pytest.mark.parametrize("cell", ["12..3]", "[1..23"])
def test_half_a_range_is_no_range_though_its_rest_reads_as_one(cell: str) -> None:
    with pytest.raises(NotReachedError, match="no range of the data"):
        overlapping(pl.Series([cell]), {str(number): float(number) for number in range(4)})


def test_names_of_columns_are_no_patterns_and_take_nobody_s_place() -> None:
    release = pl.DataFrame({"^.*$": list("aabb"), "records": list("ccdd"), "person": list("eefg")})
    assert smallest_class(release, ["^.*$", "records"]) == 2
    assert smallest_class(release, ["^.*$", "records", "person"]) == 1


def test_many_copies_are_added_without_overflow() -> None:
    copies = pl.Series([2**31 - 1, 2], dtype=pl.Int32)
    assert smallest_class(table("aa"), ["age"], copies) == 2**31 + 1


def test_which_models_allow_their_bound_itself() -> None:
    """Two a and two b, three a and one b: δ is ln 1.5 and the recursive c is 3 at worst."""
    release = table("aabb", "aaab")
    held = release["ill"].to_list()
    for model, bound, failing in (
        ("delta", log(1.5), 1),
        ("l_recursive", 3, 1),
        ("alpha", 0.75, 0),
    ):
        assert classes_without(release, ["age"], claim(model, bound, held)) == failing, model
    for model in ("l_distinct", "p"):
        assert classes_without(release, ["age"], claim(model, 2, held)) == 0, model


def test_rows_that_a_pseudonym_joins_are_compared_in_all_columns() -> None:
    """Both people have an age of 1 twice, and only one of them a sex of m."""
    release = pl.DataFrame({"age": list("1111"), "sex": list("mfff"), "who": [A, A, B, B]})
    verify_pseudonyms(release, ["age"], "who", pl.Series(["Ann"]), TOKENS, 2)
    with pytest.raises(NotReachedError, match="2 of them"):
        verify_pseudonyms(release, ["age", "sex"], "who", pl.Series(["Ann"]), TOKENS, 2)


def test_the_first_identifier_that_would_be_published_is_named() -> None:
    release = table("aa").with_columns(name=pl.lit("Ann"), phone=pl.lit("1"))
    with pytest.raises(NotReachedError, match="the identifier 'name'"):
        verify(release, ["age"], ["name", "phone"], 2)
