"""Project files that are refused, and the sentence that names what is wrong."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.project.project import Project, project_from_mapping, project_to_mapping
from tests.core.project.strategies import WORDS
from tests.core.project.texts import refusal
from tests.tries import tries


def under(section: str) -> str:
    return "data: {path: a.csv}\n" + section


REFUSED = {
    under("attributes: {age: {wieght: 1}}"): (
        "census.yaml: attributes.age.wieght: unknown key; did you mean 'weight'?"
    ),
    under("privcy: {k: 3}"): "census.yaml: privcy: unknown key; did you mean 'privacy'?",
    under("privacy: {K: 3}"): "census.yaml: privacy.K: unknown key; "
    "known are alpha, beta, delta, k, l, max_suppression, p, personal_k, risk, subset_k, "
    "subset_size, suppress, t",
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
        "attributes.age.role: a list is not allowed here; write one of identifier, person, quasi"
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
        "census.yaml: algorithm.params.relxed: unknown parameter; did you mean 'relaxed'?"
    ),
    under("algorithm: {name: toy, params: {rounds: 0}}"): (
        "census.yaml: algorithm.params.rounds: '0' is not a whole number of at least 1"
    ),
    under("algorithm: {name: toy, params: {relaxed: [1]}}"): "a list is not true or false",
    under("output: {suppressed: stars}"): "did you mean 'star'?",
    under("output: {order: random}"): "output.order: 'random' is not one of its values",
    under("output: {shuffle: maybe}"): "output.shuffle: 'maybe' is not true or false",
    under("output: {order: sorted, shuffle: no}"): (
        "output.shuffle: shuffle is the older word for order; keep order alone"
    ),
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
        "latin.yaml": "latin.yaml: line 1 is not UTF-8; save the project file as UTF-8",
        "zip.yaml": "zip.yaml: line 1 is not UTF-8",
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
            Project.load(tmp_path / name)
        assert expected in str(error.value), name


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


@pytest.mark.slow
@settings(max_examples=tries(120), deadline=None)
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
