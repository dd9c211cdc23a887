"""The papers' own tables: every bundled sample runs, verifies, and prints what the paper prints."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.local_search import LocalSearch
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, start
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec
from kanon_tui.core.project.samples import find_sample, list_samples
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.table import Table
from tests.helpers import make_task

SAMPLES = [sample.name for sample in list_samples()]
REPORT_FIELDS = {
    "version", "algorithm", "params", "k", "seed", "seconds", "phases", "versions", "records",
    "dropped_missing", "suppressed_records", "suppressed_cells", "classes", "distinct_published",
    "smallest_class", "largest_class", "metrics", "attributes", "privacy", "search",
}  # fmt: skip
METRICS = {
    "ncp", "ncp_class", "utility", "rv", "il", "dm", "cm", "c_avg", "md", "iloss", "precision",
}  # fmt: skip
PRIVACY = {
    "k", "l_distinct", "l_entropy", "t", "p", "alpha", "risk_max", "risk_mean", "violations",
}  # fmt: skip


RACES = {"White": "White", "Black": "Other", "Hispanic": "Other", "Asian": "Other"}


def project(name: str) -> kn.Project:
    return kn.Project.load(find_sample(name).project)


def release(name: str) -> Result:
    return kn.anonymize(project(name))


def groups(result: Result) -> set[frozenset[int]]:
    """The published classes as sets of record numbers, counted from 1."""
    classes = result.release.classes
    return {
        frozenset((np.flatnonzero(classes == c) + 1).tolist()) for c in range(classes.max() + 1)
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_gives_a_verified_release_with_a_whole_report(name: str) -> None:
    result = release(name)
    quasi = [attribute.name for attribute in result.task.quasi]
    assert smallest_class(result.table, quasi) >= result.task.k
    report = json.loads(json.dumps(result.report))
    assert set(report) >= REPORT_FIELDS
    assert set(report["metrics"]) == METRICS
    assert set(report["privacy"]) >= PRIVACY
    assert set(report["attributes"]) == set(quasi)


@pytest.mark.parametrize(
    "name",
    [
        "patients",
        "locations",
        "locations-free",
        "linking",
        "linking-anna",
        "datafly",
        "incognito",
        "mondrian",
        "mondrian-single",
        "recoding",
        "ncp",
    ],
)
def test_release_is_the_papers_published_table(name: str) -> None:
    expected = pl.read_csv(find_sample(name).project.parent / "expected.csv", infer_schema=False)
    assert release(name).release.in_file_order.equals(expected)


def test_ward_two_diagnoses_per_class_join_the_age_bands() -> None:
    """Our own example: with k alone the thirties all show flu; with l = 2 two bands are left."""
    asked = project("ward")
    result = kn.anonymize(asked)
    assert result.table["age"].unique(maintain_order=True).to_list() == ["<60", ">=60"]
    assert result.report["privacy"]["required"][0]["reached"] == 3
    k_alone = kn.anonymize(replace(asked, privacy=replace(asked.privacy, requirements=())))
    shown = k_alone.table.filter(pl.col("age") == "<40")["diagnosis"]
    assert shown.to_list() == ["flu", "flu", "flu"]


def test_byun_figure_2_letter_by_letter_with_a_full_domain_algorithm() -> None:
    sample = project("patients")
    result = kn.anonymize(replace(sample, algorithm=AlgorithmChoice("incognito")))
    expected = sample.folder / "expected-full-domain.csv"
    assert result.release.in_file_order.equals(pl.read_csv(expected, infer_schema=False))


def test_byun_figure_2_groups_of_k_member() -> None:
    result = release("patients")
    assert groups(result) == {frozenset({1, 3, 4}), frozenset({2, 5, 6})}
    assert result.measures.il == pytest.approx(11.0)


def test_sbc_tables_2_7_to_2_9_datafly() -> None:
    """Birth dates end as years, T7 and T8 are suppressed, ten rows remain (pp. 40-42)."""
    result = release("datafly")
    assert result.grouping.levels == (2, 0, 0, 0)
    assert (np.flatnonzero(result.release.suppressed) + 1).tolist() == [7, 8]
    assert result.table.height == 10


def test_sbc_table_2_10_incognito() -> None:
    """⟨birth 1, gender 1, zip 0⟩ (p. 46)."""
    assert release("incognito").report["search"]["answer"] == {"birth": 1, "gender": 1, "zip": 0}


def test_sbc_figure_2_9_b_mondrian_cuts() -> None:
    """Zip is cut between 23111 and 23112, then age between 36 and 37 (p. 49)."""
    run = start(project("mondrian"))
    run.context.decisions_per_step = 1
    cuts = [step.sentence for step in run if step.kind == "cut"]
    assert "by zip" in cuts[0]
    assert "between 23111 and 23112" in cuts[0]
    assert "by age" in cuts[1]
    assert "between 36 and 37" in cuts[1]
    assert len(cuts) == 2


def test_sbc_table_2_13_ncp() -> None:
    """Record sums 1.167 three times and 3 for the suppressed one: 6.5 of 12 (p. 54)."""
    result = release("ncp")
    assert (np.flatnonzero(result.release.suppressed) + 1).tolist() == [4]
    assert result.measures.ncp == pytest.approx(6.5 / 12, abs=1e-12)
    sums = sum(a.ncp for a in result.measures.attributes.values()) * 4
    assert sums == pytest.approx(3 * (15 / 90 + 1) + 3)


def test_cka_figures_3_and_4_b_locations() -> None:
    result = release("locations")
    assert groups(result) == {frozenset({1, 2}), frozenset({3, 4, 7}), frozenset({5, 6})}
    assert result.measures.suppressed_records == 0
    assert result.measures.privacy.violations == 0
    assert set(result.table["location"]) == {"California", "Kansas", "Lincoln"}


def test_cka_figure_4_a_three_locations_beyond_their_limit() -> None:
    result = release("locations-free")
    assert groups(result) == {frozenset({1, 2}), frozenset({3, 4, 5}), frozenset({6, 7})}
    assert result.measures.privacy.violations == 3


def test_morton_table_4_levels_of_race_with_their_values() -> None:
    """W, B, L, A, O → W, B, L, O → W, B, O → W, O: .95, .72, .58, .10 (the root is worth 0)."""
    race = next(a for a in prepare(project("race-rules")).quasi if a.name == "race")
    labels = [sorted(labels) for labels in race.hierarchy.labels]
    assert labels == [
        ["Asian", "Black", "Hispanic", "Other", "White"],
        ["Black", "Hispanic", "Other", "White"],
        ["Black", "Other", "White"],
        ["Other", "White"],
        ["any"],
    ]
    assert level_research_values(race).tolist() == [0.95, 0.72, 0.58, 0.10, 0.0]
    assert release("race-rules").report["search"]["answer"]["race"] == 2


def test_morton_table_1_a_level_that_mixes_hispanic_and_black_keeps_three_quarters() -> None:
    race = next(a for a in prepare(project("race-mix")).quasi if a.name == "race")
    assert race.rules.of_level(race.hierarchy.maps[1]) == pytest.approx(30 / 40)


def test_sbc_table_2_3_global_recoding() -> None:
    sample = project("recoding")
    result = kn.anonymize(replace(sample, algorithm=AlgorithmChoice("incognito")))
    expected = pl.read_csv(sample.folder / "expected-global.csv", infer_schema=False)
    assert result.release.in_file_order.equals(expected)


def test_sbc_table_2_5_local_recoding() -> None:
    """Four of eleven (A, Y) leave with the one (A, X), four (B, Y) with one (B, X) (p. 33)."""
    limits = find_sample("recoding").project.with_name("limits.yaml")
    made = kn.anonymize(kn.Project.load(limits)).table
    assert set(made.group_by("att1", "att2").len().rows()) == {
        ("A", "(X, Y)", 5), ("A", "Y", 7), ("B", "X", 6), ("B", "(X, Y)", 5), ("B", "Z", 5),
        ("C", "X", 20), ("C", "Y", 35), ("D", "Y", 21),
    }  # fmt: skip


def test_sbc_figure_4_1_ages_genders_and_countries() -> None:
    """Ages 17 to 90, two genders, 39 countries (p. 76)."""
    frame = project("sbc-thesis").read_data().frame
    ages = frame["age"].cast(pl.Int64)
    assert (ages.min(), ages.max()) == (17, 90)
    assert (frame["sex"].n_unique(), frame["native-country"].n_unique()) == (2, 39)


def test_sbc_table_4_1_mondrian_without_hierarchies_as_spec_simulated_it() -> None:
    """Parts of the lower median, categories in the order of the toolbox: 207-212, 42-44, 35-36."""
    sample = project("sbc-thesis")
    ranges = {2: (207, 212), 50: (42, 44), 100: (35, 36)}
    for k, (low, high) in ranges.items():
        choice = AlgorithmChoice("mondrian", {"cut": "median"})
        asked = replace(sample, algorithm=choice, privacy=replace(sample.privacy, k=k))
        assert low <= kn.anonymize(asked).report["search"]["clusters"] <= high


def test_morton_figure_3_pre_pruning() -> None:
    """Levels that fail alone are dropped before any string is tested."""
    result = release("pre-pruning")
    assert result.report["search"]["levels_dropped"] == {"badge": 1, "age": 2}
    assert result.report["search"]["answer"] == {"badge": 1, "age": 2, "sex": 0}


def test_sbc_table_3_1_first_class() -> None:
    """From T1 (Male, Japan): the nearest two are T3 and T19 (pp. 64-70)."""
    assert frozenset({1, 3, 19}) in groups(release("similarity"))


def test_sd_table_3_first_class() -> None:
    assert frozenset({1, 13, 17}) in groups(release("spatial-distance"))


def test_adult_is_the_benchmark_everybody_uses() -> None:
    """30,162 complete records; Morton's buckets: 1,330 with a gain of 7298 or more."""
    table = prepare(project("adult")).table
    assert table.height == 30_162
    assert sum(table.missing_cells().values()) == 0
    gain = table.frame["capital-gain"].cast(pl.Int64)
    age = table.frame["age"].cast(pl.Int64)
    assert (gain >= 7298).sum() == 1330
    assert ((gain < 7298) & (age < 28)).sum() == 7162


