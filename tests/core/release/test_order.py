"""The order of a release: a function of its cells, or of chance, never of where records stood."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.applying.mapping_file import applied_mapping
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.output import INPUT_ORDER_WARNING, Order, Output
from tests.helpers import report_text

ORDER_INDEPENDENT = (
    "global", "local", "hybrid", "distributed", "incognito", "datafly", "mondrian",
)  # fmt: skip


def project(algorithm: str, order: Order = "sorted", seed: int = 0) -> Project:
    return Project(
        data=DataSource(path="people.csv"),
        attributes={
            "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
            "sex": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
            "town": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
            "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=Privacy(k=5),
        algorithm=AlgorithmChoice(algorithm),
        seed=seed,
        output=Output(order=order),
    )


def people(n: int = 500, seed: int = 3) -> pl.DataFrame:
    """Records sorted by age, as files often are."""
    rng = random.Random(seed)
    ages = sorted(rng.randrange(18, 90) for _ in range(n))
    return pl.DataFrame(
        {
            "age": list(map(str, ages)),
            "sex": [rng.choice("mf") for _ in range(n)],
            "town": [rng.choice(["Bern", "Rome", "Oslo", "Graz"]) for _ in range(n)],
            "ill": [rng.choice(["flu", "gout", "cold"]) for _ in range(n)],
        }
    )


def width_by_order_alone(published: list[str]) -> float:
    """What an attacker makes of the ages: row i lies between all rows before and after it.

    Who knows that the file was sorted by age narrows every range to what its neighbours allow.
    """
    ends = [cell.strip("[]").split("..") for cell in published]
    low = np.maximum.accumulate([float(pair[0]) for pair in ends])
    high = np.minimum.accumulate([float(pair[-1]) for pair in ends][::-1])[::-1]
    return float(np.mean(np.maximum(high - low, 0)))


def test_order_alone_narrowed_ages_and_no_longer_does() -> None:
    told = anonymize(project("k-member", "input"), people()).table["age"].to_list()
    wide = float(np.mean([float(c.strip("[]").split("..")[-1]) - float(c.strip("[]").split("..")[0])
                          for c in told]))  # fmt: skip
    assert width_by_order_alone(told) < wide / 3, "the attack works on the order of the file"
    table = anonymize(project("k-member"), people()).table
    assert table.rows() == sorted(table.rows()), "there is nothing in the order but the cells"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_order_is_a_function_of_the_cells(algorithm: str) -> None:
    result = anonymize(project(algorithm), people(300))
    rows = result.table.rows()
    assert rows == sorted(rows)
    by_class: dict[int, tuple[str, ...]] = {}
    for number, row in zip(result.classes.tolist(), rows, strict=True):
        assert by_class.setdefault(number, row[:3]) == row[:3]
    assert [by_class[number] for number in sorted(by_class)] == sorted(by_class.values())
    if result.grouping.levels is None:
        quasi = applied_mapping(result).select("age", "sex", "town").rows()
        assert quasi == sorted(quasi)
        for cells in result.release.cells:
            assert list(cells.texts) == sorted(cells.texts)


@pytest.mark.parametrize("algorithm", ORDER_INDEPENDENT)
def test_moving_the_records_of_the_input_changes_no_byte(algorithm: str, tmp_path: Path) -> None:
    frame = people(200)
    moved = frame.sample(fraction=1, shuffle=True, seed=8)
    assert not moved.equals(frame)
    first, second = (everything_that_leaves(anonymize(project(algorithm), f), tmp_path)
                     for f in (frame, moved))  # fmt: skip
    assert first == second


def everything_that_leaves(result: Result, folder: Path) -> list[bytes | list[int] | str]:
    files: list[bytes | list[int] | str] = []
    for ending in (".csv", ".tsv", ".parquet"):
        result.write(folder / f"release{ending}", force=True)
        files.append((folder / f"release{ending}").read_bytes())
    timeless = replace(result, seconds=0.0, phases={})
    files += [report_text(timeless, Path(f"r{ending}")) for ending in (".json", ".md", ".html")]
    return [*files, applied_mapping(result).write_csv(), result.classes.tolist()]


def test_a_parquet_file_tells_no_order_either() -> None:
    """Every row group holds the next rows of the sorted table, and its dictionary likewise."""
    buffer = BytesIO()
    table = anonymize(project("mondrian"), people()).table
    table.write_parquet(buffer, row_group_size=50)
    assert pl.read_parquet(BytesIO(buffer.getvalue())).rows() == sorted(table.rows())


def test_chance_is_not_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people(60)
    runs = [anonymize(project("mondrian", "shuffled", seed=4), frame).table for _ in range(2)]
    assert runs[0].rows() != runs[1].rows(), "the same seed gives another order"
    assert sorted(runs[0].rows()) == sorted(runs[1].rows())
    assert runs[0].rows() != sorted(runs[0].rows())
    asked: list[int] = []

    def counted(tokens: Callable[[int], bytes]) -> Callable[[int], bytes]:
        return lambda count: asked.append(count) or tokens(count)  # type: ignore[func-returns-value]

    monkeypatch.setattr("kanon_tui.core.numeric.token_bytes", counted(lambda count: bytes(count)))
    unlucky = anonymize(project("mondrian", "shuffled"), frame).table
    assert asked == [8 * 60], "from the operating system"
    assert sorted(unlucky.rows()) == sorted(runs[0].rows())


def test_shuffling_does_not_show_where_records_stood() -> None:
    """Whatever chance gives, it is applied to the sorted records."""
    frame = people(60)
    moved = frame.sample(fraction=1, shuffle=True, seed=5)
    for each in (frame, moved):
        release = anonymize(project("global", "shuffled"), each).release
        at = release.frame.with_row_index("at").sort(pl.all().exclude("at"))["at"].to_list()
        assert sorted(at) == list(range(60))


def test_the_order_of_the_input_comes_with_a_warning(tmp_path: Path) -> None:
    frame = people(40)
    result = anonymize(project("mondrian", "input"), frame)
    assert result.table["ill"].to_list() == frame["ill"].to_list()
    assert result.notes[0] == INPUT_ORDER_WARNING
    assert INPUT_ORDER_WARNING in result.report["notes"]
    for ending in (".md", ".html"):
        assert "order alone can give people away" in report_text(result, Path(f"r{ending}"))
    assert INPUT_ORDER_WARNING not in anonymize(project("mondrian"), frame).notes


def test_columns_whose_names_look_like_patterns_are_sorted_as_well() -> None:
    frame = people(40).rename({"age": "^.*$", "ill": "*"})
    asked = project("mondrian")
    names = {"age": "^.*$", "ill": "*"}
    specs = {names.get(name, name): spec for name, spec in asked.attributes.items()}
    table = anonymize(replace(asked, attributes=specs), as_table(frame)).table
    assert table.rows() == sorted(table.rows())
