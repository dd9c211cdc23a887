"""Results and their reports: complete, readable, and without anything that identifies people."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.pipeline.run import Result, Run, anonymize, conclude, start
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.report.formats import html, markdown, report_bytes
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.report.sections import figure
from kanon_tui.core.report.story import annex_document, story
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.task import Algorithm, Family, Grouping, RunContext, Step, Steps, Task
from tests.helpers import make_task
from tests.paths import ROOT

COLUMNS = {
    "person": [f"Zoe Secret{i}" for i in range(12)],
    "age": [21, 22, 23, 24, 40, 41, 42, 43, 64, 65, 66, 67],
    "sex": ["F", "M"] * 6,
    "flu": ["yes", "no", "no"] * 4,
}
SPECS = {
    "person": AttributeSpec(role=Role.IDENTIFIER),
    "age": AttributeSpec(rules=RuleTable(5, (Boundary("64", "65", 25),))),
    "sex": AttributeSpec(rules=RuleTable(0, (Apart(("F",), ("M",), 3),))),
    "flu": AttributeSpec(role=Role.SENSITIVE),
}


def result_of(algorithm: Algorithm, k: int = 3, **more: object) -> Result:
    return conclude(Run(make_task(COLUMNS, k, SPECS, **more), algorithm))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Fixed(Algorithm):
    """Groups records by the first letter it is told for each, `-` meaning suppressed."""

    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "Fixed groups"
    family: ClassVar[Family] = Family.CLUSTERING
    paper: ClassVar[str] = "none"
    summary: ClassVar[str] = "Groups as told"

    groups: str = declared("", "a letter per record")

    def steps(self, task: Task, context: RunContext) -> Steps:
        yield Step(Event())
        labels = [-1 if letter == "-" else ord(letter) for letter in self.groups]
        return Grouping(np.array(labels, dtype=np.int32), search={"odd": float("nan"), "n": 1})


def fixed(groups: str, k: int = 2, **output: object) -> Result:
    task = make_task({"x": range(len(groups))}, k, output=Output(**output))  # type: ignore[arg-type]
    return conclude(Run(task, Fixed(groups)))


# --- the mapping


def test_the_report_has_the_fields_of_the_contract_in_order() -> None:
    report = result_of(Mondrian()).report
    assert " ".join(report) == (
        "version algorithm params k seed seconds phases versions records dropped_missing "
        "published_as_they_are left_out singling_out "
        "published cautions "
        "suppressed_records suppressed_cells classes distinct_published smallest_class "
        "largest_class metrics attributes privacy strings search notes input release internal"
    )
    assert list(report["versions"])[:2] == ["kanon_tui", "python"]
    assert (
        " ".join(report["metrics"]) == "ncp ncp_class utility rv il dm cm c_avg md iloss precision"
    )
    assert list(report["attributes"]) == ["age", "sex"]
    assert list(report["attributes"]["age"]) == [
        "weight", "rule_emphasis", "ncp", "rv", "level", "rules",
    ]  # fmt: skip
    assert " ".join(report["privacy"]) == (
        "k l_distinct l_entropy t p alpha l_recursive t_hierarchy beta beta_enhanced delta "
        "risk_max risk_mean violations disclosed violating_values"
    )


def test_the_figures_are_those_of_the_release() -> None:
    result = result_of(Mondrian(relaxed=True), k=4, seed=7)
    report = result.report
    frame = result.table
    sizes = frame.group_by("age", "sex").len()["len"]
    assert report["algorithm"] == "mondrian"
    assert report["params"]["relaxed"] is True
    assert report["params"]["cut"] == "allowable"
    assert (report["k"], report["seed"], report["records"]) == (4, 7, 12)
    assert report["classes"] == report["distinct_published"] == len(sizes)
    assert report["smallest_class"] == report["privacy"]["k"] == sizes.min()
    assert report["largest_class"] == sizes.max()
    assert report["metrics"]["ncp"] + report["metrics"]["utility"] == pytest.approx(1)
    assert report["metrics"]["precision"] is None
    assert report["attributes"]["age"]["level"] is None
    assert report["attributes"]["age"]["rules"] == [
        {"rule": "64 | 65", "importance": 25.0, "kept": 0.5}
    ]
    assert set(report["privacy"]["l_distinct"]) == {"flu"}


def test_full_domain_reports_the_levels() -> None:
    result = result_of(Datafly())
    levels = [attribute["level"] for attribute in result.report["attributes"].values()]
    assert levels == list(result.grouping.levels or ())
    assert result.report["search"]["answer"] == dict(zip(["age", "sex"], levels, strict=True))


def test_the_report_is_json_with_null_for_what_is_not_defined() -> None:
    report = fixed("aabb").report
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert report["search"] == {"odd": None, "n": 1}
    assert report["metrics"]["cm"] is None


def test_the_version_is_the_one_of_the_package() -> None:
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert kn.__version__ == packaged == fixed("aa").report["versions"]["kanon_tui"]


# --- results


@pytest.mark.parametrize("order", ["sorted", "shuffled", "input"])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_classes_stand_beside_the_rows_of_the_table(order: str, suppressed: str) -> None:
    result = fixed("ab-ba-abc-cc", 3, order=order, suppressed=suppressed)
    rows = result.table["x"].to_list()
    assert len(rows) == len(result.classes) == (12 if suppressed == "star" else 9)
    pairs = set(zip(rows, result.classes.tolist(), strict=True))
    expected = {("[0..6]", 0), ("[1..7]", 1), ("[8..11]", 2)}
    assert pairs == (expected | {("*", -1)} if suppressed == "star" else expected)


def test_starred_records_below_k_are_refused_with_a_way_out() -> None:
    with pytest.raises(NotReachedError, match="publish a class of 2 suppressed records, k is 3"):
        fixed("aaa-bbb-", 3, suppressed="star")
    with pytest.raises(NotReachedError, match="use suppressed: drop"):
        fixed("aaa-", 2, suppressed="star")
    assert fixed("aaa-bbb-", 2, suppressed="star").table.height == 8
    assert fixed("aaa-bbb-", 3).table.height == 6


@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_a_release_of_nothing_is_none(suppressed: str) -> None:
    with pytest.raises(NotReachedError, match="every record is suppressed"):
        fixed("-----", 2, suppressed=suppressed)


def test_a_release_below_k_is_never_a_result() -> None:
    with pytest.raises(NotReachedError, match="smallest class has 1 records, k is 2"):
        fixed("aab", 2)


def test_a_run_stopped_with_nothing_to_keep() -> None:
    run = Run(make_task({"x": [1, 2]}), Fixed("aa"))
    next(run)
    run.cancel()
    with pytest.raises(NotReachedError, match="fixed: stopped before it had found a release"):
        conclude(run)


def project(**more: object) -> Project:
    made = Project(
        DataSource("people.csv"),
        {
            "person": AttributeSpec(role=Role.IDENTIFIER),
            "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
            "sex": AttributeSpec(role=Role.QUASI),
            "flu": AttributeSpec(role=Role.SENSITIVE),
        },
        privacy=Privacy(3),
        algorithm=AlgorithmChoice("mondrian"),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def test_a_file_a_polars_and_a_pandas_frame_give_the_same_release(tmp_path: Path) -> None:
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(tmp_path / "people.csv")
    project().save(tmp_path / "p.yaml")
    # Saved relative to where the program runs; here the data lies beside the project.
    text = (tmp_path / "p.yaml").read_text()
    (tmp_path / "p.yaml").write_text(re.sub("path: .*", "path: people.csv", text))
    from_file = anonymize(tmp_path / "p.yaml").table
    assert from_file.columns == ["age", "sex", "flu"]
    assert anonymize(project(), frame).table.equals(from_file)
    assert anonymize(project(), pd.DataFrame(COLUMNS)).table.equals(from_file)
    assert kn.anonymize(str(tmp_path / "p.yaml"), table=frame).table.equals(from_file)


def test_a_run_is_an_iterator_of_steps_with_the_same_answer() -> None:
    frame = pl.DataFrame(COLUMNS)
    run = kn.run(project(), frame)
    run.context.decisions_per_step = 1
    assert [step.sentence for step in run]
    assert conclude(run).table.equals(anonymize(project(), frame).table)
    assert conclude(start(project(), task=run.task)).table.equals(conclude(run).table)


def test_unknown_parameters_and_algorithms_are_named() -> None:
    frame = pl.DataFrame(COLUMNS)
    with pytest.raises(InputError, match="unknown algorithm 'mondrain'; did you mean 'mondrian'"):
        anonymize(project(algorithm=AlgorithmChoice("mondrain")), frame)
    with pytest.raises(InputError, match="mondrian: relaxt: unknown parameter"):
        anonymize(project(algorithm=AlgorithmChoice("mondrian", {"relaxt": True})), frame)


def test_the_public_page_names_what_is_there() -> None:
    assert set(dir(kn)) == set(kn.__all__)
    for name in kn.__all__:
        assert getattr(kn, name) is not None
    assert {entry["name"] for entry in kn.algorithms()} >= {"mondrian", "datafly"}
    with pytest.raises(AttributeError, match="has no attribute 'anonymise'"):
        kn.anonymise  # noqa: B018


def test_results_are_written_by_ending(tmp_path: Path) -> None:
    result = result_of(Mondrian())
    result.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text().splitlines()[0] == "age,sex,flu"
    with pytest.raises(InputError, match="exists and is kept"):
        result.write(tmp_path / "r.csv")
    result.write(tmp_path / "r.csv", force=True)
    result.write_report(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == result.report
    result.write_report(tmp_path / "r.md")
    assert (tmp_path / "r.md").read_text() == markdown(story(result))
    result.write_report(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == html(story(result, public=True))
    result.write_report(tmp_path / "r.pdf", annex=tmp_path / "annex.md")
    assert (tmp_path / "r.pdf").read_bytes() == report_bytes(result, Path("again.pdf"))
    assert "| Seed | 0 |" in (tmp_path / "annex.md").read_text()
    with pytest.raises(InputError, match=r"reports end in \.json, \.pdf, \.html or \.md"):
        result.write_report(tmp_path / "r.docx")


# --- for people


class Page(HTMLParser):
    """Checks that tags are balanced and collects them."""

    VOID = ("meta", "br", "!doctype")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


HOSTILE = '<img src=x onerror="alert(1)">|`*_[a](http://evil)\n# x'


def hostile() -> Result:
    task = make_task(
        {HOSTILE: [HOSTILE, HOSTILE, "b|", "b|"], "n": [1, 2, 3, 4]},
        specs={
            HOSTILE: AttributeSpec(
                kind=Kind.CATEGORICAL, rules=RuleTable(0, (Apart((HOSTILE,), ("b|",), 1),))
            )
        },
    )
    return conclude(Run(task, Mondrian()))


def test_html_is_whole_and_loads_nothing() -> None:
    for result in (result_of(Mondrian()), result_of(Datafly()), hostile(), fixed("aabb")):
        page = Page(html(story(result)))
        tags = {tag for tag, _ in page.tags}
        assert not tags & {"script", "link", "img", "iframe", "object", "embed", "a", "base"}
        for _, attributes in page.tags:
            assert not {"src", "href", "onerror"} & set(attributes)
        assert "url(" not in html(story(result))
        assert "@import" not in html(story(result))
        assert "prefers-color-scheme: dark" in html(story(result))


def test_bars_are_as_long_as_their_figures() -> None:
    result = result_of(Datafly())
    widths = [
        float(attributes["style"].removeprefix("width:").removesuffix("%"))  # type: ignore[union-attr]
        for tag, attributes in Page(html(story(result))).tags
        if tag == "i"
    ]
    measured = result.measures.attributes
    expected = []
    for attribute in measured.values():
        expected += [attribute.ncp * 100, attribute.rv / attribute.weight * 100]
    expected += [kept.kept * 100 for attribute in measured.values() for kept in attribute.rules]
    assert widths[: len(expected)] == pytest.approx(expected, abs=0.051)


def test_markdown_tables_keep_their_columns_whatever_the_names() -> None:
    for result in (result_of(Mondrian()), result_of(Datafly()), hostile()):
        columns = 0
        for line in markdown(story(result)).splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line))
            if line.startswith("|"):
                columns = columns or cells
                assert cells == columns, line
            else:
                columns = 0
        assert not re.search(r"(?<!\\)<", markdown(story(result)))


def test_no_report_names_a_person() -> None:
    for result in (result_of(Mondrian()), result_of(Datafly())):
        for text in (json.dumps(result.report), markdown(story(result)), html(story(result))):
            assert "Secret" not in text
            assert "Zoe" not in text


def test_people_are_told_what_was_done() -> None:
    text = markdown(story(result_of(Datafly(), max_suppression=0.1)))
    for told in (
        "12 records were generalised with Datafly",
        "removed, direct identifiers among them: person",
        "published as they are: flu",
        "| age | 64 \\| 65 | 25 |",
        "share of detail lost",
        "| Distinct l-diversity: flu |",
        "| quasi-identifier |",
    ):
        assert told in text
    annex = markdown(annex_document(result_of(Datafly(), max_suppression=0.1)))
    command = "kanon-tui run PROJECT.yaml --algorithm datafly --k 3 --seed 0 --out release.csv"
    assert command in annex
    assert "--seed" not in text


def test_people_who_are_alone_in_their_class_are_counted() -> None:
    told = "| Sample uniques | {} | alone in their class |"
    assert told.format(2) in markdown(story(fixed("abbc", k=1)))
    assert told.format(0) in markdown(story(fixed("aabb")))


def test_how_to_make_it_again_names_what_is_not_default() -> None:
    task = make_task(COLUMNS, 3, SPECS)
    made = project(path=Path("some where") / "my census.yaml")
    command = reproduce(conclude(Run(task, Mondrian(relaxed=True)), made))
    assert shlex.split(command) == [
        *("kanon-tui", "run", "my census.yaml", "--algorithm", "mondrian", "--k", "3"),
        *("--seed", "0", "--set", "relaxed=true", "--out", "release.csv"),
    ]


def test_figures_are_short() -> None:
    shown = {
        None: "–",
        float("nan"): "–",
        0: "0",
        1234567: "1,234,567",
        0.5: "0.5",
        1 / 3: "0.3333",
        12345.6: "12,346",
        0.00001234: "1.234e-05",
        True: "yes",
    }
    assert {value: figure(value) for value in shown} == shown


def test_the_mapping_does_not_change_the_result() -> None:
    result = result_of(Datafly())
    assert report_mapping(result) == report_mapping(result) == result.report
