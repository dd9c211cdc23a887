"""A streaming run gives the bytes and the figures of a run in memory, or says why it cannot."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.distinct_search import distinct_search
from kanon_tui.core.pipeline.engine_choice import check_arrays, choose_engine
from kanon_tui.core.pipeline.run import start
from kanon_tui.core.pipeline.stream import stream
from kanon_tui.core.processes.memory_limit import AT_LEAST, MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.coded_columns import code_source
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, read_table
from kanon_tui.core.table.writing import Target
from tests.beyond_memory import small_pieces
from tests.core.pipeline.compared import check_same, figures, in_memory, mapped
from tests.core.table.test_table import written
from tests.tries import tries

ALGORITHMS = ("mondrian", "global", "local", "hybrid", "incognito", "datafly")
AWKWARD = ("b,c", 'd"e', "", "line\nbreak", "=1+1", "'=x", "é", "?", " spaced ", "-5")


def people(n: int, seed: int = 0) -> pl.DataFrame:
    rng = random.Random(seed)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": [rng.choice(["?", "007", *map(str, range(20, 60))]) for _ in range(n)],
            "city": [rng.choice(["Rome", "Milan", "Paris", "NA", "Öland"]) for _ in range(n)],
            "note": [rng.choice(AWKWARD) for _ in range(n)],
            "wage": [f"{rng.randrange(10) * 100}{rng.choice(['', '.0'])}" for _ in range(n)],
            "ill": [rng.choice(["flu", "HIV", "hiv ", "?", "cold"]) for _ in range(n)],
            "asks": [rng.choice(["", "2", "4"]) for _ in range(n)],
        }
    )


def project(path: Path, **sections: Any):
    cities = {
        c: [g] for c, g in zip(["Rome", "Milan", "Paris", "Öland", "NA"], "IIFSX", strict=True)
    }
    given = {
        "data": {"path": str(path)},
        "attributes": {
            "name": {"role": "identifier", "kind": "categorical"},
            "age": {"role": "quasi", "kind": "numeric",
                    "hierarchy": {"builder": "intervals", "widths": [10, 20]}},
            "city": {"role": "quasi", "kind": "categorical", "hierarchy": {"levels": cities}},
            "note": {"role": "other", "kind": "categorical"},
            "wage": {"role": "sensitive", "kind": "numeric"},
            "ill": {"role": "sensitive", "kind": "categorical"},
            "asks": {"role": "identifier", "kind": "numeric"},
        },
        "privacy": {"k": 3, "max_suppression": 0.1},
        "algorithm": {"name": "mondrian"},
    }  # fmt: skip
    return project_from_mapping({**given, **sections})


@settings(max_examples=tries(12), deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(ALGORITHMS),
    st.sampled_from([".csv", ".parquet", ".tsv"]),
    st.sampled_from(["sorted", "input"]),
    st.sampled_from(["drop", "star"]),
    st.sampled_from(["value", "drop"]),
    st.sampled_from(["keep", "escape"]),
    st.sampled_from([{}, {"l": 2}, {"t": 0.5}, {"personal_k": "asks"}]),
    st.sampled_from(["csv", "parquet", "folder"]),
)
def test_random_tables_give_the_same_bytes(
    seed, algorithm, ending, order, suppressed, missing, formulas, beyond, kind
):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        table = people(random.Random(seed).randrange(1, 120), seed)
        data = folder / ("parts" if kind == "folder" else f"in.{kind}")
        if kind == "csv":
            table.write_csv(data)
        elif kind == "parquet":
            table.write_parquet(data)
        else:
            data.mkdir()
            table.head(20).write_csv(data / "a.csv")
            table.slice(20).select(reversed(table.columns)).write_csv(data / "b.csv")
        asked = project(
            data,
            data={"path": str(data), "header": True,
                  "missing": {"tokens": ["", "?", "NA"], "policy": missing}},
            privacy={"k": 3, "max_suppression": 0.1, **beyond},
            algorithm={"name": algorithm},
            output={"order": order, "suppressed": suppressed, "formulas": formulas,
                    "quoting": random.Random(seed).choice(["auto", "texts", "always"])},
        )  # fmt: skip
        check_same(asked, folder, ending)
        assert not [each for each in os.listdir(folder) if each.startswith(".")]


def test_guesses_and_unlisted_columns_are_those_of_memory(tmp_path):
    people(80).write_csv(tmp_path / "in.csv")
    for unlisted in ("drop", "publish"):
        bare = project_from_mapping(
            {
                "data": {"path": str(tmp_path / "in.csv"), "unlisted": unlisted},
                "algorithm": {"name": "mondrian"},
                "attributes": {"city": {"role": "quasi"}},
            }
        )
        assert check_same(bare, tmp_path) == ""


def test_shuffled_has_the_same_records_in_another_order(tmp_path):
    people(300).write_parquet(tmp_path / "in.parquet")
    asked = project(tmp_path / "in.parquet", output={"order": "shuffled"})
    expected = in_memory(asked, tmp_path / "memory.csv").table
    for _ in range(2):
        mapped(asked, Target(tmp_path / "s.csv"))
        found = read_table(tmp_path / "s.csv", ReadOptions(header=True)).frame
        assert found.sort(found.columns).equals(expected.sort(expected.columns))
        assert not found.equals(found.sort(found.columns))


def test_a_folder_of_parts_is_the_release_in_order(tmp_path):
    people(200).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv")
    expected = in_memory(asked, tmp_path / "memory.csv")
    for name in ("release", "release.csv/"):
        target = Target.parse(f"{tmp_path}/{name}")
        result = mapped(asked, target, rows=50)
        assert len(list(target.path.iterdir())) > 2
        assert read_table(target.path, ReadOptions(header=True)).frame.equals(expected.table)
        assert figures(result) == figures(expected)
        with pytest.raises(InputError, match="exists and is kept"):
            target.check(False, ())


@pytest.mark.parametrize("phase", ["look", "code", "count tuples"])
def test_an_interrupted_run_leaves_nothing(tmp_path, phase):
    people(100).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv", run={"engine": "stream"})

    def interrupt(what, share):
        if what == phase:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start(asked, progress=interrupt)
    assert os.listdir(tmp_path) == ["in.csv"]


def test_what_needs_records_is_mapped_and_gives_the_bytes_of_memory(tmp_path):
    people(50).write_csv(tmp_path / "in.csv")
    latin = {"output": {"encoding": "latin-1"}}
    for number, (sections, ending) in enumerate(
        (
            ({"algorithm": {"name": "k-member"}}, ".csv"),
            ({"weights": "auto"}, ".csv"),
            ({}, ".xlsx"),
            ({"algorithm": {"name": "mondrian", "params": {"relaxed": True}}, **latin}, ".csv"),
        )
    ):
        asked = project(tmp_path / "in.csv", **sections)
        found, expected = (tmp_path / f"{way}{number}{ending}" for way in ("found", "expected"))
        report = tmp_path / f"{number}.json"
        result = stream(asked, found, report)
        in_memory(asked, expected)
        if ending == ".csv":
            assert found.read_bytes() == expected.read_bytes()
        assert read_table(found, ReadOptions(header=True)).height == result.rows
        assert report.exists()


def test_a_folder_takes_every_algorithm_and_encoding(tmp_path):
    people(50).write_csv(tmp_path / "in.csv")
    for number, sections in enumerate(
        ({"output": {"encoding": "latin-1"}}, {"algorithm": {"name": "k-member"}})
    ):
        asked = project(tmp_path / "in.csv", **sections)
        parts = tmp_path / f"parts{number}.csv"
        stream(asked, f"{parts}/")
        one = tmp_path / "one.csv"
        in_memory(asked, one)
        (part,) = parts.iterdir()
        assert part.read_bytes() == one.read_bytes()


def test_a_limit_is_refused_before_the_search_with_what_would_help(tmp_path):
    n = 3000
    table = people(n).with_columns(pl.Series("age", [str(i / 8) for i in range(n)]))
    table.write_parquet(tmp_path / "in.parquet")
    asked = project(tmp_path / "in.parquet")
    tiny = project(tmp_path / "in.parquet", run={"memory": "1000", "engine": "stream"})
    with pytest.raises(InputError, match=r"not enough for any run on a table.*--memory"):
        start(tiny)
    task = start(asked).task
    choice = asked.algorithm
    with pytest.raises(InputError, match=r"values of age \(3,000 of them\) coarser.*--memory"):
        distinct_search(task, choice, MemoryLimit(AT_LEAST + 300_000))
    limited = project(tmp_path / "in.parquet", run={"memory": f"{AT_LEAST + 100_000}"})
    with pytest.raises(InputError, match=r"works on records and takes .* --memory"):
        check_arrays(limited, MemoryLimit(300_100_000), task, 60)
    source = open_source(tmp_path / "in.parquet")
    with pytest.raises(InputError, match=r"distinct values of .*--memory"):
        code_source(source, LocalWorkers(), MemoryLimit(AT_LEAST + 100_000))


def test_the_engine_is_what_fits(tmp_path):
    people(50).write_csv(tmp_path / "in.csv")
    path = tmp_path / "in.csv"
    assert choose_engine(project(path)) == "memory"
    small = {"memory": "300MB"}
    assert choose_engine(project(path, run=small)) == "map"
    assert choose_engine(project(path, run={"engine": "stream"})) == "map"
    assert choose_engine(project(path, run={"engine": "dask"})) == "dask"
    with pytest.raises(InputError, match=r"takes about 400MB, and 300MB are allowed"):
        choose_engine(project(path, run={**small, "engine": "memory"}))


HOSTILE = ["", " ", "a", "é", '"', '""', "'", ",", ";", "\n", "\r\n", "\r", "*", "007", " x "]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.lists(st.sampled_from(HOSTILE), max_size=3).map("".join)] * 3),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.integers(1, 60),
)
def test_pieces_of_csv_hold_the_texts_of_the_whole(records, line_end, quote_all, piece):
    text = written([("n0", "n1", "n2"), *records], ",", line_end, quote_all)
    options = ReadOptions(delimiter=",", header=True, quote='"', space_after_delimiter=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        whole = read_table(path, options)
        with small_pieces(piece):
            source = open_source(path, options)
        found = pl.concat([frame for each in source.pieces for frame in source.read(each)])
    assert list(source.names) == whole.names
    assert found.equals(whole.frame)
    assert source.facts == whole.facts


def test_unreadable_values_name_the_row(tmp_path):
    table = people(60).with_columns(
        pl.Series("age", ["x" if i in (41, 50) else str(i) for i in range(60)])
    )
    table.write_csv(tmp_path / "in.csv")
    said = check_same(project(tmp_path / "in.csv"), tmp_path)
    assert "a value is not a number (first in row 43)" in said


@pytest.mark.parametrize("out", ["parts", "parts.csv/"])
def test_no_part_is_empty_where_one_class_fills_several(tmp_path, out):
    rows = "".join(f"{n // 40},{n % 2}\n" for n in range(120))
    (tmp_path / "in.csv").write_text(f"age,sex\n{rows}")
    asked = project_from_mapping(
        {
            "data": {"path": str(tmp_path / "in.csv")},
            "attributes": {"age": {"role": "quasi"}, "sex": {"role": "quasi"}},
            "privacy": {"k": 2},
        }
    )
    result = mapped(asked, Target.parse(f"{tmp_path}/{out}"))  # about 11 rows in a part
    assert result.rows == 120
    files = sorted((tmp_path / out).iterdir())
    parts = [read_table(file, ReadOptions(header=True)) for file in files]
    assert all(part.height for part in parts)
    assert sum(part.height for part in parts) == 120
