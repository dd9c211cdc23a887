"""The public report is a function of the release and the project alone."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.pipeline.stream import stream
from kanon_tui.core.project.project import AttributeSpec, Project, project_from_mapping
from kanon_tui.core.report.mapping import INTERNAL
from kanon_tui.core.report.story import public_mapping
from kanon_tui.core.table.column import Role
from tests.helpers import report_text
from tests.tries import tries

PROJECT = project_from_mapping(
    {
        "data": {"path": "people.csv"},
        "attributes": {
            "age": {"role": "quasi", "kind": "numeric", "domain": [0, 99],
                    "hierarchy": {"builder": "intervals", "widths": [10, 50]}},
            "sex": {"role": "quasi", "kind": "categorical", "hierarchy": {"builder": "flat"}},
            "ill": {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": {"k": 2, "max_suppression": 0.5, "t": 0.9},
        "report": {"purpose": "teaching"},
    }
)  # fmt: skip
ENDINGS = (".json", ".md", ".html")

records = st.tuples(
    st.sampled_from([5, 15, 25, 75]), st.sampled_from("mf"), st.sampled_from(["flu", "HIV", "gout"])
)


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(records, min_size=6, max_size=14), st.randoms(use_true_random=False))
def test_the_same_release_has_the_same_public_report(rows, random) -> None:
    """A second input differs in suppressed records, in its order and in their number."""
    frame = pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row")
    try:
        first = anonymize(PROJECT, frame)
    except NotReachedError:
        assume(False)
    hidden = first.release.suppressed.tolist()
    others = [
        (age, sex, random.choice(["flu", "HIV", "gout"]) if out else ill)
        for (age, sex, ill), out in zip(rows, hidden, strict=True)
    ]
    random.shuffle(others)
    try:
        second = anonymize(PROJECT, pl.DataFrame(others, schema=frame.schema, orient="row"))
    except NotReachedError:
        assume(False)
    assume(first.release.frame.equals(second.release.frame))
    for ending in ENDINGS:
        texts = [report_text(each, Path(f"r{ending}"), public=True) for each in (first, second)]
        assert texts[0] == texts[1]


AGES = ["5"] * 4 + ["15"] * 4 + ["75"]  # the last one is suppressed


@pytest.mark.parametrize(
    ("changed", "others"),
    [
        ({"risk": {"model": "journalist", "max": 0.1, "population": 49}}, {"age": [*AGES, "75"]}),
        ({}, {"age": AGES, "who": [*"abcdefgha"]}),
    ],
    ids=["the k of a risk in a population", "whether a person has several records"],
)
def test_no_word_tells_about_suppressed_records(changed, others) -> None:
    specs = {"age": PROJECT.attributes["age"], "who": AttributeSpec(role=Role.PERSON)}
    project = replace(PROJECT, attributes=specs).with_(t=None, **changed)
    first = {"age": AGES, "who": [*"abcdefghi"]}
    second = first | {"who": [*"abcdefghij"][: len(others["age"])]} | others
    results = [anonymize(project, pl.DataFrame(each)) for each in (first, second)]
    assert results[0].table.equals(results[1].table)
    internal = set(results[0].report["internal"])
    reports = [json.loads(report_text(each, Path("r.json"))) for each in results]
    assert {n for n in reports[0] if reports[0][n] != reports[1].get(n)} <= {*internal, "internal"}
    assert results[0].task.n != results[1].task.n or results[1].task.repeated is not None
    for ending in ENDINGS:
        texts = [report_text(each, Path(f"r{ending}"), public=True) for each in results]
        assert texts[0] == texts[1]


def test_pseudonyms_are_named_in_public(tmp_path: Path) -> None:
    people = {"name": [f"p{x}" for x in range(9)], "age": AGES}
    pl.DataFrame(people).write_csv(tmp_path / "people.csv")
    (tmp_path / "p.yaml").write_text(
        "data: {path: people.csv}\nattributes: {age: {role: quasi}, "
        "name: {role: identifier, identifier: pseudonym}}\nprivacy: {k: 3}\n"
    )
    result = anonymize(Project.load(tmp_path / "p.yaml"))
    assert public_mapping(result)["pseudonymised"] == ["name"]
    assert public_mapping(result)["left_out"] == []
    assert "pseudonyms: name" in report_text(result, Path("r.md"), public=True)


def test_what_depends_on_the_input_is_marked_and_left_out(tmp_path: Path) -> None:
    rows = [(5, "m", "flu"), (5, "m", "HIV"), (15, "f", "flu"), (15, "f", "gout"), (75, "m", "HIV")]
    frame = pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row")
    result = anonymize(PROJECT, frame)
    whole = json.loads(report_text(result, Path("r.json")))
    assert set(whole["internal"]) == set(INTERNAL)
    assert "strings" in INTERNAL  # of the levels that every value of the input has
    assert whole["release"]["sha256"] == public_mapping(result)["sha256"]
    public = report_text(result, Path("r.json"), public=True)
    assert not set(json.loads(public)) & {
        "seed",
        "metrics",
        "search",
        "t",
        "beta",
        "input",
        "notes",
    }
    page = report_text(result, Path("r.html"))
    for word in ("suppressed", "NCP", "t-closeness: ill"):
        assert word not in page
        assert word in report_text(result, Path("r.md"))
    annex = result.annex(Path("a.md")).decode()
    for word in ("--seed", "| Seed |"):
        assert word in annex
        assert word not in page + report_text(result, Path("r.md"))
    assert "NCP" in report_text(result, Path("r.html"), public=False)


@pytest.mark.parametrize("out", ["r.csv", "parts.csv/"])
def test_the_hash_is_that_of_the_written_file(tmp_path: Path, out: str) -> None:
    ages = pl.DataFrame({"age": [5, 6, 15, 16] * 5, "sex": ["m"] * 20, "ill": ["flu", "HIV"] * 10})
    ages.write_csv(tmp_path / "people.csv")
    project = project_from_mapping(
        {"data": {"path": str(tmp_path / "people.csv")},
         "attributes": {name: {"role": role} for name, role in
                        (("age", "quasi"), ("sex", "quasi"), ("ill", "sensitive"))},
         "privacy": {"k": 2}}
    )  # fmt: skip
    result = anonymize(project)
    result.write(tmp_path / "memory.csv")
    own = sha256((tmp_path / "memory.csv").read_bytes()).hexdigest()
    assert result.report["release"]["sha256"] == own
    result.write_files(tmp_path / "m.parquet", tmp_path / "m.json")
    written = json.loads((tmp_path / "m.json").read_text())["release"]["sha256"]
    assert written == sha256((tmp_path / "m.parquet").read_bytes()).hexdigest()
    read = sha256((tmp_path / "people.csv").read_bytes()).hexdigest()
    assert result.report["input"]["sha256"] == read
    streamed = stream(project, f"{tmp_path}/{out}", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["release"]["sha256"] == streamed.report["release"]["sha256"] == own
    for public, name in ((None, "p.html"), (False, "p.html"), (False, "p.md")):
        assert read not in report_text(result, tmp_path / name, public=public)
        assert own in report_text(result, tmp_path / name, public=public)
    assert read in result.annex(tmp_path / "a.html").decode()
