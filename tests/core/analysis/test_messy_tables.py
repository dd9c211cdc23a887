"""Every algorithm on tables as files bring them: released, proven, applied again and attacked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.task.task import Family

TEXTS = ["a", "A", " a", "ä", "*", "", "NaN", "x|y", 'q"q', "1-2", "{a, b}", "-", "<5"]
QUASI = ["pay", "age", "born", "word", "zip"]


def messy(seed: int, n: int = 40) -> pl.DataFrame:
    """A table with odd texts, and with missing cells in every column but the sensitive one."""
    random = np.random.default_rng(seed)
    days = np.datetime64("1950-01-01") + random.integers(0, 20_000, n)
    columns = {
        "pay": random.lognormal(7, 1, n).round(2).astype(str),
        "age": random.integers(-5, 90, n).astype(str),
        "born": days.astype(str),
        "word": random.choice(TEXTS, n),
        "zip": np.char.zfill(random.integers(0, 40, n).astype(str), 5),
    }
    for cells in columns.values():
        cells[random.random(n) < 0.2] = ""
    chosen = random.choice(QUASI, 3, replace=False).tolist()
    ill = random.choice(["flu", "cold", "HIV"], n, p=[0.6, 0.3, 0.1])
    return pl.DataFrame({name: columns[name] for name in chosen} | {"ill": ill})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_what_is_released_is_proven_applied_and_attacked(name: str) -> None:
    for seed in range(4):
        table = messy(seed)
        quasi = table.columns[:-1]
        release = kn.anonymize(
            table, quasi=quasi, sensitive="ill", k=3, algorithm=name, max_suppression=0.3
        )
        assert kn.verify(release.table, release.project, table).holds
        assert kn.attack(release)
        again = kn.apply(release, table)
        published = set(release.table.select(quasi).rows())
        assert set(again.result.table.select(quasi).rows()) <= published


def test_coded_ends_and_survey_weights_are_proven_and_reported(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    ages = random.integers(0, 95, 60)
    days = random.integers(0, 20_000, 60)
    born = (np.datetime64("1950-01-01") + days).astype(str)
    ill = random.choice(["flu", "cold"], 60)
    weight = random.integers(1, 30, 60)
    table = pl.DataFrame({"age": ages, "born": born, "ill": ill, "weight": weight})
    attributes = {
        "age": kn.AttributeSpec("quasi", top=60, bottom=10),
        "born": kn.AttributeSpec("quasi", top="1990-01-01"),
        "ill": kn.AttributeSpec("sensitive"),
        "weight": kn.AttributeSpec("weight"),
    }
    for name in ALGORITHMS:
        project = kn.Project("data.csv", attributes, privacy={"k": 3}, algorithm={"name": name})
        release = kn.anonymize(project, table=table)
        assert kn.verify(release.table, project, table).holds, name
        for ending in ("html", "json"):
            release.write_report(tmp_path / f"{name}.{ending}")


CLUSTERINGS = [name for name, each in ALGORITHMS.items() if each.family is Family.CLUSTERING]


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_another_sensitive_value_is_found_where_classes_overlap(name: str) -> None:
    table = messy(5)
    release = kn.anonymize(table, quasi=table.columns[:-1], sensitive="ill", k=3, algorithm=name)
    assert release.table.height == table.height
    for row in (0, 11, 39):
        values = release.table["ill"].to_list()
        values[row] = next(value for value in ("flu", "HIV") if value != values[row])
        changed = release.table.with_columns(ill=pl.Series(values))
        assert not kn.verify(changed, release.project, table).holds
