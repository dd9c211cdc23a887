"""Reading a project file: every field as it was written."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import (
    AlgorithmChoice,
    AttributeSpec,
    DataSource,
    Project,
    project_to_text,
)
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from tests.core.project.texts import load, refusal

CONTRACT = """
version: 1
data:
  path: census.csv            # csv, tsv, parquet; compressed csv too
  delimiter: auto             # or ",", ";", …
  header: true                # or a list of names for files without one
  encoding: auto
  missing: {tokens: ["", "?", "NA"], policy: value}     # or policy: drop
attributes:
  name: {role: identifier}
  age:
    role: quasi
    kind: numeric
    weight: 0.3
    domain: [17, 90]          # default: what is observed
    hierarchy: {builder: intervals, widths: [5, 10, 20]}
    rules: {base: 10, keep: [{boundary: [64, 65], importance: 25}]}
  race:
    role: quasi
    kind: categorical
    hierarchy: {file: race.csv}
    rules: {base: 0, keep: [{apart: [White, Black], importance: 20},
                            {apart: [[White, Asian], [Hispanic]], importance: 5}]}
  location:
    role: quasi
    hierarchy: {file: location.csv}
    magvals: [California, Kansas, {label: Midwest, level: 2}]
  zip:
    role: quasi
    kind: categorical
    hierarchy: {builder: mask, from: right}
    rv: [0.95, 0.72, 0.58, null, 0.0]
  income: {role: sensitive}
weights: equal
privacy: {k: 5, max_suppression: 0.0}
algorithm: {name: toy, params: {}}
seed: 0
output: {suppressed: drop, order: sorted}
"""


def test_the_project_of_the_contract(tmp_path: Path) -> None:
    project = load(CONTRACT, tmp_path)
    quasi = Role.QUASI
    assert project == Project(
        data=DataSource("census.csv", ReadOptions(header=True)),
        attributes={
            "name": AttributeSpec(role=Role.IDENTIFIER),
            "age": AttributeSpec(
                role=quasi,
                kind=Kind.NUMERIC,
                weight=0.3,
                domain=(17, 90),
                hierarchy={"builder": "intervals", "widths": [5, 10, 20]},
                rules=RuleTable(10, (Boundary("64", "65", 25),)),
            ),
            "race": AttributeSpec(
                role=quasi,
                kind=Kind.CATEGORICAL,
                hierarchy={"file": "race.csv"},
                rules=RuleTable(
                    0,
                    (
                        Apart(("White",), ("Black",), 20),
                        Apart(("White", "Asian"), ("Hispanic",), 5),
                    ),
                ),
            ),
            "location": AttributeSpec(
                role=quasi,
                hierarchy={"file": "location.csv"},
                magvals=("California", "Kansas", Mark(2, "Midwest")),
            ),
            "zip": AttributeSpec(
                role=quasi,
                kind=Kind.CATEGORICAL,
                hierarchy={"builder": "mask", "from": "right"},
                rv=(0.95, 0.72, 0.58, None, 0.0),
            ),
            "income": AttributeSpec(role=Role.SENSITIVE),
        },
        privacy=Privacy(k=5),
        algorithm=AlgorithmChoice("toy"),
        path=tmp_path / "census.yaml",
    )
    assert list(project.attributes) == ["name", "age", "race", "location", "zip", "income"]


def test_what_the_contract_project_is_written_as(tmp_path: Path) -> None:
    assert project_to_text(load(CONTRACT, tmp_path)) == (
        """\
version: 1
data:
  path: census.csv
  header: true
attributes:
  name: {role: identifier}
  age:
    role: quasi
    kind: numeric
    weight: 0.3
    domain: [17, 90]
    hierarchy: {builder: intervals, widths: [5, 10, 20]}
    rules: {base: 10, keep: [{boundary: [64, 65], importance: 25}]}
  race:
    role: quasi
    kind: categorical
    hierarchy: {file: race.csv}
    rules:
      keep:
      - {apart: [White, Black], importance: 20}
      - {apart: [[White, Asian], Hispanic], importance: 5}
  location:
    role: quasi
    hierarchy: {file: location.csv}
    magvals: [California, Kansas, {label: Midwest, level: 2}]
  zip:
    role: quasi
    kind: categorical
    hierarchy: {builder: mask, from: right}
    rv: [0.95, 0.72, 0.58, null, 0]
  income: {role: sensitive}
