"""`sbc` and `sd`: worked distances by table and page, their twins on random tables, odd tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from kanon_tui.core.algorithms.sbc import SBC
from kanon_tui.core.algorithms.sd import SD
from kanon_tui.core.algorithms.twins.similarity import cluster, in_order, similarities, tables
from kanon_tui.core.kernels import cluster_centre as centre
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run, RunStep
from kanon_tui.core.privacy.verify import verify
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, Algorithm, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task
from tests.tries import tries

ALL = [SBC(), SBC(left_over="nearest"), SBC(left_over="suppress"), SD()]
NUMERIC = AttributeSpec(kind=Kind.NUMERIC)


def run(task: Task, algorithm: Algorithm, decisions: int = FULL_SPEED) -> Grouping:
    found = Run(task, algorithm, RunContext(decisions)).finish()
    assert found is not None
    return found


def told(task: Task, algorithm: Algorithm) -> list[RunStep]:
    return list(Run(task, algorithm, RunContext(1)))


def groups(found: Grouping) -> list[list[int]]:
    return [np.flatnonzero(found.labels == c).tolist() for c in range(found.labels.max() + 1)]


def twin(task: Task, algorithm: Algorithm) -> list[list[int]]:
    if isinstance(algorithm, SBC):
        return [sorted(one) for one in cluster(task, False, algorithm.left_over)]
    return [sorted(one) for one in cluster(task, True)]


def sample(name: str) -> Task:
    return prepare(Project.load(find_sample(name).project))


def shown(
    task: Task, name: str, spatial: bool, record: int | None = None
) -> tuple[dict[str, Fraction], dict[str, float]]:
    """Similarities and distances of the values of an attribute from those of a record.

    Without one it is the first in the order of the algorithm.
    """
    x = next(i for i, a in enumerate(task.quasi) if a.name == name)
    values = task.quasi[x].column.values
    lower = [
        i for i, a in enumerate(task.quasi) if not a.ordered and len(a.column.values) < len(values)
    ]
    left = in_order(task)
    first = left[0] if record is None else record
    share = similarities(task, left, first, x, lower)
    table = tables(task, left, first, spatial)[x]
    return ({values[v]: s for v, s in share.items()}, {values[v]: d for v, d in table.items()})


def test_sbc_table_3_1_similarities_and_distances() -> None:
    """t1 = Male, Japan, k = 3: P = 4/9, 4/9, 1/9 (pp. 64, 66); d(US) = 1/2, d(Iran) = 1 (p. 67)."""
    task = sample("similarity")
    share, distance = shown(task, "nationality", spatial=False)
    assert share == {"Japan": Fraction(4, 9), "US": Fraction(4, 9), "Iran": Fraction(1, 9)}
    assert distance == {"Japan": 0.0, "US": 0.5, "Iran": 1.0}
    start = told(task, SBC())[1].sentence
    assert start == (
        "Record 1 (Male, Japan, Bachelor Degree) is the first left by education and starts "
        "cluster 1. By how often each nationality occurs among the 9 with gender Male, Japan (4) "
        "is 0.5 from US (4) and 1 from Iran (1). By how often each education occurs among the 8 "
        "with nationality Japan, Bachelor Degree (4) is 0.333 from Master Degree (3), 0.667 from "
        "PhD Degree (1) and 1 from High School (0). Of gender, Male is 1 from Female."
    )


def test_sd_figure_2_a_third_attribute() -> None:
    """From t1 = Male, Japan, High School, among the 23 that (c) has of these; (b) has 25."""
    task = sample("contingency")
    share, distance = shown(task, "education", spatial=True, record=0)
    counts = {"High School": 9, "Bachelor Degree": 4, "Master Degree": 8, "PhD": 2}
    assert share == {value: Fraction(count, 23) for value, count in counts.items()}
    assert distance == pytest.approx(
        {"High School": 0, "Master Degree": 1 / 108, "Bachelor Degree": 1 / 36, "PhD": 1 / 12}
    )
    nation, apart = shown(task, "nationality", spatial=True, record=0)
    assert nation == {
        "Japan": Fraction(23, 58),
        "China": Fraction(18, 58),
        "Korea": Fraction(17, 58),
    }
    assert apart == {"Japan": 0.0, "China": 0.25, "Korea": 0.5}
    start = told(task, SD())[1].sentence
    assert "among the 23 with gender Male and nationality Japan" in start


def test_sbc_table_3_3_fewer_than_k_males() -> None:
    """With k = 10 the nine males are too few: 8, 5 and 7 of 20 (p. 65), so Iran is nearer."""
    columns = sample("similarity").table.frame.drop("tuple").to_dict(as_series=False)
    start = told(make_task(columns, 10), SBC())[1].sentence
    assert "among the 20 left, Japan (8) is 0.5 from Iran (7) and 1 from US (5)." in start


def test_sd_table_3_similarities_and_distances() -> None:
    """t1 = Male, Japan, k = 3: S = 5/11, 5/11, 1/11; distances shrink from China on."""
    task = sample("spatial-distance")
    share, distance = shown(task, "nationality", spatial=True)
    assert share == {"Japan": Fraction(5, 11), "Korea": Fraction(5, 11), "China": Fraction(1, 11)}
    assert distance == {"Japan": 0.0, "China": 0.5, "Korea": 0.25}
    start = told(task, SD())[1].sentence
    assert (
        "the 11 with gender Male, Japan (5) is 0.25 from Korea (5) and 0.5 from China (1)" in start
    )


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALL)
def test_equals_its_twin_on_small_tables_at_every_pace(algorithm: Algorithm) -> None:
    for seed in range(tries(30)):
        task = random_task(seed)
        expected = twin(task, algorithm)
        assert groups(run(task, algorithm)) == expected, f"seed {seed}"
        assert groups(run(task, algorithm, 1 + seed % 4)) == expected, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALL[1::2])
def test_equals_its_twin_on_larger_tables(algorithm: Algorithm) -> None:
    for seed in range(1000, 1000 + tries(3)):
        task = random_task(seed, most=200)
        assert groups(run(task, algorithm)) == twin(task, algorithm), f"seed {seed}"


@pytest.mark.parametrize("words", [1, 2, 16])
@pytest.mark.parametrize("algorithm", ALL[1::2])
def test_categories_with_many_values(
    algorithm: Algorithm, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sets of more values than a node has bits for are sets of maybes."""
    monkeypatch.setattr(centre, "_MOST_WORDS", words)
    rng = np.random.default_rng(words)
    columns = {
        "zip": [f"z{zip_code:03}" for zip_code in rng.integers(0, 150, 180)],
        "sex": rng.choice(["F", "M"], 180).tolist(),
        "town": [f"t{town}" for town in rng.integers(0, 70, 180)],
        "age": rng.integers(20, 30, 180).tolist(),
    }
    task = make_task(columns, 4)
    assert groups(run(task, algorithm)) == twin(task, algorithm)


