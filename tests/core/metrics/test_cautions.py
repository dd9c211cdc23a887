"""What must be said of a release that verifies, first of all about its published columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl

from kanon_tui.core.metrics.cautions import ALL_COLUMNS, Severity
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.pipeline.stream import stream
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.release.all_columns import AtRisk
from kanon_tui.core.report.formats import report_bytes
from kanon_tui.core.report.notebook import notebook_html
from tests.police_stops import police_stops, stops_project

K = 5


def risk_by_counting(table: pl.DataFrame, columns: list[str], k: int = K) -> AtRisk:
    """Count the unique rows and those below k one by one."""
    rows = Counter(table.select(columns).rows())
    unique = sum(records for records in rows.values() if records == 1)
    below = sum(records for records in rows.values() if records < k)
    return AtRisk(unique, below)


def small_project(k: int = 2, **roles: str) -> Project:
    mapping = {
        "data": {"path": "-"},
        "attributes": {name: {"role": role} for name, role in roles.items()},
        "privacy": {"k": k},
        "algorithm": {"name": "mondrian"},
    }
    return project_from_mapping(mapping)


def test_records_are_counted_by_all_published_columns() -> None:
    result = anonymize(stops_project(), police_stops())
    counted = result.release.all_columns
    published = [name for name in result.table.columns if name != "idNum"]
    assert counted.but_sensitive == risk_by_counting(result.table, published)
    assert counted.but_sensitive.unique > 100
    assert counted.total == 600
    (caution,) = result.cautions
    assert caution.about == ALL_COLUMNS
    assert caution.severity is Severity.WARNING
    assert caution.columns == ("problem", "long", "policePrecinct", "neighborhood")
    unique = counted.but_sensitive.unique
    below = counted.but_sensitive.below_k
    assert caution.sentence == (
        f"k covers 3 of 7 published columns; by all of them {unique:,} of 600 records are unique "
        f"({below:,} below k)"
    )
    assert result.is_amber
    assert result.notes[0] == caution.sentence


def test_each_column_contributes_what_leaving_it_out_spares() -> None:
    result = anonymize(stops_project(), police_stops())
    unique = result.release.all_columns.but_sensitive.unique
    contributions = result.release.contributions()
    assert [each.spared for each in contributions] == sorted(
        (each.spared for each in contributions), reverse=True
    )
    for each in contributions:
        others = [name for name in result.table.columns if name != each.name]
        assert each.left == risk_by_counting(result.table, others)
        assert each.spared == unique - each.left.unique
        assert each.left == result.release.risk_without([each.name])
        covered = ["race", "gender", "lat"]
        assert each.alone == risk_by_counting(result.table, [*covered, each.name]).unique
    assert contributions[0].spared > 0


def test_the_same_is_counted_beyond_memory(tmp_path: Path) -> None:
    police_stops().write_csv(tmp_path / "stops.csv")
    project = stops_project(str(tmp_path / "stops.csv"))
    in_memory = anonymize(project)
    streamed = stream(project, tmp_path / "release.csv")
    assert streamed.cautions == in_memory.cautions
    assert streamed.release.all_columns == in_memory.release.all_columns
    assert streamed.release.contributions() == in_memory.release.contributions()


def test_a_sensitive_column_does_not_make_a_release_amber() -> None:
    table = pl.DataFrame({"age": ["20", "20", "30", "30"], "ill": ["flu", "HIV", "flu", "gout"]})
    result = anonymize(small_project(age="quasi", ill="sensitive"), table)
    assert result.cautions == ()
    assert not result.is_amber
    assert result.report["published"] == {
        "columns": 2,
        "covered": 1,
        "counted": "records",
        "unique_records": 4,
        "below_k_records": 4,
        "but_sensitive": {"unique_records": 0, "below_k_records": 0},
    }


def test_groups_below_k_without_a_unique_record_are_a_note() -> None:
    table = pl.DataFrame({"age": ["20"] * 4, "town": ["a", "a", "b", "b"]})
    result = anonymize(small_project(3, age="quasi", town="other"), table)
    (caution,) = result.cautions
    assert caution.severity is Severity.NOTE
    assert not result.is_amber
    assert "0 of 4 records are unique (4 below k)" in caution.sentence
    assert caution.sentence in result.notes
    result.refuse_severe_cautions()


def test_people_are_counted_where_some_have_several_records() -> None:
    table = pl.DataFrame(
        {
            "who": ["a", "a", "b", "b", "c", "c"],
            "age": ["20"] * 6,
            "town": ["x", "x", "y", "y", "y", "z"],
        }
    )
    result = anonymize(small_project(who="person", age="quasi", town="other"), table)
    (caution,) = result.cautions
    assert "2 of 3 people are unique" in caution.sentence  # a by x, although twice; c by z
    assert result.report["published"]["counted"] == "people"


def test_suppressed_records_are_not_counted() -> None:
    table = pl.DataFrame({"sex": ["m"] * 9 + ["f"], "town": ["a"] * 9 + ["b"]})
    project = small_project(sex="quasi", town="other").with_(max_suppression=0.2)
    result = anonymize(project.with_(algorithm="global"), table)
    assert result.measures.suppressed_records == 1
    assert result.cautions == ()
    assert result.release.all_columns.total == 9


def test_reports_say_it_first(tmp_path: Path) -> None:
    result = anonymize(stops_project(), police_stops())
    (sentence,) = (caution.sentence for caution in result.cautions)
    assert result.report["cautions"][0]["sentence"] == sentence
    assert result.report["cautions"][0]["severity"] == "warning"
    for public in (False, True):
        text = report_bytes(result, tmp_path / "r.md", public=public).decode()
        summary = text.split("## ")[1]
        assert sentence in summary
    assert sentence in report_bytes(result, tmp_path / "r.html", public=True).decode()
    assert sentence in notebook_html(result)
