"""What a notebook shows of a result, and what it must not."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import kanon_tui as kn
from tests.paths import SAMPLES


@pytest.fixture(scope="module")
def shown() -> tuple[kn.Result, str]:
    result = kn.anonymize(kn.Project.load(SAMPLES / "census" / "project.yaml"))
    return result, result._repr_html_()


def test_figures_records_and_class_sizes_are_there(shown: tuple[kn.Result, str]) -> None:
    result, html = shown
    assert f'<td class="figure">{result.measures.classes:,}</td>' in html
    assert html.count("→") == 5
    sizes = html[html.index("Records in a class") :]
    rows = re.findall(r"<tr><td[^>]*>[^<]*</td><td[^>]*>([\d,]+)</td>", sizes)
    assert sum(int(number.replace(",", "")) for number in rows) == result.measures.classes


def test_no_identifier_and_nothing_sensitive_stands_there(shown: tuple[kn.Result, str]) -> None:
    _, html = shown
    original = pl.read_csv(SAMPLES / "census" / "census.csv", infer_schema_length=0)
    cells = set(re.findall(r"<td[^>]*>([^<]*)</td>", html))
    for column in ("name", "birth_date", "diagnosis", "income_class"):
        assert f">{column}</th>" not in html
        assert not cells & set(original[column].drop_nulls().to_list())
    assert "clear this output" in html


def test_a_cell_is_text_and_no_markup(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": ["<b>1</b>", "<b>1</b>"], "ill": ["\x1b[2J", "x"]})
    (tmp_path / "p.yaml").write_text(
        "data: {path: t.csv}\nattributes:\n  age: {role: quasi, kind: categorical}\n"
        "  ill: {role: sensitive}\nprivacy: {k: 2}\nalgorithm: {name: mondrian}\n"
    )
    html = kn.anonymize(kn.Project.load(tmp_path / "p.yaml"), table=table)._repr_html_()
    assert "<b>1" not in html
    assert "&lt;b&gt;1" in html
    assert "\x1b" not in html


def test_a_sweep_as_a_frame() -> None:
    project = kn.Project.load(SAMPLES / "ward" / "project.yaml")
    frame = kn.sweep(project, ["mondrian", "global"], ks=[2, 3, 100]).frame()
    assert frame["algorithm"].to_list() == ["mondrian"] * 3 + ["global"] * 3
    assert frame["k"].to_list() == [2, 3, 100] * 2
    assert frame["ncp"].null_count() == 2
    assert frame.filter(pl.col("ncp").is_null())["error"].null_count() == 0


def test_nothing_says_a_value_when_it_is_shown_as_text(shown: tuple[kn.Result, str]) -> None:
    result, _ = shown
    task = result.task
    name = task.table.frame["name"][0]
    for thing in (result, result.release, task, task.table, task.quasi[0], task.sensitive[0]):
        assert name not in repr(thing)