def test_about_equally_frequent_values_share_a_bit_and_no_two_a_label() -> None:
    rng = np.random.default_rng(3)
    for values in (0, 1, 5, 64, 65, 100, 1000):
        counts = rng.integers(1, 10**6, values)
        labels = centre.labels_by_frequency(counts)
        assert len(set(labels.tolist())) == values
        bits = labels[np.argsort(-counts, kind="stable")] % 64
        assert np.all(np.diff(bits) >= 0)
        assert np.bincount(bits, minlength=64).max() == -(-values // 64)


@pytest.mark.slow
def test_values_of_which_one_has_thousands_of_records_more_than_others() -> None:
    rng = np.random.default_rng(4)
    rare = np.repeat(np.arange(90), rng.integers(1, 4, 90))
    places = rng.permutation(np.concatenate([rare, np.full(2200, 90)]))
    columns = {
        "place": [f"p{place}" for place in places],
        "sex": rng.choice(["f", "m"], len(places)),
    }
    task = make_task(columns, k=260)
    assert groups(run(task, SBC())) == twin(task, SBC())


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALL)
def test_releases_verify_and_the_running_ncp_is_theirs(algorithm: Algorithm) -> None:
    for seed in range(tries(15)):
        task = random_task(seed, most=90)
        progress = Run(task, algorithm)
        found = progress.finish()
        assert found is not None
        release = recode(task, found)
        verify(release.frame, [a.name for a in task.quasi], [], task.k)
        assert progress.last is not None
        assert progress.last.counters["remaining"] == 0
        assert progress.last.counters["ncp"] == pytest.approx(measure(release).ncp, abs=1e-9)


@pytest.mark.parametrize("algorithm", ALL)
@pytest.mark.parametrize(
    ("columns", "k", "expected"),
    [
        ({"a": [3, 1, 2]}, 3, [[0, 1, 2]]),
        ({"a": [3, 1, 2]}, 1, [[1], [2], [0]]),
        ({"a": [7, 7, 7, 7]}, 2, [[0, 1], [2, 3]]),
        ({"a": ["x"] * 4, "b": ["?"] * 4}, 2, [[0, 1], [2, 3]]),
        ({"a": ["?", "x", "?", "x"]}, 2, [[1, 3], [0, 2]]),
    ],
)
def test_odd_tables(
    algorithm: Algorithm, columns: dict[str, list[object]], k: int, expected: list[list[int]]
) -> None:
    assert groups(run(make_task(columns, k), algorithm)) == expected


