"""Coded ends from a project file to reports, readers, mappings and streams."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.analysis.applying.apply import apply_mapping
from kanon_tui.core.analysis.applying.mapping_file import mapping_text, read_mapping
from kanon_tui.core.analysis.published_cells import cell_readers
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.table.table import as_table
from tests.core.pipeline.compared import check_same

TYPED = {
    **{str(age): ["young", "all"] for age in range(10, 60)},
    **{str(age): ["old" if age < 80 else "oldest", "all"] for age in range(60, 100)},
}


def records(n: int = 300, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": [str(age) for age in rng.integers(10, 98, n)],
            "town": rng.choice(["Rome", "Oslo"], n).tolist(),
            "ill": rng.choice(["flu", "cold"], n).tolist(),
        }
    )


def project(algorithm: str = "mondrian", path: str = "t.csv", **age: Any) -> Project:
    ages = {"role": "quasi", "kind": "numeric", "top": 80, "bottom": 18, **age}
    return project_from_mapping(
        {
            "data": {"path": path},
            "attributes": {
                "age": ages, "town": {"role": "quasi", "kind": "categorical"},
                "ill": {"role": "sensitive", "kind": "categorical"},
            },
            "privacy": {"k": 3},
            "algorithm": {"name": algorithm},
        }
    )  # fmt: skip


def labels(made: Project) -> list[tuple[str, ...]]:
    return list(prepare(made, as_table(records())).quasi[0].hierarchy.labels)


# --- hierarchies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hierarchy", "level", "first", "last"),
    [
        ({"builder": "intervals", "widths": [5, 30]}, 1, "<20", ">=80"),
        ({"builder": "intervals", "widths": [5, 30]}, 2, "<30", ">=60"),
        ({"builder": "breaks", "levels": [[30, 75, 90]]}, 1, "<30", ">=75"),
        ({"builder": "quantiles", "bins": [2]}, 1, "<=", ">="),
    ],
)
def test_built_intervals_are_open_where_they_hold_a_bound(
    hierarchy: dict[str, Any], level: int, first: str, last: str
) -> None:
    found = labels(project(hierarchy=hierarchy))[level]
    assert found[0].startswith(first)
    assert found[-1].startswith(last)


def test_a_typed_label_is_that_of_all_values_beyond_the_bound_or_the_value_itself() -> None:
    found = prepare(project(hierarchy={"levels": TYPED}), as_table(records())).quasi[0].hierarchy
    assert found.paths[0] == ("<=18", "young", "all")
    assert found.paths[-1] == (">=80", "oldest", "all")
    lower = prepare(project(hierarchy={"levels": TYPED}, top=70), as_table(records()))
    assert lower.quasi[0].hierarchy.paths[-1] == (">=70", ">=70", "all")


# --- figures --------------------------------------------------------------------------------------


def test_a_coded_value_alone_counts_all_that_it_hides() -> None:
    """With k = 1 nothing is generalised: the loss is that of the coding, by hand."""
    frame = pl.DataFrame({"age": ["10", "20", "80", "90", "100"]})
    made = project_from_mapping(
        {
            "data": {"path": "t.csv"},
            "attributes": {"age": {"role": "quasi", "kind": "numeric", "top": 80}},
            "privacy": {"k": 1}, "algorithm": {"name": "global", "params": {"levels": "age=0"}},
        }
    )  # fmt: skip
    result = anonymize(made, frame)
    assert result.table["age"].to_list() == ["10", "20", ">=80", ">=80", ">=80"]
    assert result.measures.ncp == pytest.approx(3 * (100 - 80) / 90 / 5)
    assert result.measures.attributes["age"].mean_span == pytest.approx((1 + 1 + 3 * 21) / 5)
    assert result.measures.iloss == pytest.approx(3 * 2 / 5 / 5)
    assert result.measures.md == 3
    assert "3 records as >=80" in json.dumps(result.report)


def test_a_rule_whose_boundary_is_hidden_is_broken() -> None:
    rules = {"keep": [{"boundary": [84, 85], "importance": 1}]}
    hidden = prepare(project(rules=rules), as_table(records())).quasi[0]
    assert hidden.rules.of_level(hidden.hierarchy.maps[0]) == 0.0
    shown = prepare(project(rules=rules, top=85), as_table(records())).quasi[0]
    assert shown.rules.of_level(shown.hierarchy.maps[0]) == 1.0


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"role": "sensitive"}, "age: top is for quasi-identifiers, this one is sensitive"),
        ({"kind": "categorical"}, "age: top is for numbers and dates, this one is categorical"),
        ({"domain": [0, 120], "top": 130}, r"top 130 lies outside its domain \[0, 120\]"),
        ({"domain": [0, 90]}, "leaves out values of the data; widen it"),
    ],
)
def test_what_cannot_be_coded_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        prepare(project(**changed), as_table(records()))


# --- reading back, applying, streaming ------------------------------------------------------------


@pytest.mark.parametrize("name", ["mondrian", "k-member", "incognito", "datafly"])
def test_published_cells_are_read_back_as_what_they_hide(name: str) -> None:
    made = project(name)
    result = anonymize(made, records())
    reader = cell_readers(made, result.task, ["age"])["age"]
    cells = sorted(result.table["age"].unique())
    shown = reader.read(cells).covers(["97", "150", "10"])
    upper = [cell for x, cell in enumerate(cells) if shown[0, x]]
    assert upper
    assert all(cell.startswith(">=") or cell == "*" for cell in upper)
    assert (shown[0] == shown[1]).all()
    assert reader.column.values[-1] == "97"  # utility compares with the original


@pytest.mark.parametrize("name", ["mondrian", "incognito", "datafly", "k-member"])
@pytest.mark.parametrize(
    "hierarchy", [None, {"builder": "quantiles", "bins": [4]}, {"levels": TYPED}]
)
def test_a_mapping_carries_the_coding(name: str, hierarchy: Any, tmp_path: Path) -> None:
    result = anonymize(project(name, hierarchy=hierarchy), records())
    file = tmp_path / "mapping.json"
    file.write_text(mapping_text(result))
    rule = json.loads(file.read_text())["attributes"]["age"]
    assert (rule["top"], rule["bottom"]) == ("80", "18")
    again = apply_mapping(read_mapping(file), as_table(records()))
    if result.grouping.levels is not None:
        assert Counter(again.result.table.rows()) == Counter(result.table.rows())
    older = records(seed=2).with_columns(age=pl.lit("130"))
    found = apply_mapping(read_mapping(file), as_table(older))
    assert found.uncovered_records == 0
    assert all(c.startswith(">=") or c in ("*", "oldest", "all") for c in found.result.table["age"])


@pytest.mark.parametrize("name", ["mondrian", "global", "datafly"])
def test_a_stream_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    records().write_csv(tmp_path / "t.csv")
    assert check_same(project(name, str(tmp_path / "t.csv")), tmp_path) == ""


@pytest.mark.parametrize("name", ["mondrian", "global"])
def test_why_names_the_cell_of_the_file_and_the_coding(name: str) -> None:
    result = anonymize(project(name), records())
    reasons = explainer(result)
    ages = records()["age"].to_list()
    alone = next(x for x, age in enumerate(ages) if reasons.published(x, 0) == ">=80")
    why = reasons.of_record(alone, 0)
    assert why.question == f"Why is age {ages[alone]} published as >=80?"
    assert why.because == "all values that are >=80 are published as one"
