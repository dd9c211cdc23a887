"""Project files: nothing is lost on the way to YAML and back, and what is wrong is named."""

from __future__ import annotations

import os
import string
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import ReadOptions
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import parameter
from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.file import (
    load_project,
    moved,
    project_from_mapping,
    project_to_mapping,
    project_to_text,
    save_project,
)
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.steps import Algorithm, Family, RunContext, Steps
from kanon_tui.core.task.task import Task


@dataclass(frozen=True)
class Toy(Algorithm):
    """Has a parameter of every type."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Toy"
    family: ClassVar[Family] = Family.CLUSTERING
    paper: ClassVar[str] = ""
    summary: ClassVar[str] = ""

    relaxed: bool = parameter(False, "a switch")
    rounds: int = parameter(3, "a count", low=1)
    penalty: float = parameter(0.5, "a number", low=0, high=10)
    label: str = parameter("none", "a text")
    column: str | None = parameter(None, "a text or nothing")

    def steps(self, task: Task, context: RunContext) -> Steps:
        raise NotImplementedError


@pytest.fixture(autouse=True, scope="module")
def _toy() -> Any:
    ALGORITHMS["toy"] = Toy
    yield
    del ALGORITHMS["toy"]


def load(text: str, folder: Path) -> Project:
    file = folder / "census.yaml"
    file.write_text(text, encoding="utf-8")
    return load_project(file)


def refusal(text: str, folder: Path) -> str:
    with pytest.raises(InputError) as error:
        load(text, folder)
    message = str(error.value)
    assert "\n" not in message
    return message


# --- what the contract shows


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
output: {suppressed: drop, shuffle: false}
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


# --- there and back


ODD_WORDS = """? NA * yes No null ~ none 01234 64 0.5 1.50 1e5 -0 1995-09-20 12:30 ' " {A|B} <<
    [1..2] = é 日本 &a !x % @ ` 0x1F +3 .inf nan 1_000 true --- ...""".split()  # noqa: SIM905
WORDS = st.one_of(
    st.sampled_from([*ODD_WORDS, "", "a: b", "a #b", "- a", "\t", " x ", "a\nb", "\n", "\u2028"]),
    st.just("x" * 200),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.text(string.digits + ".-+e:", max_size=8),
)
NAMES = WORDS.filter(bool)
NUMBERS = st.one_of(st.integers(0, 10**20).map(float), st.floats(0, 1e300), st.floats(0.0001, 1.0))
POSITIVE = NUMBERS.filter(lambda x: x > 0)


def hierarchies() -> st.SearchStrategy[dict[str, Any]]:
    labels = st.lists(WORDS, max_size=3)
    rows = st.dictionaries(WORDS, labels, min_size=1, max_size=4)
    groups = st.dictionaries(NAMES, st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda name: {"file": name}, NAMES),
        st.builds(lambda name, which: {"utd": name, "attribute": which}, NAMES, NAMES),
        st.builds(lambda table: {"levels": table}, rows),
        st.builds(lambda levels: {"builder": "groups", "levels": [levels]}, groups),
        st.builds(
            lambda widths: {"builder": "intervals", "widths": widths},
            st.lists(st.integers(1, 99) | st.floats(0.01, 1e6), min_size=1, max_size=4),
        ),
        st.just({"builder": "mask", "from": "left"}),
    )


RULES = st.one_of(
    st.builds(Boundary, WORDS, WORDS, POSITIVE),
    st.builds(
        Apart,
        st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        POSITIVE,
    ),
)
ENDS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), WORDS)
SPECS = st.builds(
    AttributeSpec,
    role=st.none() | st.sampled_from(Role),
    kind=st.none() | st.sampled_from(Kind),
    format=st.none() | WORDS,
    weight=st.none() | NUMBERS,
    resolution=st.none() | POSITIVE,
    domain=st.none() | st.tuples(ENDS, ENDS),
    hierarchy=st.none() | hierarchies(),
    rules=st.builds(RuleTable, NUMBERS, st.lists(RULES, max_size=3).map(tuple)),
    magvals=st.lists(WORDS | st.builds(Mark, st.integers(0, 9), WORDS), max_size=3).map(tuple),
    rv=st.none() | st.lists(st.none() | NUMBERS, max_size=4).map(tuple),
)
READ_OPTIONS = st.builds(
    ReadOptions,
    delimiter=st.sampled_from(["auto", ",", ";", "\t", "|", "\\t", " ", "1", "é"]),
    encoding=st.sampled_from(["auto", "utf-8", "latin-1", "437"]),
    header=st.sampled_from(["auto", True, False]) | st.lists(WORDS, max_size=3).map(tuple),
    quote=st.sampled_from(["auto", '"', "'", "none"]),
    missing_tokens=st.lists(WORDS, max_size=3).map(tuple),
    space_after_delimiter=st.sampled_from(["auto", True, False]),
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "relaxed": st.booleans(),
        "rounds": st.integers(1, 10**9),
        "penalty": st.floats(0, 10),
        "label": WORDS,
        "column": st.none() | WORDS,
    },
)
PROJECTS = st.builds(
    Project,
    data=st.builds(
        DataSource,
        path=NAMES.filter(lambda name: "\0" not in name),
        read_options=READ_OPTIONS,
        missing_policy=st.sampled_from(["value", "drop"]),
    ),
    attributes=st.dictionaries(WORDS, SPECS, max_size=4),
    weights=st.sampled_from(["equal", "auto"]),
    privacy=st.builds(Privacy, st.integers(1, 10**9), st.floats(0, 1)),
    algorithm=st.builds(AlgorithmChoice, st.just("toy"), PARAMS),
    seed=st.integers(0, 2**62),
    output=st.builds(Output, st.sampled_from(["drop", "star"]), st.booleans()),
)


@settings(max_examples=200, deadline=None)
@given(project=PROJECTS)
def test_saving_and_loading_loses_nothing(project: Project) -> None:
    text = project_to_text(project)
    loaded = project_from_mapping(parse(text, "p.yaml"))
    assert loaded == project
    assert list(loaded.attributes) == list(project.attributes)
    assert project_to_text(loaded) == text
    assert project_from_mapping(project_to_mapping(project)) == project


@settings(max_examples=100, deadline=None)
@given(project=PROJECTS)
def test_an_ordinary_yaml_reader_finds_the_same_words(project: Project) -> None:
    """Nothing that is written is damaged by YAML's own ideas about dates, octals and yes."""
    mapping = yaml.safe_load(project_to_text(project))
    written = [str(name) for name in mapping.get("attributes", {})]
    assert written == list(project.attributes)
    tokens = mapping["data"].get("missing", {}).get("tokens", ReadOptions().missing_tokens)
    assert tuple(str(token) for token in tokens) == project.data.read_options.missing_tokens


SAMPLES = sorted((Path(__file__).parents[3] / "sample_data").glob("*/project.yaml"))


@pytest.mark.parametrize("project", SAMPLES, ids=[path.parent.name for path in SAMPLES])
def test_samples_survive(project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    saved = save_project(loaded, tmp_path / "project.yaml")
    assert saved.data_path.resolve() == loaded.data_path.resolve()
    again = load_project(tmp_path / "project.yaml")
    assert again == saved
    assert moved(again, project) == loaded


def test_saved_elsewhere_it_names_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new" / "deep").mkdir(parents=True)
    project = Project(
        DataSource("data/census.csv"),
        {
            "zip": AttributeSpec(hierarchy={"file": "zip.csv"}),
            "age": AttributeSpec(hierarchy={"utd": "../c.xml", "attribute": "age"}),
            "sex": AttributeSpec(hierarchy={"file": "/abs/sex.csv"}),
        },
        algorithm=AlgorithmChoice("toy"),
        path=tmp_path / "old" / "p.yaml",
    )
    saved = save_project(project, tmp_path / "new" / "deep" / "q.yaml")
    assert saved.data.path == "../../old/data/census.csv"
    assert saved.attributes["zip"].hierarchy == {"file": "../../old/zip.csv"}
    assert saved.attributes["age"].hierarchy == {"utd": "../../c.xml", "attribute": "age"}
    assert saved.attributes["sex"].hierarchy == {"file": "/abs/sex.csv"}
    assert load_project(tmp_path / "new" / "deep" / "q.yaml") == saved
    assert save_project(saved, tmp_path / "old" / "p.yaml") == project


def test_a_new_project_is_seen_from_where_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    saved = Project(DataSource("census.csv")).save(Path("here") / "p.yaml")
    assert saved.data.path == "../census.csv"
    assert saved.path == Path("here") / "p.yaml"


# --- what is refused


def under(section: str) -> str:
    return "data: {path: a.csv}\n" + section


REFUSED = {
    under("attributes: {age: {wieght: 1}}"): (
        "census.yaml: attributes.age.wieght: unknown key; did you mean 'weight'?"
    ),
    under("privcy: {k: 3}"): "census.yaml: privcy: unknown key; did you mean 'privacy'?",
    under("privacy: {K: 3}"): "census.yaml: privacy.K: unknown key; "
    "known are alpha, k, l, max_suppression, p, t",
    under("version: 2"): "census.yaml: version: '2' is not a version this Kanon reads; "
    "it reads version 1",
    under("version: one"): "census.yaml: version: 'one' is not a whole number of at least 1",
    under("privacy: {k: 0}"): "census.yaml: privacy.k: '0' is not a whole number of at least 1",
    under("privacy: {k: 2.0}"): "census.yaml: privacy.k: '2.0' is not a whole number of at least 1",
    under("privacy: {k: '5'}"): (
        "census.yaml: privacy.k: '5' in quotes is not a whole number of at least 1"
    ),
    under("privacy: {k: }"): "census.yaml: privacy.k: nothing is not a whole number of at least 1",
    under("privacy: {k: " + "9" * 5000 + "}"): "privacy.k: '9999999999999999999999999999999999999",
    under("privacy: {max_suppression: 1.1}"): (
        "census.yaml: privacy.max_suppression: '1.1' is not a share of the records, from 0 to 1"
    ),
    under("privacy: {max_suppression: .nan}"): "is not a share of the records, from 0 to 1",
    under("privacy: {max_suppression: 1e999}"): "is not a share of the records, from 0 to 1",
    under("privacy: 5"): (
        "census.yaml: privacy: '5' is not allowed here; "
        "write a mapping with the keys k, max_suppression"
    ),
    under("attributes: [age]"): (
        "census.yaml: attributes: a list is not allowed here; write a mapping of names"
    ),
    under("attributes: {age: quasi}"): (
        "attributes.age: 'quasi' is not allowed here; write a mapping with the keys role"
    ),
    under("attributes: {age: {role: quassi}}"): (
        "census.yaml: attributes.age.role: 'quassi' is not one of its values; did you mean 'quasi'?"
    ),
    under("attributes: {age: {role: [quasi]}}"): (
        "attributes.age.role: a list is not allowed here; write one of identifier, quasi"
    ),
    under("attributes: {age: {kind: number}}"): "attributes.age.kind: 'number' is not one of",
    under("attributes: {age: {weight: heavy}}"): (
        "census.yaml: attributes.age.weight: 'heavy' is not a number of at least 0"
    ),
    under("attributes: {age: {weight: -1}}"): "'-1' is not a number of at least 0",
    under("attributes: {age: {weight: true}}"): "'true' is not a number of at least 0",
    under("attributes: {age: {resolution: 0}}"): "'0' is not a number above 0",
    under("attributes: {age: {domain: [1]}}"): (
        "attributes.age.domain: a list is not allowed here; write two values: [smallest, largest]"
    ),
    under("attributes: {age: {domain: 5}}"): "write two values: [smallest, largest]",
    under("attributes: {age: {hierarchy: zip.csv}}"): (
        "census.yaml: attributes.age.hierarchy: 'zip.csv' is not allowed here; "
        "write a mapping like {file: zip.csv}"
    ),
    under("attributes: {age: {hierarchy: {builder: intervalls}}}"): "did you mean 'intervals'?",
    under("attributes: {age: {hierarchy: {builder: mask, form: left}}}"): "did you mean 'from'?",
    under("attributes: {age: {hierarchy: {levels: {a: [null]}}}}"): (
        "attributes.age.hierarchy.levels.a[1]: nothing is not a value or label; put null"
    ),
    under("attributes: {age: {rules: {keep: [{boundary: [1, 2]}]}}}"): (
        "census.yaml: attributes.age.rules.keep[1]: the key importance is missing"
    ),
    under("attributes: {age: {rules: {keep: [{importance: 1}]}}}"): (
        "attributes.age.rules.keep[1]: a rule is either {boundary: [64, 65], importance: 25} or"
    ),
    under("attributes: {age: {rules: {keep: [{apart: [a, b], boundary: [1, 2]}]}}}"): (
        "a rule is either"
    ),
    under("attributes: {age: {rules: {keep: [{apart: [a, []], importance: 1}]}}}"): (
        "attributes.age.rules.keep[1].apart[2]: an empty list keeps nothing apart"
    ),
    under("attributes: {age: {rules: {keep: [{apart: [a, b], importance: 0}]}}}"): (
        "attributes.age.rules.keep[1].importance: '0' is not a number above 0"
    ),
    under(
        "attributes: {age: {rules: {base: -1}}}"
    ): "rules.base: '-1' is not a number of at least 0",
    under("attributes: {age: {magvals: California}}"): (
        "attributes.age.magvals: 'California' is not allowed here; write a list of labels"
    ),
    under("attributes: {age: {magvals: [{label: x}]}}"): (
        "attributes.age.magvals[1]: the key level is missing; write {label: X, level: 2}"
    ),
    under("attributes: {age: {rv: [high]}}"): (
        "attributes.age.rv[1]: 'high' is not a number of at least 0, or null"
    ),
    under("weights: even"): "census.yaml: weights: 'even' is not one of its values; known are auto",
    under("seed: -1"): "census.yaml: seed: '-1' is not a whole number of at least 0",
    under("algorithm: {name: mondrain}"): (
        "census.yaml: algorithm.name: unknown algorithm 'mondrain'; did you mean 'mondrian'?"
    ),
    under("algorithm: {name: toy, params: {relxed: true}}"): (
        "census.yaml: algorithm.params: unknown parameter 'relxed'; did you mean 'relaxed'?"
    ),
    under("algorithm: {name: toy, params: {rounds: 0}}"): (
        "census.yaml: algorithm.params: parameter rounds is '0'; "
        "it must be a whole number of at least 1"
    ),
    under("algorithm: {name: toy, params: {relaxed: [1]}}"): "it must be true or false",
    under("output: {suppressed: stars}"): "did you mean 'star'?",
    under("output: {shuffle: maybe}"): "output.shuffle: 'maybe' is not true or false",
    "data: {path: a.csv, header: maybe}": (
        "data.header: 'maybe' is not true, false, auto or a list of column names"
    ),
    "data: {path: a.csv, delimiter: ab}": "data.delimiter: 'ab' is not auto or one character",
    "data: {path: a.csv, encoding: klingon}": "data.encoding: 'klingon' is not auto or a text",
    "data: {path: a.csv, missing: {policy: keep}}": "data.missing.policy: 'keep' is not one of",
    "data: {path: a.csv, missing: {tokens: NA}}": "data.missing.tokens: 'NA' is not allowed here",
    "data: {path: ''}": "data.path: '' in quotes is not the path of a data file",
    "data: {}": "census.yaml: data: the key path is missing; write data: {path: FILE}",
    "data: census.csv": "census.yaml: data: 'census.csv' is not allowed here; write a mapping",
    "version: 1": "census.yaml: the key data is missing; write data: {path: FILE}",
    "": "census.yaml is empty; a project needs at least data: {path: FILE}",
    "# nothing\n": "census.yaml is empty",
    "just words": "census.yaml: 'just words' is not a project; write a mapping",
    "[1, 2]": "census.yaml: a list is not a project",
    # not YAML, or YAML that a project has no use for
    "data: {path: a.csv\nseed: 1": "census.yaml: line 2, column 5: not valid YAML",
    "data:\n\tpath: a.csv": "census.yaml: line 2, column 1: a tab cannot indent; use spaces",
    "data: path: a.csv": "census.yaml: line 1, column 11: a second colon in one entry",
    under("attributes: {zip: {hierarchy: {levels: {a: [*]}}}}"): (
        "census.yaml: line 2, column 46: a * that stands alone must be in quotes: '*'"
    ),
    under("seed: 1\nseed: 2"): "census.yaml: line 3, column 1: the key 'seed' is given twice",
    under("attributes:\n  a: {}\n  'a': {}"): "line 4, column 3: the key 'a' is given twice",
    under(
        "attributes: &x {a: *x}"
    ): "line 2, column 13: anchors and aliases (& and *) are not read",
    under("seed: !!python/object/apply:os.system ['true']"): (
        "line 2, column 7: tags (!) are not read"
    ),
    under("seed: !!int 3"): "line 2, column 7: tags (!) are not read",
    under("? [a, b]\n: c"): "line 2, column 3: a key must be a single word",
    under("---\ndata: {path: b.csv}"): "line 2, column 1: a second document starts here",
    under("seed: " + "[" * 10_000 + "]" * 10_000): "line 2, column 57: brackets are nested more",
    under("seed: \x01"): "census.yaml: line 2: control characters are not allowed; remove them",
    under("seed: @1"): "line 2, column 7: a word cannot start with @; put it in quotes",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_wrong_is_named(text: str, tmp_path: Path) -> None:
    assert REFUSED[text] in refusal(text, tmp_path)


def test_files_that_are_no_projects(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("data: {path: Zürich.csv}".encode("latin-1"))
    (tmp_path / "zip.yaml").write_bytes(b"PK\x03\x04\x00\x00\xff\xfe")
    (tmp_path / "folder.yaml").mkdir()
    cases = {
        "latin.yaml": "latin.yaml: byte 15 is not UTF-8; save the project as UTF-8",
        "zip.yaml": "zip.yaml: byte 7 is not UTF-8",
        "folder.yaml": "is a folder; name a project file in it",
        "none.yaml": "does not exist; check the path of the project",
        "none.yaml/x": "cannot be read",
        "census.csv": "census.csv is a data file, not a project",
        "a\0b": "cannot be read: not a usable path",
    }
    (tmp_path / "none.yaml").unlink(missing_ok=True)
    for name, expected in cases.items():
        if name == "none.yaml/x":
            (tmp_path / "none.yaml").write_text("")
        with pytest.raises(InputError) as error:
            load_project(tmp_path / name)
        assert expected in str(error.value), name


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_bytes(b"\xef\xbb\xbfdata: {path: a.csv}\r\nseed: 3\r\n")
    assert load_project(tmp_path / "p.yaml").seed == 3


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("{}[]:,-?#&*!|>'\"%@` \n\tab1~"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InputError):
        project_from_mapping(parse(text, "p.yaml"), "p.yaml")


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
KEYS = ["role", "kind", "format", "weight", "resolution", "domain", "hierarchy", "rules"]


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["version", "attributes", "weights", "privacy", "algorithm", "seed"]),
        JSONISH,
    ),
    st.dictionaries(st.sampled_from([*KEYS, "magvals", "rv"]), JSONISH, max_size=2),
)
def test_any_mapping_is_read_or_refused(mapping: dict[str, Any], spec: dict[str, Any]) -> None:
    for made in (
        mapping,
        {"attributes": {"a": spec}},
        {"data": {"path": "a.csv", "missing": mapping}},
    ):
        made = {"data": {"path": "a.csv"}, "algorithm": {"name": "toy"}, **made}
        try:
            project = project_from_mapping(made)
        except InputError:
            continue
        assert project_from_mapping(project_to_mapping(project)) == project


def test_a_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text("data: {path: a.csv}\n")
    broken = Project(DataSource("a.csv"), algorithm=AlgorithmChoice("toy", {"label": object()}))
    with pytest.raises(TypeError):
        save_project(broken, file)
    assert file.read_text() == "data: {path: a.csv}\n"
    assert os.listdir(tmp_path) == ["p.yaml"]