def test_morton_figure_15_bucket_3_and_table_13_bucket_1() -> None:
    """5,691 people with a coin toss of 50.3 %; 1,387 with a gain of 6001 or more, 95.5 %."""
    frame = project("adult").read_data().frame
    gain = frame["capital-gain"].cast(pl.Int64)
    education = frame["education-num"].cast(pl.Int64)
    earns_more = frame["salary"] == ">50K"
    toss = (gain < 7298) & (frame["age"].cast(pl.Int64) >= 28) & (education >= 13)
    assert toss.sum() == 5691
    assert (toss & earns_more).sum() / toss.sum() == pytest.approx(0.503, abs=5e-4)
    gains = gain >= 6001
    assert gains.sum() == 1387
    assert (gains & earns_more).sum() / gains.sum() == pytest.approx(0.955, abs=5e-4)


def test_sbc_appendix_7_2_as_a_project_and_as_a_configuration() -> None:
    """Both make one release; all of Tokai-Chubu (A15 to A24) is in the first half of the tree."""
    made = release("provider")
    folder = find_sample("provider").project.parent
    read = kn.anonymize(kn.Project.load(folder / "toolbox.xml"))
    assert (made.task.k, made.algorithm.name) == (read.task.k, read.algorithm.name)
    assert read.table.rename({"column_4": "charge"}).equals(made.table)
    location = next(a for a in made.task.quasi if a.name == "location").hierarchy
    halves = dict(zip(location.column.values, location.maps[2], strict=True))
    assert len({halves[f"A{code}"] for code in range(15, 25)}) == 1
    assert halves["A24"] != halves["A25"]


