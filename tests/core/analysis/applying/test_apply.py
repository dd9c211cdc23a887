"""A mapping on new records, against pandas and against a run of the same levels."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.applying.apply import NO_CLASS, Applied, apply_mapping
from kanon_tui.core.analysis.applying.mapping_file import mapping_text, read_mapping
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import as_table

QUASI = ["age", "zip", "job", "seen"]
PROJECT: dict[str, Any] = {
    "data": {"path": "months.csv"},
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "kind": "numeric"},
        "zip": {"role": "quasi", "kind": "categorical", "hierarchy": {"builder": "mask"}},
        "job": {
            "role": "quasi",
            "kind": "categorical",
            "hierarchy": {"levels": {"cook": ["hand"], "smith": ["hand"], "clerk": ["desk"]}},
        },
        "seen": {"role": "quasi", "kind": "date", "format": "%Y-%m-%d"},
        "flu": {"role": "sensitive", "kind": "categorical"},
    },
    "privacy": {"k": 3},
}


def month(seed: int, n: int = 300, first: str = "2024-01-01") -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    days = pd.Timestamp(first) + pd.to_timedelta(rng.integers(0, 28, n), "D")
    return pl.DataFrame(
        {
            "name": [f"Secret{seed}-{i}" for i in range(n)],
            "age": [str(a) for a in rng.integers(18, 80, n)],
            "zip": [f"4{z // 4:02}0{z % 4}" for z in rng.integers(0, 12, n)],
            "job": rng.choice(["cook", "smith", "clerk"], n).tolist(),
            "seen": [str(day.date()) for day in days],
            "flu": rng.choice(["yes", "no"], n).tolist(),
        }
    )  # fmt: skip


def project(**more: Any) -> Project:
    return project_from_mapping({**PROJECT, **more})


def levels(**chosen: int) -> dict[str, Any]:
    written = ",".join(f"{name}={level}" for name, level in chosen.items())
    return {"algorithm": {"name": "global", "params": {"levels": written}}}


CHOSEN = {"age": 2, "zip": 2, "job": 1, "seen": 1}


def exported(result: Result, tmp_path: Path) -> Path:
    path = tmp_path / "mapping.json"
    path.write_text(mapping_text(result))
    return path


def first_release(**chosen: int) -> Result:
    privacy = {"privacy": {"k": 3, "max_suppression": 1.0}}
    return anonymize(project(**levels(**(chosen or CHOSEN)), **privacy), month(1))


def applied(result: Result, new: pl.DataFrame, tmp_path: Path, **more: Any) -> Applied:
    return apply_mapping(read_mapping(exported(result, tmp_path)), as_table(new), **more)


def test_levels_on_a_second_month_against_pandas(tmp_path: Path) -> None:
    """A twin in pandas: intervals of width 8 (4, doubled), three digits, hand or desk, months."""
    result = first_release()
    document = json.loads(mapping_text(result))
    widths = document["attributes"]["age"]["rule"]["widths"]
    width = int(widths[1])
    new = month(2, first="2024-02-01")
    found = applied(result, new, tmp_path)
    frame = pd.DataFrame(new.to_dict(as_series=False))
    low = frame["age"].astype(int) // width * width
    twin = pd.DataFrame(
        {
            "age": [f"{a}-{a + width - 1}" for a in low],
            "zip": frame["zip"].str[:3] + "**",
            "job": frame["job"].map({"cook": "hand", "smith": "hand", "clerk": "desk"}),
            "seen": frame["seen"].str[:7],
        }
    )
    counts = Counter(twin.itertuples(index=False, name=None))
    expected = Counter({row: n for row, n in counts.items() if n >= 3})
    assert Counter(found.result.table.select(QUASI).rows()) == expected
    assert set(found.result.table["seen"]) == {"2024-02"}
    assert found.small_records == 300 - sum(expected.values())
    assert found.uncovered_records == 0
    assert "name" not in found.result.table.columns


def test_the_same_records_give_the_same_release(tmp_path: Path) -> None:
    result = first_release()
    found = applied(result, month(1), tmp_path, earlier=result.table)
    assert Counter(found.result.table.rows()) == Counter(result.table.rows())
    assert found.union is not None
    assert found.union.new_classes == 0
    assert found.union.k == 2 * result.measures.smallest_class


def test_the_union_with_the_earlier_release_verifies(tmp_path: Path) -> None:
    result = first_release()
    found = applied(result, month(2), tmp_path, earlier=result.table)
    both = pl.concat([result.table.select(QUASI), found.result.table.select(QUASI)])
    assert found.union is not None
    assert found.union.k == both.group_by(QUASI).len()["len"].min() >= 3
    assert found.union.records == both.height
    assert found.union.classes == both.n_unique()


def test_a_broken_earlier_release_is_refused(tmp_path: Path) -> None:
    result = first_release()
    broken = pl.concat([result.table, result.table.head(1).with_columns(job=pl.lit("cook"))])
    with pytest.raises(NotReachedError, match="its smallest class has 1 records, k of"):
        applied(result, month(2), tmp_path, earlier=broken)


def test_values_that_are_not_covered(tmp_path: Path) -> None:
    result = first_release()
    new = month(2).with_columns(
        job=pl.when(pl.int_range(pl.len()) < 7).then(pl.lit("pilot")).otherwise("job"),
        zip=pl.when(pl.int_range(pl.len()) == 9).then(pl.lit("1234567")).otherwise("zip"),
        age=pl.when(pl.int_range(pl.len()) == 11).then(pl.lit("old")).otherwise("age"),
    )
    found = applied(result, new, tmp_path)
    assert found.uncovered == {"age": 1, "zip": 1, "job": 7}
    assert found.uncovered_records == 9
    assert found.published + found.small_records == 291
    with pytest.raises(NotReachedError, match=r"9 records of 300 have values.*job \(7\)"):
        applied(result, new, tmp_path, uncovered="refuse")


def test_small_classes_are_refused_where_that_is_chosen(tmp_path: Path) -> None:
    result = first_release()
    assert applied(result, month(2), tmp_path).small_records > 0
    with pytest.raises(NotReachedError, match="do not reach k = 3"):
        applied(result, month(2), tmp_path, small="refuse")


def test_requirements_hold_in_the_new_release(tmp_path: Path) -> None:
    privacy = {"privacy": {"k": 3, "max_suppression": 1.0, "l": 2}}
    result = anonymize(project(**levels(**CHOSEN), **privacy), month(1))
    found = applied(result, month(2), tmp_path)
    held = found.result.table.group_by(QUASI).agg(pl.col("flu").n_unique())
    assert held["flu"].min() == 2


CLUSTERINGS = [name for name in ALGORITHMS if ALGORITHMS[name].family.value == "clustering"]


def covers(cell: str, value: str) -> bool:
    """A twin of reading cells: ranges of numbers or dates, labels of job, masks, values, `*`."""
    if cell in ("*", value) or cell.removesuffix("*") in ("", value):
        return True
    hands = {"hand": ("cook", "smith"), "desk": ("clerk",)}
    cell = cell.removesuffix("*") if cell.startswith(("[", "hand", "desk")) else cell
    if cell in hands:
        return value in hands[cell]
    if cell.startswith("["):
        low, high = cell[1:-1].split("..")
        if "-" in value:
            return low <= value <= high
        return float(low) <= float(value) <= float(high)
    cell = cell.removesuffix("*") if len(cell) > len(value) else cell  # partly hidden
    shown = cell.rstrip("*")
    return len(cell) == len(value) and value.startswith(shown) and len(shown) < len(cell)


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_boxes_cover_the_records_they_take(name: str, tmp_path: Path) -> None:
    result = anonymize(project(algorithm={"name": name}), month(1, 150))
    new = month(2, 200)
    # Kept beside the cells by a column of its own, which is published as it is.
    new = new.with_columns(flu=pl.int_range(pl.len()).cast(pl.String))
    found = applied(result, new, tmp_path, earlier=result.table)
    boxes = set(result.table.select(QUASI).rows())
    originals = {row["flu"]: row for row in new.iter_rows(named=True)}
    for row in found.result.table.iter_rows(named=True):
        assert tuple(row[q] for q in QUASI) in boxes
        assert all(covers(row[q], originals[row["flu"]][q]) for q in QUASI), row
    assert smallest_class(found.result.table, QUASI) >= 3
    if name not in ("sbc", "sd", "udc-suppress"):
        inside = sum(
            any(all(map(covers, box, row)) for box in boxes) for row in new.select(QUASI).rows()
        )
        assert found.records - found.uncovered_records == inside


def test_records_between_the_boxes_are_counted_apart(tmp_path: Path) -> None:
    mapping = {
        "kanon_mapping": 1,
        "privacy": {"k": 2},
        "attributes": {
            "x": {"kind": "numeric", "format": {"decimal": "."}, "rule": {"builder": "flat"}},
            "c": {"kind": "categorical", "rule": {"builder": "flat"}},
        },
        "classes": [["[1..4]", "a"], ["[2..3]", "a"], ["[1..4]", "b"]],
    }
    path = tmp_path / "m.json"
    path.write_text(json.dumps(mapping))
    new = pl.DataFrame({"x": ["2", "3", "1", "4", "9", "2", "2"], "c": [*"aaaaabc"]})
    new = new.vstack(pl.DataFrame({"x": ["4"], "c": ["b"]}))
    found = apply_mapping(read_mapping(path), as_table(new))
    assert sorted(found.result.table.rows()) == [
        ("[1..4]", "a"), ("[1..4]", "a"), ("[1..4]", "b"), ("[1..4]", "b"),
        ("[2..3]", "a"), ("[2..3]", "a"),
    ]  # fmt: skip
    assert found.uncovered == {"x": 1, "c": 1}
    mapping["classes"] = [["[1..4]", "a"], ["[7..9]", "b"]]
    path.write_text(json.dumps(mapping))
    new = pl.DataFrame({"x": ["1", "2", "8"], "c": [*"aaa"]})
    assert apply_mapping(read_mapping(path), as_table(new)).uncovered == {NO_CLASS: 1}


LOW = {"builder": "groups", "levels": [{"low": [str(i) for i in range(30)]}], "other": "rest"}


@pytest.mark.parametrize(
    ("spec", "level", "values", "expected"),
    [
        ({"builder": "intervals"}, 1, ["7", "33", "-2"], None),
        ({"builder": "breaks", "levels": [[20, 40], [40]]}, 1, ["5", "20"], ["<20", "20-39"]),
        ({"builder": "quantiles", "bins": [3]}, 1, None, None),
        ({"builder": "mask", "levels": 1}, 1, ["10", "99"], ["1*", "9*"]),
        ({"builder": "flat"}, 1, ["5"], ["*"]),
        (LOW, 1, ["3", "29", "77"], ["low", "low", "rest"]),
        (None, 0, ["5", "123"], ["5", "123"]),
    ],
)  # fmt: skip
def test_every_builder_travels(
    spec: dict[str, Any] | None, level: int, values: list[str] | None, expected: list[str] | None,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Old values get their old labels in another table, new ones those that the rule says."""
    ages = [str(age) for age in np.random.default_rng(1).integers(10, 60, 80)]
    attribute: dict[str, Any] = {"role": "quasi", "kind": "numeric"}
    if spec is not None:
        attribute["hierarchy"] = spec
    made = project_from_mapping(
        {
            "data": {"path": "x.csv"},
            "attributes": {"age": attribute},
            "privacy": {"k": 1},
            **levels(age=level),
        }
    )
    result = anonymize(made, pl.DataFrame({"age": ages}))
    path = exported(result, tmp_path)
    assert Counter(result.table["age"]) == Counter(
        apply_mapping(read_mapping(path), as_table(pl.DataFrame({"age": ages}))).result.table["age"]
    )
    part = [age for age in ages if int(age) < 25]
    quarter = apply_mapping(read_mapping(path), as_table(pl.DataFrame({"age": part}))).result.table
    assert set(quarter["age"]) <= set(result.table["age"])
    if values is not None and expected is not None:
        new = apply_mapping(read_mapping(path), as_table(pl.DataFrame({"age": values})))
        assert sorted(new.result.table["age"]) == sorted(expected)


