"""k for every subset of m quasi-identifiers: hand-made tables, all algorithms, the verifier."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.privacy.verify import verify
from kanon_tui.core.privacy.verify_figures import People

# Every pair of values is shared by two rows, every row is unique.
PAIRS = pl.DataFrame(
    [(a, b, c) for a, b, c in product("01", repeat=3)], schema=["a", "b", "c"], orient="row"
)


def smallest(table: pl.DataFrame, quasi: list[str], m: int, who: str = "") -> int:
    """Count by hand: the fewest rows (or people) of a combination of m columns."""
    fewest = table.height
    for some in combinations(quasi, m):
        shared: dict[tuple, set] = {}
        for number, row in enumerate(table.iter_rows(named=True)):
            shared.setdefault(tuple(row[n] for n in some), set()).add(row[who] if who else number)
        fewest = min(fewest, *map(len, shared.values()))
    return fewest


def test_the_verifier_counts_subsets() -> None:
    names = PAIRS.columns
    assert [smallest(PAIRS, names, m) for m in (1, 2, 3)] == [4, 2, 1]
    assert verify(PAIRS, names, (), 1, subsets=(2, 2)) == 1
    with pytest.raises(NotReachedError, match=r"any 2 quasi-identifiers, and a, b .* of 2"):
        verify(PAIRS, names, (), 1, subsets=(2, 3))
    one_person = People(["x", "x", *"abcdef"], ["x"], {})
    with pytest.raises(NotReachedError, match="a, b have a combination of 1"):
        verify(PAIRS, names, (), 1, subsets=(2, 2), people=one_person)


def test_check_asks_k_of_any_so_many() -> None:
    found = [kn.check(PAIRS, PAIRS.columns, k=2, subset_size=m) for m in (1, 2, 3, 9)]
    assert [each["subset_k"] for each in found] == [4, 2, 1, 1]
    assert [each["reached"] for each in found] == [True, True, False, False]


def people_table(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    n = 60
    town = rng.choice(["1010", "1020", "2010", "2020"], n, p=[0.5, 0.3, 0.15, 0.05])
    columns = {
        "zip": town, "sex": rng.choice(["f", "m"], n), "age": rng.integers(20, 60, n).astype(str),
        "who": rng.integers(0, 50, n).astype(str),
    }  # fmt: skip
    return pl.DataFrame(columns)


QUASI = {
    "zip": kn.mask(),
    "sex": kn.flat(),
    "age": kn.intervals(10, 20, 40),
}


@pytest.mark.parametrize("algorithm", sorted(each["name"] for each in kn.algorithms()))
def test_every_algorithm_keeps_it(algorithm: str) -> None:
    table = people_table(3).drop("who")
    asked = {"k": 1, "subset_size": 2, "subset_k": 6, "max_suppression": 0.2}
    release = kn.anonymize(table, quasi=QUASI, algorithm=algorithm, **asked)
    assert smallest(release.table, list(QUASI), 2) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("max_suppression", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_answers_are_the_most_specific_strings_of_trying_all(seed, max_suppression) -> None:
    table = people_table(seed).drop("who")
    asked = {"k": 2, "subset_size": 2, "subset_k": 8, "max_suppression": max_suppression}
    passing = naive_strings(table, max_suppression)
    assert passing
    for algorithm in ("global", "hybrid", "incognito", "anytime"):
        release = kn.anonymize(table, quasi=QUASI, algorithm=algorithm, **asked)
        answer = tuple(release.report["search"]["answer"][name] for name in QUASI)
        below = [p for p in passing if all(x <= y for x, y in zip(p, answer, strict=True))]
        assert below == [answer], algorithm


def naive_strings(table: pl.DataFrame, share: float) -> list[tuple[int, ...]]:
    """Return the strings that pass, by leaving rows out one by one until all is kept."""
    labels = {
        "zip": lambda v, j: v[: 4 - j] + "*" * j if j < 4 else "*",
        "sex": lambda v, j: "*" if j else v,
        "age": lambda v, j: v if j == 0 else "*" if j == 4 else str(int(v) // (10, 20, 40)[j - 1]),
    }
    passing = []
    for levels in product(range(5), range(2), range(5)):
        string = dict(zip(QUASI, levels, strict=True))
        rows = [tuple(labels[n](row[n], j) for n, j in string.items()) for row in table.to_dicts()]
        while True:
            left = [
                row
                for row in rows
                if rows.count(row) >= 2
                and all(
                    sum(all(o[x] == row[x] for x in some) for o in rows) >= 8
                    for some in combinations(range(3), 2)
                )
            ]
            if len(left) == len(rows):
                break
            rows = left
        if rows and table.height - len(rows) <= share * table.height:
            passing.append(levels)
    return passing


def test_people_are_counted_where_somebody_has_several_records() -> None:
    table = people_table(1)
    project = {
        "data": {"path": "t.csv"},
        "attributes": {
            "who": {"role": "person"},
            **{n: {"role": "quasi", "hierarchy": spec} for n, spec in QUASI.items()},
        },
        "privacy": {"k": 2, "subset_size": 1, "subset_k": 15},
        "algorithm": {"name": "global"},
        "output": {"order": "input"},
    }
    project["attributes"]["age"]["kind"] = "numeric"
    release = kn.anonymize(kn.Project.from_dict(project), table=table)
    rows = release.table.with_columns(who=table["who"])
    assert smallest(rows, list(QUASI), 1, "who") >= 15


def test_what_cannot_be_kept_is_refused() -> None:
    table = people_table(1).drop("who")
    with pytest.raises(InputError, match="at most 60"):
        kn.anonymize(table, quasi=QUASI, k=2, subset_k=61)
    with pytest.raises(InputError, match="suppress: records"):
        kn.anonymize(table, quasi=QUASI, k=2, subset_k=6, suppress="cells")
    wide = pl.DataFrame({f"c{x}": ["a"] * 4 for x in range(30)})
    with pytest.raises(InputError, match="4,060 subsets of 3"):
        kn.anonymize(wide, quasi=wide.columns, k=2, subset_k=3, subset_size=3)


def test_a_refused_subset_is_named_with_its_figures() -> None:
    release = pl.DataFrame({"age": list("1112"), "sex": list("mmmm")})
    assert verify(release, ["sex"], [], 4, subsets=(1, 4)) == 4
    with pytest.raises(NotReachedError, match=r"3 is required of any 1 .* age have .* of 1"):
        verify(release, ["age", "sex"], [], 1, subsets=(1, 3))
