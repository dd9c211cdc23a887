"""What a class publishes and is measured by, where a paper reads the definitions otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.measure import Measures, measure
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import Grouping, Task
from tests.helpers import make_task

CITIES = {"levels": {"Rome": ["Italy"], "Milan": ["Italy"], "Oslo": ["Norway"]}}
AGES = {"builder": "breaks", "levels": [[20, 40], [40]]}
CLUSTERINGS = [name for name in ALGORITHMS if ALGORITHMS[name].family.value == "clustering"]


def classes(task: Task, *labels: int) -> Release:
    return recode(task, Grouping(np.array(labels, dtype=np.int32)))


def figures(task: Task, *labels: int) -> Measures:
    return measure(classes(task, *labels))


def test_byun_definition_5_a_class_publishes_the_union_of_its_values() -> None:
    columns = {"city": ["Rome", "Oslo", "Milan", "Milan"]}
    by_label = make_task(columns, 2, {"city": AttributeSpec(hierarchy=CITIES)})
    as_set = make_task(columns, 2, {"city": AttributeSpec(hierarchy=CITIES, publish="set")})
    assert classes(by_label, 0, 0, 1, 1).frame["city"].unique().sort().to_list() == ["*", "Milan"]
    assert classes(as_set, 0, 0, 1, 1).frame["city"].unique().sort().to_list() == [
        "Milan",
        "{Oslo|Rome}",
    ]
    assert figures(by_label, 0, 0, 1, 1).ncp == pytest.approx(0.5)
    assert figures(as_set, 0, 0, 1, 1).ncp == pytest.approx(2 / 3 / 2)
    assert figures(by_label, 0, 0, 1, 1).il == figures(as_set, 0, 0, 1, 1).il


def test_cka_definitions_8_and_10_labels_and_loss_of_numbers_from_the_hierarchy() -> None:
    """The label above 10 and 15 is one of three levels up, above 10 and 30 two of three."""
    columns = {"age": [10, 15, 10, 30, 50, 50]}
    task = make_task(columns, 2, {"age": AttributeSpec(hierarchy=AGES, publish="hierarchy")})
    low, wide = (task.quasi[0].hierarchy.paths[0][level] for level in (1, 2))
    release = classes(task, 0, 0, 1, 1, 2, 2)
    assert [release.cells[0].texts[code] for code in release.cells[0].codes] == [
        low, low, wide, wide, "50", "50",
    ]  # fmt: skip
    assert measure(release).il == pytest.approx(2 * 1 / 3 + 2 * 2 / 3)
    ranges = make_task(columns, 2, {"age": AttributeSpec(hierarchy=AGES)})
    il = figures(ranges, 0, 0, 1, 1, 2, 2).il
    assert il == pytest.approx(2 * 5 / 40 + 2 * 20 / 40)


def test_cka_definition_5_counts_values_beside_records() -> None:
    """Both attributes of the first class are beyond their limit, one of the second."""
    columns = {"city": ["Rome", "Oslo", "Rome", "Milan"], "age": [10, 30, 10, 30]}
    specs = {
        "city": AttributeSpec(hierarchy=CITIES, magvals=("Italy", "Norway")),
        "age": AttributeSpec(max_width=15),
    }
    privacy = figures(make_task(columns, 2, specs), 0, 0, 1, 1).privacy
    assert privacy.violating_values == {"city": 2, "age": 4}
    assert privacy.violations == 4


def test_a_largest_width_is_a_magval_that_the_data_builds() -> None:
    """20 to 29 and 35 to 44 are the stretches of ten; 99 stands alone and is suppressed."""
    ages = [20, 24, 29, 35, 44, 40, 99]
    task = make_task({"age": ages}, 2, {"age": AttributeSpec(max_width=9)})
    result = conclude(Run(task, ALGORITHMS["gcka"]()))
    assert set(result.table["age"]) == {"[20..29]", "[35..44]"}
    assert result.measures.suppressed_records == 1
    assert result.measures.privacy.violations == 0


@pytest.mark.parametrize("seed", range(30))
def test_gcka_never_publishes_a_range_wider_than_allowed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width = float(rng.integers(0, 12))
    ages = [str(a) if rng.random() > 0.1 else "?" for a in rng.integers(0, 40, 60)]
    specs = {"age": AttributeSpec(kind=Kind.NUMERIC, max_width=width)}
    task = make_task({"age": ages, "sex": rng.choice(["F", "M"], 60).tolist()}, 3, specs)
    release = recode(task, Run(task, ALGORITHMS["gcka"]()).finish())
    for text in release.frame["age"]:
        if text.startswith("["):
            low, high = text[1:-1].split("..")
            assert float(high) - float(low) <= width
        assert text != "*"


def test_morton_span_of_distinct_values() -> None:
    """1, 2 and 9 span nine years, and three values of the table."""
    columns = {"age": [1, 2, 9, 20]}
    domain = make_task(columns, 1)
    distinct = make_task(columns, 1, {"age": AttributeSpec(span="distinct")})
    assert figures(domain, 0, 0, 0, 1).rv == pytest.approx(4 / (3 * 9 + 1))
    assert figures(distinct, 0, 0, 0, 1).rv == pytest.approx(4 / (3 * 3 + 1))
    specs = {"age": AttributeSpec(hierarchy={"builder": "breaks", "levels": [[10]]})}
    assert level_research_values(make_task(columns, 1, specs).quasi[0])[1] == pytest.approx(4 / 28)
    specs = {"age": AttributeSpec(hierarchy=specs["age"].hierarchy, span="distinct")}
    assert level_research_values(make_task(columns, 1, specs).quasi[0])[1] == pytest.approx(4 / 10)


def test_udc_merges_by_the_span_that_is_asked_for() -> None:
    """10 is nearer to 1 by values in between, nearer to 16 by years."""
    columns = {"age": [1, 1, 10, 16, 16, 11, 11, 12, 12]}
    for span, expected in (("domain", "[10..11]"), ("distinct", "[1..10]")):
        task = make_task(columns, 2, {"age": AttributeSpec(span=span)})
        published = conclude(Run(task, ALGORITHMS["udc"]())).table["age"]
        assert expected in set(published), span


def mixed(rng: np.random.Generator) -> Task:
    n = 40
    levels = {f"{c}{i}": [c] for c in "ab" for i in range(3)}
    columns = {
        "age": rng.integers(0, 60, n).tolist(),
        "income": rng.integers(0, 9, n).tolist(),
        "code": rng.choice(list(levels), n).tolist(),
    }
    specs = {
        "age": AttributeSpec(hierarchy=AGES, publish="hierarchy", max_width=30),
        "income": AttributeSpec(span="distinct"),
        "code": AttributeSpec(hierarchy={"levels": levels}, publish="set"),
    }
    return make_task(columns, 3, specs)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_publishes_these_forms_and_verifies(name: str) -> None:
    parameters = {"accept_root": True} if name == "local" else {}
    task = mixed(np.random.default_rng(5))
    result = conclude(Run(task, ALGORITHMS[name](**parameters)))
    assert smallest_class(result.table, ["age", "income", "code"]) >= 3
    if name in CLUSTERINGS and name != "udc-suppress":
        assert not any(text.startswith("[") and ".." in text for text in result.table["age"])
        assert not {"a", "b"} & set(result.table["code"])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (AttributeSpec(publish="hierarchy"), "it has no hierarchy; give it one"),
        (AttributeSpec(publish="set"), "publish: set is for categories"),
        (AttributeSpec(kind=Kind.CATEGORICAL, max_width=3), "max_width is for numbers and dates"),
        (AttributeSpec(kind=Kind.CATEGORICAL, span="distinct"), "span is for numbers and dates"),
    ],
)
def test_what_would_do_nothing_is_refused(spec: AttributeSpec, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_task({"a": [1, 2, 3]}, 2, {"a": spec})