def test_a_mapping_holds_no_value_that_is_not_published(tmp_path: Path) -> None:
    text = mapping_text(first_release())
    assert "Secret" not in text
    assert "2024-01-" not in text
    assert not any(f'"{zip}"' in text for zip in month(1)["zip"])


def test_one_value_for_a_class_cannot_be_applied(tmp_path: Path) -> None:
    attributes = {**PROJECT["attributes"], "age": {"role": "quasi", "publish": "mean"}}
    result = anonymize(project(attributes=attributes, algorithm={"name": "mondrian"}), month(1))
    with pytest.raises(InputError, match="age publishes the mean of its class"):
        applied(result, month(2), tmp_path)


def test_a_second_month_of_the_census_sample(tmp_path: Path) -> None:
    """The sample's records are split into two months: one is released, one is applied."""
    sample = Project.load(find_sample("census").project)
    table = read_table(sample.data_path, sample.data.read_options)
    half = pl.int_range(pl.len()) % 2 == 0
    first = table.frame.filter(half)
    second = table.frame.filter(~half)
    result = anonymize(sample, as_table(first, table.missing_tokens))
    quasi = [attribute.name for attribute in result.task.quasi]
    mapping = read_mapping(exported(result, tmp_path))
    found = apply_mapping(mapping, as_table(second, table.missing_tokens), earlier=result.table)
    assert found.published > 0.9 * second.height
    assert smallest_class(found.result.table, quasi) >= result.task.k
    assert found.union is not None
    assert found.union.k >= result.task.k


