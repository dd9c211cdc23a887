"""The three stories: tables as the script makes them, releases as the projects make them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import kanon_tui as kn
from tests.paths import SAMPLES

STORIES = ("visits", "labour", "school")


@pytest.mark.parametrize("story", STORIES)
def test_the_table_is_what_the_script_makes(story: str, tmp_path: Path) -> None:
    script = runpy.run_path(str(SAMPLES / "make_stories.py"))
    for name in (*STORIES, "provider"):
        (tmp_path / name).mkdir()
    script["main"].__globals__["HERE"] = tmp_path
    script["main"]()
    made = (tmp_path / story / f"{story}.csv").read_bytes()
    assert made == (SAMPLES / story / f"{story}.csv").read_bytes()
    customers = (tmp_path / "provider" / "customers.data").read_bytes()
    assert customers == (SAMPLES / "provider" / "customers.data").read_bytes()


@pytest.mark.parametrize("story", STORIES)
def test_the_release_is_what_the_project_makes(story: str, tmp_path: Path) -> None:
    result = kn.anonymize(kn.Project.load(SAMPLES / story / "project.yaml"))
    result.write(tmp_path / "release.csv")
    expected = (SAMPLES / story / "release.csv").read_bytes()
    assert (tmp_path / "release.csv").read_bytes() == expected


def test_visits_count_patients() -> None:
    result = kn.anonymize(kn.Project.load(SAMPLES / "visits" / "project.yaml"))
    assert "patient" not in result.table.columns
    original = result.task.table.frame
    together = original.select("patient").with_columns(klass=result.release.classes)
    kept = together.filter(together["klass"] >= 0)
    people = kept.unique().group_by("klass").len()["len"]
    assert people.min() >= 5
