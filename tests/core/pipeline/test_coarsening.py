"""Levels that fail alone are ruled out before tuples are counted: fewer of them, the same bytes."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.lattice.chosen_string import Verdicts
from kanon_tui.core.pipeline.distinct_search import distinct_search
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.tuple_counts import levels_to_count
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.project.project import project_from_mapping
from tests.core.pipeline.compared import check_same
from tests.tries import tries


def people(n: int, seed: int) -> pl.DataFrame:
    """Wages and postal codes that hardly anybody shares; some wages are missing or coded."""
    rng = random.Random(seed)
    return pl.DataFrame(
        {
            "wage": [rng.choice(["?", *(f"{rng.randrange(4000) / 8}" for _ in range(9))])
                     for _ in range(n)],
            "postcode": [f"{rng.choice('1224')}{rng.randrange(1000):03}" for _ in range(n)],
            "sex": [rng.choice(["f", "m"]) for _ in range(n)],
            "ill": [rng.choice(["flu", "hiv", "cold"]) for _ in range(n)],
        }
    )  # fmt: skip


def project(path: Path, codes, of_wage=None, **sections):
    levels = {code: [code[:2] + "**", code[0] + "***"] for code in sorted(set(codes))}
    given = {
        "data": {"path": str(path)},
        "attributes": {
            "wage": {"role": "quasi", "kind": "numeric",
                     "hierarchy": {"builder": "intervals", "widths": [50, 250]}, **(of_wage or {})},
            "postcode": {"role": "quasi", "kind": "categorical", "hierarchy": {"levels": levels}},
            "sex": {"role": "quasi", "kind": "categorical"},
            "ill": {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": {"k": 3, "max_suppression": 0.1},
        "algorithm": {"name": "global"},
    }  # fmt: skip
    return project_from_mapping({**given, **sections})


@settings(max_examples=tries(15), deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["global", "local", "hybrid", "distributed", "incognito", "datafly"]),
    st.sampled_from(["rv", "ncp", "il", "classes"]),
    st.sampled_from([0, 0.1, 0.3]),
    st.sampled_from(["drop", "star"]),
    st.sampled_from([{}, {"l": 2}]),
    st.sampled_from([{}, {"top": 300}, {"bottom": 100, "top": 400}]),
)
def test_the_release_and_its_figures_are_those_of_memory(
    seed, algorithm, objective, suppression, suppressed, beyond, coding
):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        table = people(random.Random(seed).randrange(20, 160), seed)
        table.write_parquet(folder / "in.parquet")
        asked = project(
            folder / "in.parquet",
            table["postcode"],
            coding,
            privacy={"k": 3, "max_suppression": suppression, **beyond},
            algorithm={"name": algorithm, "params": {"objective": objective}},
            output={"suppressed": suppressed},
        )
        check_same(asked, folder)


def test_tuples_are_counted_at_the_lowest_levels_that_are_left(tmp_path):
    table = people(300, 0)
    table.write_parquet(tmp_path / "in.parquet")
    asked = project(tmp_path / "in.parquet", table["postcode"])
    search = distinct_search(prepare(asked), asked.algorithm, MemoryLimit())
    assert search.task.counted_levels == (1, 1, 0)
    different = table.select("wage", "postcode", "sex").n_unique()
    assert search.task.rows < different == 300
    assert int(search.task.copies.sum()) == 300
    assert np.bincount(search.row_of).tolist() == search.task.copies.tolist()
    with pytest.raises(InputError, match="single strings cannot be judged"):
        Verdicts(search.task)


def test_what_needs_the_values_keeps_them(tmp_path):
    table = people(300, 0)
    table.write_parquet(tmp_path / "in.parquet")

    def levels(params=None, name="global", suppression=0.1, **of_wage):
        asked = project(
            tmp_path / "in.parquet",
            table["postcode"],
            of_wage,
            privacy={"k": 3, "max_suppression": suppression},
            algorithm={"name": name, "params": params or {}},
        )
        return levels_to_count(prepare(asked), asked.algorithm)

    assert levels({"objective": "ncp"}) == (0, 0, 0)
    assert levels({"objective": "ncp"}, suppression=0) == (1, 1, 0)
    assert levels({"levels": "wage=1"}) == (0, 0, 0)
    assert levels(name="mondrian") == levels(name="datafly") == (0, 0, 0)
    assert levels(max_width=300) == levels(publish="mean") == (0, 1, 0)
