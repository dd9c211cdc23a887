"""The papers' worked numbers, and a few small ones that can be checked in the head."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.metrics.measure import LevelMeasures, Measures, level_measures, measure
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.task import Grouping, Task
from tests.core.metrics.strategies import CITIES
from tests.helpers import make_task

COUNTRIES = {
    "USA": ["North America", "America", "World"],
    "Canada": ["North America", "America", "World"],
    "Peru": ["South America", "America", "World"],
    "Brazil": ["South America", "America", "World"],
    "Iran": ["West Asia", "Asia", "World"],
    "Egypt": ["West Asia", "Asia", "World"],
    "India": ["East Asia", "Asia", "World"],
    "Japan": ["East Asia", "Asia", "World"],
}


def clustered(task: Task, labels: list[int], cells: list[list[int]] | None = None) -> Measures:
    hidden = None if cells is None else np.array(cells, dtype=bool)
    grouping = Grouping(np.array(labels, dtype=np.int32), suppressed_cells=hidden)
    return measure(recode(task, grouping))


def generalised(task: Task, labels: list[int], *levels: int) -> Measures:
    return measure(recode(task, Grouping(np.array(labels, dtype=np.int32), levels)))


# --------------------------------------------------------------------------------------- NCP
def test_ncp_by_class_counts_the_values_of_a_class_not_of_its_label() -> None:
    """SBC equations 2-3, 2-4: a class that holds 2 of 4 towns under a label of 4 counts 2 / 4."""
    towns = {t: ["all", "*"] for t in "abcd"}
    spec = AttributeSpec(hierarchy={"levels": towns}, kind=Kind.CATEGORICAL)
    columns = {"town": list("abcd"), "age": [20, 21, 40, 41]}
    ages = AttributeSpec(hierarchy={"builder": "breaks", "levels": [[30]]}, kind=Kind.NUMERIC)
    task = make_task(columns, specs={"town": spec, "age": ages})
    found = generalised(task, [0, 0, 1, 1], 1, 1)
    assert found.ncp == pytest.approx((1 + 1 / 21) / 2)
    assert found.ncp_class == pytest.approx((2 / 4 + 1 / 21) / 2)


@pytest.mark.parametrize(("algorithm", "by_label", "by_class"), [("incognito", 0.373, 0.229)])
def test_ncp_of_the_thesis_by_label_and_by_class(algorithm, by_label, by_class) -> None:
    project = Project.load(find_sample("sbc-thesis").project)
    privacy = replace(project.privacy, k=2)
    result = anonymize(replace(project, privacy=privacy, algorithm=AlgorithmChoice(algorithm)))
    assert result.measures.ncp == pytest.approx(by_label, abs=5e-4)
    assert result.measures.ncp_class == pytest.approx(by_class, abs=5e-4)


def test_ncp_sbc_table_2_13() -> None:
    """Record sums 1.167, 1.167, 1.167, 3; total 6.5; normalised 6.5/12 = 0.5417."""
    task = make_task(
        {
            "age": [25, 35, 40, 65],
            "gender": ["Male", "Male", "Female", "Female"],
            "zip": ["2370", "2370", "2370", "5300"],
        },
        specs={"age": AttributeSpec(domain=(10, 100))},
    )
    measures = clustered(task, [0, 0, 0, -1])
    sums = [4 * found.ncp for found in measures.attributes.values()]
    assert sums == pytest.approx([3 * 15 / 90 + 1, 3 * 2 / 2 + 1, 0 + 1])
    assert sum(sums) == pytest.approx(6.5)
    assert (sum(sums) - 3) / 3 == pytest.approx(1.167, abs=5e-4)
    assert measures.ncp == pytest.approx(6.5 / 12)
    assert measures.ncp == pytest.approx(0.5417, abs=5e-5)
    assert measures.utility == pytest.approx(5.5 / 12)


def test_ncp_of_a_label_counts_the_values_it_covers() -> None:
    """Two cities of the Midwest print 'Midwest', which may be any of three of the five."""
    task = make_task({"city": list(CITIES)}, specs={"city": cities()})
    measures = clustered(task, [0, 1, 2, 3, 2])
    assert measures.ncp == pytest.approx(2 / 5 * 3 / 5)


def test_missing_alone_loses_nothing_missing_among_numbers_everything() -> None:
    task = make_task({"x": ["1", "9", "?", "?"]}, specs={"x": AttributeSpec(kind=Kind.NUMERIC)})
    assert clustered(task, [0, 0, 1, 1]).ncp == pytest.approx(0.5)
    assert clustered(task, [0, 1, 0, 1]).ncp == 1.0


def test_a_constant_number_loses_nothing_in_a_class() -> None:
    task = make_task({"x": [7, 7], "y": [1, 2]})
    measures = clustered(task, [0, 0])
    assert measures.attributes["x"].ncp == measures.attributes["x"].il == 0.0


def test_a_star_says_nothing_even_when_outliers_are_suppressed() -> None:
    """At the root `*` the published ages span 20-30 of a domain of 20-90: still lost in full."""
    spec = AttributeSpec(hierarchy={"builder": "intervals", "widths": [10]})
    task = make_task({"age": [20, 30, 90]}, specs={"age": spec})
    assert generalised(task, [0, 0, -1], 2).ncp == 1.0
    assert generalised(task, [0, 0, -1], 2).il == 3.0


# ---------------------------------------------------------------------------- research value
def morton_task() -> Task:
    """Groups of 25, 45 and 55 records that span 10, 15 and 25 values; rules keep 50 of 100."""
    groups = [(25, 0, 10), (45, 10, 15), (55, 25, 25)]
    ages = [low + i % span for count, low, span in groups for i in range(count)]
    levels = {
        str(low + i): [f"group {g}", "*"]
        for g, (_, low, span) in enumerate(groups)
        for i in range(span)
    }
    rules = RuleTable(10.0, (Boundary("9", "10", 40.0), Boundary("30", "31", 50.0)))
    return make_task(
        {"x": ages, "y": ["same"] * 125},
        specs={"x": AttributeSpec(weight=0.2, hierarchy={"levels": levels}, rules=rules)},
    )


def test_research_value_morton_worked_example() -> None:
    """w 0.2, groups 25, 45, 55 spanning 10, 15, 25, DR 50/100: 0.2 · 125/2300 · 0.5 = 0.00543."""
    task = morton_task()
    values = level_research_values(task.quasi[0])
    assert values.tolist() == pytest.approx([0.2, 0.2 * 125 / 2300 * 0.5, 0.0])
    assert values[1] == pytest.approx(0.00543, abs=5e-6)
    found = generalised(task, [0] * 125, 1, 0).attributes["x"]
    assert found.rv == pytest.approx(0.00543, abs=5e-6)
    assert found.mean_span == pytest.approx(2300 / 125)
    assert [rule.kept for rule in found.rules] == pytest.approx([1.0, 70 / 125])
    assert [rule.rule for rule in found.rules] == ["9 | 10", "30 | 31"]


def test_research_value_of_classes() -> None:
    """The same groups as classes: DR is now 1, 1 and 0.5, weighted by records."""
    measures = clustered(morton_task(), [0] * 25 + [1] * 45 + [2] * 55)
    wanted = 0.2 * 125 / 2300 * (25 + 45 + 55 * 0.5) / 125
    assert measures.attributes["x"].rv == pytest.approx(wanted)
    assert measures.attributes["y"].rv == pytest.approx(0.8)
    assert measures.rv == pytest.approx(wanted + 0.8)


def test_research_value_of_categories_counts_labels() -> None:
    """Five cities, three states or two regions: 3/5 and 2/5 of the weight."""
    task = make_task({"city": list(CITIES)}, specs={"city": cities()})
    assert level_research_values(task.quasi[0]).tolist() == pytest.approx([1.0, 0.6, 0.4, 0.0])


def test_a_suppressed_record_counts_in_the_research_value_of_levels() -> None:
    """One of six suppressed: numbers count it with the whole domain, categories with nothing."""
    numbers = make_task({"age": [1, 2, 3, 4, 5, 10]}, k=1)
    assert generalised(numbers, [0, 1, 2, 3, 4, -1], 0).rv == pytest.approx(6 / (5 + 10))
    assert generalised(numbers, [0, 1, 2, 3, 4, 5], 0).rv == pytest.approx(1.0)
    colours = make_task({"colour": list("rrggbb")}, k=1)
    assert generalised(colours, [0, 0, 1, 1, 2, -1], 0).rv == pytest.approx(5 / 6)


def test_research_values_typed_by_hand_stand_as_they_are() -> None:
    """Morton table 4: Race 0.95 / 0.72 / 0.58 / 0.10; a gap keeps the computed value."""
    spec = AttributeSpec(hierarchy={"levels": CITIES}, rv=(0.95, 0.72, 0.58, 0.10))
    task = make_task({"city": list(CITIES), "n": range(5)}, specs={"city": spec})
    assert level_research_values(task.quasi[0]).tolist() == [0.95, 0.72, 0.58, 0.10]
    spec = AttributeSpec(hierarchy={"levels": CITIES}, rv=(None, 0.72, None, 0.10))
    task = make_task({"city": list(CITIES), "n": range(5)}, specs={"city": spec})
    assert level_research_values(task.quasi[0]).tolist() == pytest.approx([0.5, 0.72, 0.2, 0.10])
    assert generalised(task, [0] * 5, 3, 0).attributes["city"].rv == 0.10


def test_level_breaks_a_rule_by_one_group() -> None:
    """Morton table 1 as a release: mixing Hispanic and Black only leaves DR 0.75."""
    apart = [("White", "Hispanic", 5), ("White", "Black", 20), ("Hispanic", "Black", 10)]
    apart.append(("Hispanic", "Asian", 5))
    rules = RuleTable(0.0, tuple(Apart((a,), (b,), float(w)) for a, b, w in apart))
    levels = {"White": ["White"], "Hispanic": ["H/B"], "Black": ["H/B"], "Asian": ["Asian"]}
    spec = AttributeSpec(hierarchy={"levels": levels}, rules=rules)
    task = make_task({"race": list(levels)}, specs={"race": spec})
    measures = generalised(task, [0] * 4, 1)
    assert measures.rv == pytest.approx(3 / 4 * 0.75)
    assert [rule.kept for rule in measures.attributes["race"].rules] == [1.0, 1.0, 0.5, 1.0]


def test_suppressed_cells_count_the_domain_and_break_no_rule() -> None:
    """Of 1, 2 | 9 the 9 is hidden: spans 2, 2, 9; the boundary 5 | 6 is kept."""
    rules = RuleTable(0.0, (Boundary("5", "6", 1.0),))
    task = make_task({"x": [1, 2, 9]}, specs={"x": AttributeSpec(rules=rules)})
    measures = clustered(task, [0, 0, 0], [[0], [0], [1]])
    found = measures.attributes["x"]
    assert found.mean_span == pytest.approx((2 + 2 + 9) / 3)
    assert found.rv == pytest.approx(3 / 13)
    assert found.rules[0].kept == 1.0
    assert found.ncp == pytest.approx((1 / 8 + 1 / 8 + 1) / 3)
    assert measures.suppressed_cells == 1


# -------------------------------------------------------------------------- information loss
@pytest.mark.parametrize(
    ("pair", "distance"),
    [(("India", "USA"), 3 / 3), (("India", "Iran"), 2 / 3), (("India", "Japan"), 1 / 3)],
)
def test_il_byun_country_tree(pair: tuple[str, str], distance: float) -> None:
    """Byun: d(India, USA) = 3/3, d(India, Iran) = 2/3; the flat occupation always 1."""
    spec = AttributeSpec(hierarchy={"levels": COUNTRIES})
    task = make_task(
        {"country": list(COUNTRIES), "occupation": list("abcdefgh")}, specs={"country": spec}
    )
    labels = [0 if country in pair else 1 + i for i, country in enumerate(COUNTRIES)]
    measures = clustered(task, labels)
    assert measures.attributes["country"].il == pytest.approx(2 * distance)
    assert measures.attributes["occupation"].il == 2.0
    assert measures.il == pytest.approx(2 * (distance + 1))


def test_il_adds_the_number_of_quasi_identifiers_per_suppressed_record() -> None:
    task = make_task({"x": [0, 5, 10, 3], "job": ["a", "a", "b", "b"]})
    assert clustered(task, [0, 0, -1, -1]).il == pytest.approx(2 * 5 / 10 + 2 * 2)


# ----------------------------------------------------------------------------------- the rest
def test_sizes_changes_and_majorities() -> None:
    task = make_task(
        {"x": [1, 1, 2, 3, 4], "ill": ["flu", "flu", "flu", "cold", "flu"]},
        specs={"ill": AttributeSpec(role=Role.SENSITIVE)},
    )
    measures = clustered(task, [0, 0, 1, 1, -1])
    assert measures.dm == 2**2 + 2**2 + 5 * 1
    assert measures.cm == pytest.approx((1 + 1) / 5)
    assert measures.c_avg == pytest.approx(5 / 2 / 2)
    assert measures.md == 3
    assert measures.iloss == pytest.approx((0 + 0 + 1 / 4 + 1 / 4 + 3 / 4) / 5)
    assert (measures.classes, measures.smallest_class, measures.largest_class) == (2, 2, 2)
    assert measures.precision is None


def test_precision() -> None:
    spec = AttributeSpec(hierarchy={"builder": "intervals", "widths": [2]})
    task = make_task({"city": list(CITIES), "n": range(5)}, specs={"city": cities(), "n": spec})
    assert generalised(task, [0] * 5, 1, 2).precision == pytest.approx(1 - (1 / 3 + 2 / 2) / 2)
    assert generalised(task, [0] * 5, 0, 0).precision == 1.0


def test_starred_records_are_one_more_published_row_unless_a_class_looks_the_same() -> None:
    output = Output(suppressed="star")
    task = make_task({"x": [1, 2, 3, 4]}, output=output)
    assert clustered(task, [0, 0, 0, -1]).distinct_published == 2
    assert clustered(task, [0, 0, 0, 0]).distinct_published == 1
    hidden = clustered(task, [0, 0, -1, -1], [[1], [1], [0], [0]])
    assert (hidden.classes, hidden.distinct_published) == (1, 1)


def test_no_sensitive_attribute() -> None:
    measures = clustered(make_task({"x": [1, 2]}), [0, 0])
    assert measures.cm is None
    assert measures.privacy.figures["l_distinct"] == measures.privacy.figures["t"] == {}


def test_nothing_published() -> None:
    task = make_task(
        {"x": [1, 2], "ill": ["a", "b"]}, specs={"ill": AttributeSpec(role=Role.SENSITIVE)}
    )
    measures = clustered(task, [-1, -1])
    assert (measures.ncp, measures.rv, measures.il, measures.cm) == (1.0, 0.0, 2.0, 1.0)
    assert (measures.classes, measures.privacy.k, measures.privacy.risk_max) == (0, 0, 0.0)


def test_level_measures() -> None:
    """Ages 20, 21, 30 in decades: two labels, the rarer with one record."""
    spec = AttributeSpec(hierarchy={"builder": "intervals", "widths": [10]})
    task = make_task({"age": [20, 21, 30]}, specs={"age": spec})
    levels = level_measures(task.quasi[0], k=2, allowed_suppressed=0)
    assert levels == (
        LevelMeasures(0, 3, 1, False, 1.0, 0.0),
        LevelMeasures(1, 2, 1, False, pytest.approx(3 / 5), pytest.approx(2 / 30)),
        LevelMeasures(2, 1, 3, True, 0.0, 1.0),
    )
    allowed = level_measures(task.quasi[0], k=2, allowed_suppressed=1)
    assert [level.passes for level in allowed] == [False, True, True]
    person = as_table(pl.DataFrame({"who": [*"aab"]})).column("who", Kind.CATEGORICAL)
    in_people = level_measures(task.quasi[0], 2, 0, person)  # 20 and 21 are of one person
    assert [(level.smallest, level.passes) for level in in_people] == [
        (1, False), (1, False), (2, True)
    ]  # fmt: skip


def cities() -> AttributeSpec:
    return AttributeSpec(hierarchy={"levels": CITIES})
