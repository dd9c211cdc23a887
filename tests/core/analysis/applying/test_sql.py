"""Mappings as SQL on every engine at hand give the rows of `kn.apply`, whatever they are called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import kanon_tui as kn
from tests.postgresql import postgresql

AGE = 'a"ge; --'
JOB = "jöb's `x`"
SEEN = "seen\nat"
ZIP = "zip\\"
ILL = "ill {|}"
JOBS = ["cook's", 'sm"ith', "clerk\\", "päinter", "a|b", "*", "{x}", "50%", "li\nne"]
TABLE = "hos`tile\"'table"


def rows(seed: int = 1, n: int = 240) -> pl.DataFrame:
    """Return a table of numbers, texts, dates and gaps that a careless query would break on."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, n)
    zips = [f"4{z:03}"[: 4 - (z % 5 == 0)] for z in rng.integers(0, 30, n)]
    frame = pl.DataFrame(
        {
            AGE: rng.integers(18, 80, n),
            JOB: rng.choice(JOBS, n),
            SEEN: days.astype(str),
            ZIP: zips,
            ILL: rng.choice(["flu", "o'k", None], n),
        }
    )  # fmt: skip
    gaps = [pl.when(pl.Series(rng.random(n) > 0.05)).then(pl.col(c)) for c in (AGE, JOB, SEEN, ZIP)]
    odd = pl.when(pl.Series(rng.random(n) > 0.95)).then(pl.lit("?")).otherwise(pl.col(ZIP))
    return frame.with_columns(gaps).with_columns(odd.alias(ZIP))


# --- engines ------------------------------------------------------------------------------------

Engine = Callable[[str, pl.DataFrame], list[tuple[Any, ...]]]
_TYPES = {pl.Int64: "INTEGER", pl.String: "VARCHAR"}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def created(frame: pl.DataFrame) -> str:
    columns = (f"{quoted(n)} {_TYPES[type(kind)]}" for n, kind in frame.schema.items())  # type: ignore[index]
    return f"CREATE TABLE {quoted(TABLE)} ({', '.join(columns)})"