BROKEN = {
    "no json": ("{", "not JSON"),
    "a list": ("[1]", "this is no mapping"),
    "another version": ('{"kanon_mapping": 9}', "is not a version this Kanon reads"),
    "twice": ('{"kanon_mapping": 1, "kanon_mapping": 1}', "stands there twice"),
    "nan": ('{"kanon_mapping": NaN}', "NaN is no number"),
    "no attributes": ('{"kanon_mapping": 1, "privacy": {"k": 2}}', "the key attributes is missing"),
    "unknown key": ('{"kanon_mapping": 1, "privat": {}}', "unknown key; did you mean 'privacy'"),
    "deep": ("[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_mappings_get_a_sentence(name: str, tmp_path: Path) -> None:
    text, said = BROKEN[name]
    path = tmp_path / "m.json"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_mapping(path)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no rule": ({"kind": "numeric"}, "the key rule is missing"),
    "no format": (
        {"kind": "numeric", "level": 0, "rule": {"builder": "flat"}}, "without a format that fits",
    ),
    "an unknown builder": (
        {"kind": "categorical", "level": 1, "rule": {"builder": "magic"}}, "unknown builder",
    ),
    "a mask without length": (
        {"kind": "categorical", "level": 1, "rule": {"builder": "mask"}}, "needs a length",
    ),
    "an uneven table": (
        {"kind": "categorical", "level": 1, "rule": {"levels": {"a": ["x"], "b": []}}}, "levels",
    ),
    "no level": ({"kind": "categorical", "rule": {"builder": "flat"}}, "has no level"),
    "labels that are no texts": (
        {"kind": "categorical", "level": 1, "rule": {"levels": {"a": [["x"]]}}}, "not allowed here",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rules_get_a_sentence(name: str, tmp_path: Path) -> None:
    rule, said = WRONG[name]
    path = tmp_path / "m.json"
    document = {"kanon_mapping": 1, "privacy": {"k": 2}, "attributes": {"a": rule}}
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=said):
        read_mapping(path)


def test_a_table_for_reading_is_told_from_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("attribute,value\n")
    with pytest.raises(InputError, match="a mapping as a table is for reading"):
        read_mapping(path)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no column 'job'"):
        applied(first_release(), month(2).drop("job"), tmp_path)
    with pytest.raises(InputError, match="has no column 'flu'"):
        applied(first_release(), month(2).drop("flu"), tmp_path)


def test_too_few_records_are_no_release(tmp_path: Path) -> None:
    with pytest.raises(NotReachedError, match="only 2 of 2 records are covered"):
        applied(first_release(), month(2, 2), tmp_path)


@pytest.mark.parametrize(
    ("hierarchy", "publish"),
    [
        ({"builder": "quantiles", "bins": [4, 2]}, "median"),
        ({"builder": "intervals", "width": 5, "factor": 2}, "range"),
    ],
)
def test_a_mapping_has_no_value_of_suppressed_records(
    hierarchy: dict[str, Any], publish: str
) -> None:
    spec = {"role": "quasi", "kind": "numeric", "hierarchy": hierarchy, "publish": publish}
    project = project_from_mapping(
        {
            "data": {"path": "pay.csv"},
            "attributes": {"pay": spec, "sex": {"role": "quasi"}},
            "privacy": {"k": 3, "max_suppression": 0.1},
            "algorithm": {"name": "global", "params": {"levels": "pay=1,sex=0"}},
        }
    )
    pays = [*range(20, 30), *range(40, 50)] * 2
    sexes = [*"mf" * 20]
    results = [
        anonymize(project, pl.DataFrame({"pay": [*pays, top], "sex": [*sexes, "x"]}))
        for top in (99, 9999)
    ]
    assert results[0].table.equals(results[1].table)
    assert mapping_text(results[0]) == mapping_text(results[1])


@pytest.mark.parametrize(
    "spec",
    [
        {"kind": "numeric"},
        {"kind": "numeric", "publish": "hierarchy", "hierarchy": {"builder": "intervals"}},
        {"kind": "categorical", "hierarchy": {"builder": "mask"}},
    ],
)
def test_a_mapping_of_classes_has_no_value_of_suppressed_records(spec: dict[str, Any]) -> None:
    project = project_from_mapping(
        {
            "data": {"path": "pay.csv"},
            "attributes": {"sex": {"role": "quasi"}, "pay": {"role": "quasi", **spec}},
            "privacy": {"k": 3},
            "algorithm": {"name": "sbc", "params": {"left_over": "suppress"}},
        }
    )
    results = [
        anonymize(project, pl.DataFrame({"sex": [*"mmmmmmf"], "pay": [*[20] * 3, *[21] * 3, top]}))
        for top in (99, 999999)
    ]
    assert results[0].table.equals(results[1].table)
    assert mapping_text(results[0]) == mapping_text(results[1])