def test_missing_numbers_are_sorted_last_and_at_distance_1_from_numbers() -> None:
    columns = {"a": ["?", 1, 9, "?", 2, "?"], "b": [0, 0, 1, 1, 1, 0]}
    task = make_task(columns, 2, {"a": NUMERIC})
    assert groups(run(task, SBC())) == [[0, 1], [2, 4], [3, 5]]
    assert [step.event.distance for step in told(task, SBC()) if step.kind == "grow"] == [
        1.0,  # from 1 to missing, b alike; 2 is nearer but differs in b
        0.875,  # from 2 to 9
        1.0,  # missing both, b differs
    ]


@pytest.mark.parametrize(
    ("left_over", "expected"),
    [
        ("join-last", [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9, 10]]),
        ("nearest", [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9, 10]]),
        ("suppress", [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ],
)
def test_left_over_records(left_over: str, expected: Sequence[Sequence[int]]) -> None:
    task = make_task({"a": list(range(11))}, 4)
    found = run(task, SBC(left_over=left_over))
    assert groups(found) == expected
    assert found.search == {"sorted_by": "a", "clusters": 2, "left_over": 3}


def test_a_left_over_record_is_nearest_to_a_class_that_had_no_room() -> None:
    task = make_task({"age": [1, 2, 3, 4, 5], "sex": list("FFMMF")}, 2)
    assert groups(run(task, SBC())) == [[0, 1], [2, 3, 4]]
    assert groups(run(task, SBC(left_over="nearest"))) == [[0, 1, 4], [2, 3]]


def test_sd_drops_the_condition_of_highest_cardinality_first() -> None:
    """Only one record is M and p, so the towns are compared among the four that are M."""
    columns = {
        "sex": ["M", "M", "M", "M", "F", "F", "F"],
        "part": ["p", "q", "q", "r", "p", "p", "r"],
        "town": ["a", "b", "b", "c", "d", "d", "d"],
    }
    start = told(make_task(columns, 2), SD())[1]
    assert "(M, p, a)" in start.sentence
    told_of_part = (
        "each part occurs among the 4 with sex M, p (1) is 0.25 from r (1) and 0.5 from q"
    )
    assert told_of_part in start.sentence
    town = tables(make_task(columns, 2), range(7), 0, spatial=True)[2]
    assert town == pytest.approx({0: 0.0, 2: 0.25 / 27, 1: 0.25 / 9, 3: 0.25 / 3})


def test_sentences_tell_each_decision() -> None:
    task = make_task({"age": [30, 31, 40, 41, 42], "sex": list("FMFMF")}, 2)
    assert [(step.kind, step.sentence) for step in told(task, SD())] == [
        ("sort", "Sort the 5 records by age, the attribute with most values (5)."),
        (
            "start",
            "Record 1 (30, F) is the first left by age and starts cluster 1. Of sex, F is 1 from "
            "M.",
        ),
        (
            "grow",
            "Record 3 (40, F) joins cluster 1 as number 2 of 2: it is nearest to its centre, at "
            "distance 0.833, runner-up record 5 with 1.",
        ),
        ("close", "Cluster 1 is closed with 2 records: age 30–40, sex F."),
        (
            "start",
            "Record 2 (31, M) is the first left by age and starts cluster 2. Of sex, M is 1 from "
            "F.",
        ),
        (
            "grow",
            "Record 4 (41, M) joins cluster 2 as number 2 of 2: it is nearest to its centre, at "
            "distance 0.833, runner-up record 5 with 1.9167.",
        ),
        ("close", "Cluster 2 is closed with 2 records: age 31–41, sex M."),
        (
            "compare",
            "1 record is left, too few for a cluster of 2: compared with 2 of 2 clusters.",
        ),
        (
            "join",
            "Fewer than 2 are left, so record 5 (42, F) joins cluster 1, whose centre is nearest, "
            "at distance 0.583, runner-up cluster 2 with 1.5.",
        ),
    ]


@pytest.mark.parametrize(("k", "classes"), [(50, 100), (100, 50)])
def test_sbc_on_the_first_5000_adults(k: int, classes: int) -> None:
    """Table 4-2 (p. 87): age, sex, native-country; figure 4-2 keeps NCP under 0.2."""
    whole = sample("adult").table.frame.head(5000)
    task = make_task(
        {name: whole[name].to_list() for name in ("age", "sex", "native-country")},
        k,
        {"age": NUMERIC},
    )
    release = recode(task, run(task, SBC()))
    assert len(release.class_sizes) == classes
    assert measure(release).ncp < 0.065