def test_sbc_appendix_7_3_has_tokai_chubu_below_two_parents() -> None:
    provinces = [
        ["A20", "Nagano", "Tokai-Chubu", "East-Japan", "Japan"],
        ["A21", "Gifu", "Tokai-Chubu", "West-Japan", "Japan"],
    ]
    with pytest.raises(kn.InputError, match=r"Tokai-Chubu.*(East|West)-Japan"):
        Hierarchy.from_rows(provinces, "appendix 7.3")


def test_sbc_table_2_4_is_not_what_mondrian_makes() -> None:
    """Mondrian keeps X and Y apart and joins A with B: another 5-anonymous table (p. 31)."""
    sample = project("recoding")
    made = kn.anonymize(replace(sample, algorithm=AlgorithmChoice("mondrian"))).table
    counts = made.group_by("att1", "att2").len().rows()
    assert set(counts) == {
        ("{A|B}", "X", 8), ("{A|B}", "Y", 15), ("B", "Z", 5),
        ("C", "X", 20), ("C", "Y", 35), ("D", "Y", 21),
    }  # fmt: skip


def test_sbc_table_2_1_missing_values() -> None:
    """The sex of 322 and the marital status of 324 are not known; -?- is a token of the data."""
    columns = {
        "id": ["321", "322", "323", "324"],
        "sex": ["Male", "-?-", "Female", "Male"],
        "marital status": ["Married", "Divorced", "Married", "-?-"],
    }
    table = Table(pl.DataFrame(columns), missing_tokens=("-?-",))
    assert table.missing_cells() == {"id": 0, "sex": 1, "marital status": 1}


