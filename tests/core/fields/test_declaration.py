"""One declaration serves reading, writing, forms, the command line and the docs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import (
    declared,
    fields_of,
    inlined,
    read_fields,
    section,
    write_fields,
)
from kanon_tui.core.fields.located import LocatedValue, Plain
from kanon_tui.core.fields.yaml_text import dump, parse
from kanon_tui.core.project.project import Project, project_from_mapping, with_overrides
from kanon_tui.core.table.column import Role
from tests.core.fields.reference_tables import (
    PAGES,
    builder_rows,
    parameter_rows,
    project_rows,
    with_tables,
)

FIELDS = dict(chain(project_rows(), builder_rows(), parameter_rows()))


def project(text: str) -> Project:
    return project_from_mapping(parse("data: {path: a.csv}\n" + text, "p.yaml"), "p.yaml")


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_says_what_it_means_and_reads_what_it_writes(name: str) -> None:
    field = FIELDS[name]
    assert field.help
    assert field.allowed
    if field.default is None:
        return
    written = parse(dump({"key": field.write(field.default)}), "p.yaml")["key"]
    where = LocatedValue("p.yaml", field.name, written)
    if field.name not in ("params", "algorithm", "privacy"):
        assert field.read(where) == field.default
    if field.type.name:
        assert field.parse(field.text(field.default), "form") == field.default


def test_the_reference_shows_what_is_declared() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    assert [text.count("<!-- table: ") for text in texts] == [3, 2]
    for text in texts:
        assert with_tables(text) == text, "run python -m tests.core.fields.reference_tables"


@pytest.mark.parametrize(
    ("word", "value"),
    [("true", True), ("yes", True), ("on", True), ("false", False), ("no", False), ("Off", False)],
)
def test_a_switch_is_written_the_same_everywhere(word: str, value: bool) -> None:
    written = project(f"output: {{shuffle: {word}}}").output
    assert written.order == ("shuffled" if value else "input"), "as in files of older versions"
    mondrian = f"algorithm: {{name: mondrian, params: {{relaxed: {word}}}}}"
    assert project(mondrian).algorithm.params == {"relaxed": value}
    typed = with_overrides(project(""), algorithm="mondrian", parameters=[("relaxed", word)])
    assert typed.algorithm.params == {"relaxed": value}
    relaxed = FIELDS["`mondrian`: `relaxed`"]
    assert relaxed.parse(word, "this form") is value


def test_what_does_not_fit_is_said_the_same_way_everywhere() -> None:
    rounds = FIELDS["`top-down`: `rounds`"]
    sentences = []
    for refused in (
        lambda: project("algorithm: {name: top-down, params: {rounds: many}}"),
        lambda: with_overrides(project(""), algorithm="top-down", parameters=[("rounds", "many")]),
        lambda: rounds.parse("many", "this form"),
    ):
        with pytest.raises(InputError) as error:
            refused()
        sentences.append(str(error.value))
    assert sentences == [
        "p.yaml: algorithm.params.rounds: 'many' is not a whole number from 1 to 20",
        "--set: rounds: 'many' is not a whole number from 1 to 20",
        "this form: rounds: 'many' is not a whole number from 1 to 20",
    ]


# --- sections of a class


@dataclass(frozen=True)
class Inner:
    size: float = declared(1.0, "a size", above=0)
    colour: Literal["red", "blue"] = declared("red", "a colour", key="look.colour")


@dataclass(frozen=True)
class Outer:
    name: str = declared(help="a name", required="name: NAME")
    inner: Inner = declared(Inner(), type=inlined(Inner))
    more: Inner = declared(Inner(), "another", type=section(Inner))
    role: Role | None = declared(None, "a role", key="look.role")
    hidden: int = 3


def read(value: Any) -> Outer:
    return read_fields(Outer, LocatedValue("f", "", value))


def test_a_class_is_a_section() -> None:
    outer = Outer("x", Inner(2.5, "blue"), Inner(3.0), Role.QUASI)
    written = write_fields(outer)
    assert written == {
        "name": "x",
        "size": 2.5,
        "look": {"colour": "blue", "role": "quasi"},
        "more": {"size": 3},
    }
    assert read(written) == outer
    assert read({"name": "x"}) == Outer("x")
    assert write_fields(Outer("x")) == {"name": "x"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "f: the key name is missing; write name: NAME"),
        ({"name": "x", "sise": 1}, "f: sise: unknown key; did you mean 'size'?"),
        ({"name": "x", "look": {"color": 1}}, "f: look.color: unknown key; did you mean 'colour'?"),
        ({"name": "x", "more": {"size": 0}}, "f: more.size: '0' is not a number above 0"),
        ({"name": "x", "look": 3}, "f: look: '3' is not allowed here; write a mapping with the k"),
        (5, "f: '5' is not allowed here; write a mapping with the keys name, size, look, more"),
    ],
)
def test_a_section_that_does_not_fit_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(value)
    assert message in str(error.value)


def test_nothing_is_a_value_where_it_may_be() -> None:
    (role,) = (field for field in fields_of(Outer) if field.name == "role")
    for typed in ("", " none ", "null", "~"):
        assert role.parse(typed, "form") is None
    assert role.read(LocatedValue("f", "role", Plain("quasi"))) is Role.QUASI
    assert role.allowed.startswith("one of identifier, person, quasi")
    assert role.allowed.endswith("or nothing")
