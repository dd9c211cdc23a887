"""The papers' own tables: every bundled sample runs, verifies, and prints what the paper prints."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.project.samples import find_sample, list_samples
from kanon_tui.core.run.prepare import prepare
from kanon_tui.core.run.result import Result, start

SAMPLES = [sample.name for sample in list_samples()]
REPORT_FIELDS = {
    "version", "algorithm", "params", "k", "seed", "seconds", "versions", "records",
    "dropped_missing", "suppressed_records", "suppressed_cells", "classes", "distinct_published",
    "smallest_class", "largest_class", "metrics", "attributes", "privacy", "search",
}  # fmt: skip
METRICS = {"ncp", "utility", "rv", "il", "dm", "cm", "c_avg", "md", "iloss", "precision"}
PRIVACY = {
    "k", "l_distinct", "l_entropy", "t", "p", "alpha", "risk_max", "risk_mean", "violations",
}  # fmt: skip


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
    ["patients", "locations", "linking", "linking-anna", "datafly", "incognito", "mondrian", "ncp"],
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
    cuts = [step.facts for step in run if step.kind == "cut"]
    assert [(c["attribute"], c["below"], c["above"]) for c in cuts] == [
        ("zip", "23111", "23112"),
        ("age", "36", "37"),
    ]


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


def test_morton_tables_1_and_4_race_rules() -> None:
    """The level that mixes Hispanic and Black only keeps 30/40; typed values stand as typed."""
    race = next(a for a in prepare(project("race-rules")).quasi if a.name == "race")
    assert race.rules.of_level(race.hierarchy.maps[1]) == pytest.approx(0.75)
    assert level_research_values(race).tolist() == [0.95, 0.72, 0.58, 0.10, 0.0]


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