def test_morton_global_keeps_more_and_local_balances() -> None:
    """Race and zip: global takes A1_2 A2_0 with RV .90, local A1_1 A2_1 with RV .50.

    The thesis prints the strings and the sums; records and the values of the levels are ours.
    """
    race = {value: [value, group, "any"] for value, group in RACES.items()}
    race["Asian"][0] = "Other"
    zips = {code: [code[:3], "any"] for code in ("46201", "46202", "47301", "47302")}
    records = [(value, code) for value in ("White", "Black", "Hispanic", "Asian") for code in zips]
    records += [("White", code) for code in zips]
    task = make_task(
        {"race": [r for r, _ in records], "zip": [z for _, z in records]},
        2,
        {
            "race": AttributeSpec(hierarchy={"levels": race}, rv=(0.45, 0.4, 0.3, 0.0)),
            "zip": AttributeSpec(hierarchy={"levels": zips}, rv=(0.6, 0.1, 0.0)),
        },
    )
    found = {}
    for algorithm in (GlobalSearch(), LocalSearch()):
        grouping = Run(task, algorithm).finish()
        assert grouping is not None
        worth = measure(recode(task, grouping)).rv
        found[algorithm.name] = (grouping.levels, round(worth, 9))
    assert found == {"global": ((2, 0), 0.9), "local": ((1, 1), 0.5)}


def toolbox_numbers(attribute: str) -> dict[str, int]:
    """Return the numbers that the toolbox gives to categories, as appendix 7.1 lists them."""
    document = ElementTree.parse(find_sample("sbc-thesis").project.parent / "toolbox.xml")
    entries = document.findall(f".//att[@name='{attribute}']/map/entry")
    return {entry.attrib["cat"]: int(entry.attrib["int"]) for entry in entries}


def toolbox_parts(
    records: list[tuple[int, ...]], k: int, ranges: tuple[tuple[int, int], ...]
) -> int:
    """Return how many parts remain where a part is as wide as the interval between its cuts."""
    parts = 0
    waiting = [(records, ranges)]
    while waiting:
        part, intervals = waiting.pop()
        widths = [
            (high - low) / (highest - lowest)
            for (low, high), (lowest, highest) in zip(intervals, ranges, strict=True)
        ]
        for axis in sorted(range(len(ranges)), key=lambda axis: -widths[axis]):
            median = sorted(record[axis] for record in part)[(len(part) - 1) // 2]
            lower = [record for record in part if record[axis] <= median]
            upper = [record for record in part if record[axis] > median]
            if min(len(lower), len(upper)) >= k:
                below = (intervals[axis][0], median)
                above = (median, intervals[axis][1])
                for side, interval in ((lower, below), (upper, above)):
                    waiting.append((side, (*intervals[:axis], interval, *intervals[axis + 1 :])))
                break
        else:
            parts += 1
    return parts


def test_sbc_tables_4_1_and_4_2_mondrian_with_the_intervals_of_the_toolbox() -> None:
    """209 / 42 / 35: widths are those of intervals in the ranges [0:100), [0:1] and [0:41]."""
    sexes = toolbox_numbers("sex")
    countries = toolbox_numbers("native-country")
    frame = project("sbc-thesis").read_data().frame
    records = [
        (int(age), sexes[sex], countries[country])
        for age, sex, country in frame.select("age", "sex", "native-country").rows()
    ]
    ranges = ((0, 100), (0, 1), (0, 41))
    assert [toolbox_parts(records, k, ranges) for k in (2, 50, 100)] == [209, 42, 35]