def on_duckdb(query: str, frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute(created(frame))
        marks = ", ".join("?" * frame.width)
        connection.executemany(f"INSERT INTO {quoted(TABLE)} VALUES ({marks})", frame.rows())
        return connection.execute(query).fetchall()


def on_postgresql(query: str, frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    connection = postgresql_connection()
    cursor = connection.cursor()
    cursor.execute(f"DROP TABLE IF EXISTS {quoted(TABLE)}")
    cursor.execute(created(frame))
    marks = ", ".join(["%s"] * frame.width)
    cursor.executemany(f"INSERT INTO {quoted(TABLE)} VALUES ({marks})", frame.rows())
    cursor.execute(query)
    return list(cursor.fetchall())


def on_spark(query: str, frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    session = spark_session()
    types = {pl.Int64: "BIGINT", pl.String: "STRING"}
    schema = ", ".join(
        f"`{n.replace('`', '``')}` {types[type(kind)]}"  # type: ignore[index]
        for n, kind in frame.schema.items()
    )
    session.createDataFrame(frame.rows(), schema).createOrReplaceTempView("spark_rows")
    name = TABLE.replace("`", "``")
    spelled = query.replace(f"FROM `{name}`", "FROM spark_rows").rstrip().rstrip(";")
    return [tuple(row) for row in session.sql(spelled).collect()]


_stack = ExitStack()


@cache
def postgresql_connection() -> Any:
    import sqlalchemy

    server = _stack.enter_context(postgresql())
    engine = sqlalchemy.create_engine(server.address)
    _stack.callback(engine.dispose)
    connection = engine.raw_connection()
    _stack.callback(connection.close)
    return connection


@cache
def spark_session() -> Any:
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    _stack.callback(session.stop)
    return session


@pytest.fixture(scope="module", autouse=True)
def servers() -> Iterator[None]:
    yield
    _stack.close()


ENGINES: dict[str, tuple[str, Engine]] = {
    "duckdb": ("sql", on_duckdb),
    "postgresql": ("sql", on_postgresql),
}
if find_spec("pyspark") and which("java"):
    ENGINES["spark"] = ("spark", on_spark)


# --- releases -----------------------------------------------------------------------------------

GROUPS = kn.groups({"hands '": JOBS[:3], "mind \\": JOBS[3:6]}, other="others")
TYPED = {"levels": {f"{a}.0": ["young" if a < 40 else "old"] for a in range(18, 80)}}
RELEASES: dict[str, dict[str, Any]] = {
    "levels": {
        "quasi": {AGE: kn.intervals(5, 10, 20), JOB: GROUPS, SEEN: kn.dates("month", "year")},
        "levels": {AGE: 2, JOB: 1, SEEN: 2},
    },
    "values and masks": {
        "quasi": {AGE: {"top": 60, "bottom": 25}, ZIP: kn.mask(), JOB: kn.flat()},
        "levels": {AGE: 0, ZIP: 3, JOB: 1},
    },
    "masks from the left": {
        "quasi": {ZIP: kn.mask("left"), AGE: kn.breaks([30, 50], [50])},
        "levels": {ZIP: 2, AGE: 1},
    },
    "typed numbers": {"quasi": {AGE: TYPED, ZIP: kn.mask()}, "levels": {AGE: 1, ZIP: 2}},
    "quantiles": {"quasi": {AGE: kn.quantiles(6), SEEN: kn.intervals(100)},
                  "levels": {AGE: 1, SEEN: 1}},
    "boxes": {"quasi": {AGE: None, JOB: None, SEEN: None}, "algorithm": "mondrian"},
    "overlapping boxes": {
        "quasi": {AGE: kn.intervals(10), ZIP: kn.mask(), JOB: GROUPS}, "algorithm": "k-member",
    },
}  # fmt: skip


def release_of(name: str, frame: pl.DataFrame) -> kn.Release:
    settings = dict(RELEASES[name])
    levels = settings.pop("levels", None)
    if levels is not None:
        from kanon_tui.core.lattice.chosen_string import write_levels

        settings |= {"algorithm": "global", "params": {"levels": write_levels(levels)}}
        settings["max_suppression"] = 1.0
    return kn.anonymize(frame, sensitive=ILL, k=3, **settings)


def texts(found: list[tuple[Any, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(tuple("" if cell is None else str(cell) for cell in row) for row in found)


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize(
    "engine",
    [pytest.param(e, marks=[pytest.mark.slow] if e != "duckdb" else []) for e in ENGINES],
)
def test_rows_are_those_of_apply(engine: str, name: str) -> None:
    dialect, ask = ENGINES[engine]
    release = release_of(name, rows())
    query = kn.export_mapping(release, dialect, TABLE)  # type: ignore[arg-type]
    columns = [*RELEASES[name]["quasi"], ILL]
    for frame in (rows(), rows(2)):
        expected = kn.apply(release.mapping, frame).result.table.select(columns)
        found = ask(query, frame)
        assert texts(found) == texts(expected.rows())
        assert 4 * len(found) > frame.height


@pytest.mark.parametrize("algorithm", ["global", "mondrian"])
def test_counts_are_searched_and_the_database_publishes_the_rows(
    tmp_path: Path, algorithm: str
) -> None:
    """Rows, one GROUP BY, a run on counts, SQL: the release of a run that sees the rows."""
    rng = np.random.default_rng(4)
    n = 400
    people = pl.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "zip": [f"46{z:03}" for z in rng.integers(0, 9, n)],
            "flu": rng.choice(["ill", "well"], n),
        }
    )  # fmt: skip
    people.write_csv(tmp_path / "people.csv")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{tmp_path}/people.csv'")
        connection.execute(
            f"COPY (SELECT age, zip, count(*) AS n FROM people GROUP BY ALL ORDER BY ALL) "
            f"TO '{tmp_path}/counts.csv' (HEADER)"
        )
        quasi = {
            "age": {"role": "quasi", "hierarchy": kn.intervals(5, 10, 20)},
            "zip": {"role": "quasi", "kind": "categorical"},
        }
        counts = {"path": str(tmp_path / "counts.csv"), "counts": "n"}
        project = kn.Project.from_dict({"data": counts, "attributes": quasi})
        counted = kn.anonymize(project.with_(k=5, algorithm=algorithm))
        counted.write(tmp_path / "counted.csv")
        direct = kn.anonymize(
            people, quasi=quasi, sensitive="flu", k=5, algorithm=algorithm
        )  # fmt: skip
        assert counted.measures.classes == direct.measures.classes
        query = kn.export_mapping(counted, table="people", publish=["flu"])
        assert query == kn.export_mapping(direct, table="people")
        found = connection.execute(query).fetchall()
    assert texts(found) == texts(direct.table.rows())
    assert kn.verify(tmp_path / "counted.csv", project.with_(k=5, algorithm=algorithm)).holds


def test_people_are_counted_where_they_have_several_rows() -> None:
    visits = pl.DataFrame({"who": [1, 1, 2, 3, 3, 3], "age": [20, 21, 22, 30, 31, 32]})
    quasi = {"age": {"hierarchy": kn.intervals(10)}}
    release = kn.anonymize(visits, quasi=quasi, person="who", k=1)
    document = json.loads(json.dumps(release.mapping))
    document["privacy"]["k"] = 2
    document["attributes"]["age"] |= {"level": 1, "labels": ["20-29", "30-39"],
                                      "rule": kn.intervals(10)}  # fmt: skip
    query = kn.export_mapping(document, table=TABLE)
    assert texts(on_duckdb(query, visits)) == {("20-29",): 3}


REFUSED = {
    "asks for distinct l-diversity": {"l": 2},
    "asks for a subset_k": {"subset_k": 3, "subset_size": 1},
    "asks for hidden cells": {"algorithm": "udc-suppress", "quasi": [AGE, SEEN]},
    "publishes the mean": {"quasi": {AGE: {"publish": "mean"}}, "algorithm": "mdav"},
    "dates like %d %b %Y": {"quasi": {SEEN: {"kind": "date", "format": "%d %b %Y"}}},
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_a_query_cannot_do_is_refused(reason: str) -> None:
    frame = rows()
    if "%b" in reason:
        frame = frame.with_columns(pl.lit("01 Jan 2020").alias(SEEN))
    settings: dict[str, Any] = {"quasi": {AGE: None}, "k": 3, **REFUSED[reason]}
    release = kn.anonymize(frame, sensitive=ILL, accept_guesses=True, **settings)
    with pytest.raises(kn.InputError, match=reason):
        kn.export_mapping(release)


def test_a_mapping_without_labels_names_what_to_do() -> None:
    release = release_of("levels", rows())
    document = json.loads(json.dumps(release.mapping))
    del document["attributes"][AGE]["labels"]
    with pytest.raises(kn.InputError, match="export the mapping again"):
        kn.export_mapping(document)