privacy: {k: 5}
algorithm: {name: toy}
seed: 0
"""
    )


def test_every_hierarchy_of_the_contract_is_taken_as_written(tmp_path: Path) -> None:
    specs = {
        "{builder: intervals, widths: [5, 10, 20], origin: 0}": {
            "builder": "intervals",
            "widths": [5, 10, 20],
            "origin": 0,
        },
        "{builder: breaks, levels: [[18, 40, 65], [65]]}": {
            "builder": "breaks",
            "levels": [[18, 40, 65], [65]],
        },
        "{builder: quantiles, bins: [10, 5]}": {"builder": "quantiles", "bins": [10, 5]},
        "{builder: date, levels: [month, year, 5 years, decade]}": {
            "builder": "date",
            "levels": ["month", "year", "5 years", "decade"],
        },
        "{builder: groups, levels: [{Yes: [yes, 1]}, {World: [Yes]}]}": {
            "builder": "groups",
            "levels": [{"Yes": ["yes", "1"]}, {"World": ["Yes"]}],
        },
        "{builder: flat}": {"builder": "flat"},
        "{levels: {46201: [4620*, 462**], 01234: [0123*, 012**]}}": {
            "levels": {"46201": ["4620*", "462**"], "01234": ["0123*", "012**"]}
        },
        "{utd: config.xml, attribute: 7}": {"utd": "config.xml", "attribute": "7"},
    }
    for written, expected in specs.items():
        text = f"data: {{path: a.csv}}\nattributes: {{x: {{hierarchy: {written}}}}}\n"
        assert load(text, tmp_path).attributes["x"].hierarchy == expected


def test_a_path_is_enough(tmp_path: Path) -> None:
    project = load("data: {path: census.csv}\n", tmp_path)
    assert project == Project(DataSource("census.csv"), path=tmp_path / "census.yaml")
    assert project.data_path == tmp_path / "census.csv"


def test_values_stay_as_a_person_wrote_them(tmp_path: Path) -> None:
    project = load(
        """
data: {path: 2020, header: [01, 1e3, yes, 0x1F], missing: {tokens: [no, -, 00]}}
attributes:
  007: {role: quasi, format: "%Y", magvals: [01234, 1_000, 12:30:45], domain: [1995-09-20, 1.50]}
  on:
    rules:
      keep:
      - {boundary: [1995-09-20, 1995-09-21], importance: 1}
      - {apart: [yes, [no, 1.50, "null"]], importance: 1e-1}
algorithm: {name: toy, params: {label: 007, column: yes, relaxed: yes, penalty: 1e-1}}
""",
        tmp_path,
    )
    assert project.data.path == "2020"
    assert project.data.read_options.header == ("01", "1e3", "yes", "0x1F")
    assert project.data.read_options.missing_tokens == ("no", "-", "00")
    assert list(project.attributes) == ["007", "on"]
    seven = project.attributes["007"]
    assert seven.magvals == ("01234", "1_000", "12:30:45")
    assert seven.domain == ("1995-09-20", "1.50")
    assert project.attributes["on"].rules.rules == (
        Boundary("1995-09-20", "1995-09-21", 1),
        Apart(("yes",), ("no", "1.50", "null"), 0.1),
    )
    assert project.algorithm.params == {
        "label": "007",
        "column": "yes",
        "relaxed": True,
        "penalty": 0.1,
    }


def test_a_null_in_a_header_must_be_quoted(tmp_path: Path) -> None:
    message = refusal("data: {path: a.csv, header: [a, null]}", tmp_path)
    assert "data.header[2]: nothing is not the name of a column; put null" in message
    project = load("data: {path: a.csv, header: [a, 'null']}", tmp_path)
    assert project.data.read_options.header == ("a", "null")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_bytes(b"\xef\xbb\xbfdata: {path: a.csv}\r\nseed: 3\r\n")
    assert Project.load(tmp_path / "p.yaml").seed == 3
