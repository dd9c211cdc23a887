"""One value for a whole class: mean, median, mode, against pandas."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from statistics import median

import numpy as np
import pandas as pd
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec, project_from_mapping, project_to_mapping
from kanon_tui.core.release.class_texts import dominated_classes
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.value_formats import NumberFormat
from kanon_tui.core.task.task import Grouping, Task
from tests.helpers import make_task


def classes(task: Task, *labels: int) -> Release:
    return recode(task, Grouping(np.array(labels, dtype=np.int32)))


def printed(release: Release, x: int = 0) -> list[str]:
    cells = release.cells[x]
    return [cells.texts[code] for code in cells.codes]


def rounded(exact: Fraction, decimals: int) -> str:
    step = Decimal(1).scaleb(-decimals)
    value = Decimal(exact.numerator) / Decimal(exact.denominator)
    return f"{value.quantize(step, ROUND_HALF_EVEN):f}".replace("-0", "0", 1) if value == 0 else (
        f"{value.quantize(step, ROUND_HALF_EVEN):f}"
    )  # fmt: skip


@pytest.mark.parametrize("publish", ["mean", "median"])
@pytest.mark.parametrize("seed", range(12))
def test_numbers_against_exact_fractions_of_python(publish: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    decimals = int(rng.integers(0, 4))
    n = 40
    values = [f"{x:.{decimals}f}" for x in rng.integers(-500, 500, n) / 10**decimals]
    values = [text.replace("-", "") if float(text) == 0 else text for text in values]
    labels = rng.integers(0, 6, n)
    task = make_task({"x": values}, 1, {"x": AttributeSpec(kind=Kind.NUMERIC, publish=publish)})
    frame = pd.DataFrame({"class": labels, "value": [Fraction(text) for text in values]})
    finest = max(len(text.rstrip("0").partition(".")[2]) if "." in text else 0 for text in values)
    expected = {}
    for label, group in frame.groupby("class")["value"]:
        held = list(group)
        if len(set(held)) > 1:
            found = sum(held) / len(held) if publish == "mean" else Fraction(median(held))
            expected[label] = rounded(found, finest)
    got = printed(classes(task, *labels))
    for label, text in zip(labels.tolist(), got, strict=True):
        if label in expected:
            assert Decimal(text) == Decimal(expected[label])
            assert len(text.partition(".")[2]) == finest


def test_no_more_digits_than_the_finest_value() -> None:
    task = make_task({"x": [1, 2, 2]}, 1, {"x": AttributeSpec(publish="mean")})
    assert printed(classes(task, 0, 0, 0)) == ["2"] * 3
    task = make_task({"x": [1.25, 2, 2]}, 1, {"x": AttributeSpec(publish="mean")})
    assert printed(classes(task, 0, 0, 0)) == ["1.75"] * 3


def test_the_marks_of_the_column_are_kept() -> None:
    spec = AttributeSpec(kind=Kind.NUMERIC, format=NumberFormat(",", "."), publish="mean")
    task = make_task({"x": ["1.234,5", "2.000,5"]}, 1, {"x": spec})
    assert printed(classes(task, 0, 0)) == ["1.617,5"] * 2


def test_numbers_beyond_a_double_are_averaged_exactly() -> None:
    spec = {"x": AttributeSpec(kind=Kind.NUMERIC, publish="mean")}
    task = make_task({"x": ["9007199254740993", "9007199254740995"]}, 1, spec)
    assert printed(classes(task, 0, 0)) == ["9007199254740994"] * 2


def test_dates_are_whole_days_in_the_form_of_the_column() -> None:
    spec = AttributeSpec(kind=Kind.DATE, format="%d.%m.%Y", publish="mean")
    days = ["01.02.2020", "03.02.2020", "05.02.2020"]
    assert printed(classes(make_task({"d": days}, 1, {"d": spec}), 0, 0, 0)) == ["03.02.2020"] * 3


def test_missing_among_present_values_is_hidden_and_alone_stays_missing() -> None:
    spec = {"x": AttributeSpec(kind=Kind.NUMERIC, publish="median")}
    task = make_task({"x": ["1", "?", "?", "?", "5", "9"]}, 1, spec)
    assert printed(classes(task, 0, 0, 1, 1, 2, 2)) == ["*", "*", "?", "?", "7", "7"]


def test_the_mode_is_the_first_of_the_most_frequent() -> None:
    spec = {"c": AttributeSpec(publish="mode")}
    task = make_task({"c": ["b", "b", "a", "c", "b", "b", "a", "a"]}, 1, spec)
    assert printed(classes(task, 0, 0, 0, 1, 2, 2, 2, 2)) == [*"bbbc", *"aaaa"]


def test_cells_are_measured_by_the_range_of_their_class() -> None:
    columns = {"age": [10, 20, 30, 50], "job": ["a", "b", "a", "a"]}
    usual = measure(classes(make_task(columns, 2), 0, 0, 1, 1))
    specs = {"age": AttributeSpec(publish="mean"), "job": AttributeSpec(publish="mode")}
    found = measure(classes(make_task(columns, 2, specs), 0, 0, 1, 1))
    assert (found.ncp, found.rv, found.il) == (usual.ncp, usual.rv, usual.il)
    assert found.attributes["age"].ncp == pytest.approx((2 * 10 + 2 * 20) / 40 / 4)


def test_classes_with_the_same_mean_are_one_class_and_measured_as_one() -> None:
    task = make_task({"x": [1, 3, 0, 4]}, 2, {"x": AttributeSpec(publish="mean")})
    release = classes(task, 0, 0, 1, 1)
    assert smallest_class(release.frame, ["x"]) == 4
    assert release.class_sizes.tolist() == [4]
    assert measure(release).ncp == 1.0


def table(rng: np.random.Generator, n: int = 60) -> dict[str, list[object]]:
    return {
        "age": rng.integers(0, 60, n).tolist(),
        "pay": rng.integers(100, 900, n).tolist(),
        "job": rng.choice([*"abc"], n).tolist(),
    }


SPECS = {
    "age": AttributeSpec(publish="mean"),
    "pay": AttributeSpec(publish="median"),
    "job": AttributeSpec(publish="mode"),
}


def released(name: str) -> Result:
    columns = table(np.random.default_rng(3))
    parameters = {"accept_root": True} if name == "local" else {}
    return conclude(Run(make_task(columns, 3, SPECS), ALGORITHMS[name](**parameters)))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_against_pandas(name: str) -> None:
    """The classes of the release hold originals whose mean, median and mode are printed."""
    result = released(name)
    assert smallest_class(result.table, ["age", "pay", "job"]) >= 3
    if name == "udc-suppress":
        return  # single cells are hidden there, which the mean leaves out
    release = result.release
    frame = pd.DataFrame(table(np.random.default_rng(3)))
    frame["class"] = release.grouping.labels
    frame = frame[frame["class"] >= 0]
    if release.grouping.levels is not None:
        maps = zip(release.task.quasi, release.grouping.levels, strict=True)
        labels = [a.hierarchy.maps[level][a.column.codes] for a, level in maps]
        frame["class"] = [tuple(row) for row in np.column_stack(labels)[frame.index]]
    groups = frame.groupby("class")
    ages = groups["age"].transform("mean").round().astype(int).astype(str)
    assert [printed(release, 0)[i] for i in frame.index] == ages.to_list()
    pays = groups["pay"].transform("median").round().astype(int).astype(str)
    assert [printed(release, 1)[i] for i in frame.index] == pays.to_list()
    jobs = groups["job"].transform(lambda held: held.mode().iloc[0])
    assert [printed(release, 2)[i] for i in frame.index] == jobs.to_list()


def test_full_domain_measures_the_class_and_tells_the_level() -> None:
    result = released("global")
    assert result.measures.attributes["age"].level is not None
    frame = pd.DataFrame(table(np.random.default_rng(3)))
    held = frame.assign(number=result.release.classes).groupby("number")["age"]
    widths = held.transform("max") - held.transform("min")
    domain = frame["age"].max() - frame["age"].min()
    assert result.measures.attributes["age"].ncp == pytest.approx(widths.mean() / domain)


def test_the_p_percent_rule() -> None:
    """Who knows 12,000 and the mean of the first class learns 5,000,000 to within 0.5 %."""
    pays = [5_000_000, 12_000, 11_000, 13_000, 20, 30, 40, 35]
    task = make_task({"pay": pays}, 4, {"pay": AttributeSpec(publish="mean")})
    release = classes(task, 0, 0, 0, 0, 1, 1, 1, 1)
    assert dominated_classes(task.quasi[0], release.classes) == 1
    assert "in 1 class one record dominates the mean" in release.warnings[0]
    median_task = make_task({"pay": pays}, 4, {"pay": AttributeSpec(publish="median")})
    assert not classes(median_task, 0, 0, 0, 0, 1, 1, 1, 1).warnings


@pytest.mark.parametrize("seed", range(10))
def test_the_p_percent_rule_against_a_plain_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pays = np.round(np.exp(rng.normal(5, 2, 60))).astype(int).tolist()
    labels = rng.integers(0, 8, 60)
    task = make_task({"pay": pays}, 1, {"pay": AttributeSpec(publish="mean")})
    expected = 0
    for label in range(8):
        held = sorted((p for p, own in zip(pays, labels, strict=True) if own == label))[::-1]
        expected += len(set(held)) > 1 and sum(held[2:]) < 0.1 * held[0]
    assert dominated_classes(task.quasi[0], labels) == expected


def test_the_report_tells_of_it() -> None:
    notes = " ".join(released("mondrian").notes)
    assert "age: all members of a class get its mean, written with 0 decimals" in notes


def test_older_words_are_read_and_the_new_one_is_written() -> None:
    def publish(**attribute: str) -> str | None:
        project = project_from_mapping({"data": {"path": "a.csv"}, "attributes": {"x": attribute}})
        written = project_to_mapping(project)["attributes"]["x"]
        return written.get("publish") if isinstance(written, dict) else None

    assert publish(categories="set") == "set"
    assert publish(numeric="hierarchy") == "hierarchy"
    assert publish(numeric="ranges") == "range"
    with pytest.raises(InputError, match="categories is the older word for publish"):
        publish(categories="set", publish="mode")


@pytest.mark.parametrize(("values", "publish"), [([1, 2], "mode"), (["a", "b"], "mean")])
def test_what_does_not_fit_the_kind_is_refused(values: list[object], publish: str) -> None:
    with pytest.raises(InputError, match=f"publish: {publish} is for"):
        make_task({"a": values}, 1, {"a": AttributeSpec(publish=publish)})
