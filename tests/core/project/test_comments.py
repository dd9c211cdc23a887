"""A project file that a person wrote: saving changes what was changed and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from kanon_tui.core.fields.yaml_edit import edit_yaml
from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.project.project import (
    AttributeSpec,
    Project,
    project_from_mapping,
    project_to_mapping,
    project_to_text,
)
from kanon_tui.core.task.rules import Apart, RuleTable
from tests.core.project.strategies import PROJECTS
from tests.tries import tries

TEXT = """\
# The census of 1994
seed: 0  # any will do
version: 1

data:
  path: census.csv            # csv, tsv, parquet
  delimiter: auto             # or ",", ";", …
  missing: {tokens: ["", "?", "NA"], policy: value}     # or policy: drop
attributes:
  name: {role: identifier}
  # years
  age:
    role:   'quasi'
    weight: 0.30  # as agreed
    domain: [ 17, 90 ]
    rules:
      # in this order
      keep:
      - {apart: [01, no], importance: 20}   # first
      - apart: [[x, y], z]                  # second
        importance: 5
  zip:
    role: quasi
    hierarchy:
        builder: mask   # from the right
        from: right
# the end
"""


def saved(folder: Path, text: str, **changes: Any) -> str:
    """What stands in the file after a project was loaded, changed and saved."""
    file = folder / "p.yaml"
    file.write_bytes(text.encode())
    project = Project.load(file)
    changed = replace(project, **changes)
    assert changed.save(file) == changed
    assert Project.load(file) == changed
    return file.read_bytes().decode()


def attributes(folder: Path, **specs: AttributeSpec | None) -> dict[str, AttributeSpec]:
    (folder / "q.yaml").write_text(TEXT)
    old = Project.load(folder / "q.yaml").attributes
    return {name: spec for name, spec in {**old, **specs}.items() if spec is not None}


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT])
def test_what_has_not_changed_is_written_as_it_was(text: str, tmp_path: Path) -> None:
    assert saved(tmp_path, text) == text


def test_a_value_changes_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text(TEXT)
    project = Project.load(tmp_path / "q.yaml")
    text = saved(tmp_path, TEXT, seed=7, data=replace(project.data, missing_policy="drop"))
    assert text == TEXT.replace("seed: 0  #", "seed: 7  #").replace(
        'policy: value}     #', 'policy: drop}     #'
    )  # fmt: skip


def test_what_is_new_follows_what_it_follows(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text(TEXT)
    project = Project.load(tmp_path / "q.yaml")
    text = saved(
        tmp_path,
        TEXT,
        attributes={**project.attributes, "sex": AttributeSpec(weight=0.5)},
        privacy=replace(project.privacy, k=3),
    )
    assert text == TEXT.replace(
        "        from: right\n",
        "        from: right\n  sex: {weight: 0.5}\nprivacy: {k: 3}\n",
    )


def test_what_goes_takes_the_comments_inside_along(tmp_path: Path) -> None:
    age = attributes(tmp_path)["age"]
    text = saved(tmp_path, TEXT, attributes=attributes(tmp_path, age=replace(age, weight=None)))
    assert text == TEXT.replace("    weight: 0.30  # as agreed\n", "")
    zip_code = replace(attributes(tmp_path)["zip"], hierarchy=None)
    text = saved(tmp_path, TEXT, attributes=attributes(tmp_path, zip=zip_code))
    assert text == TEXT.replace(TEXT[TEXT.index("    hierarchy") : TEXT.index("# the end")], "")
    text = saved(tmp_path, TEXT, attributes=attributes(tmp_path, age=None))
    assert text == TEXT.replace(TEXT[TEXT.index("  age:") : TEXT.index("  zip:")], "")


def test_rules_come_and_go_one_by_one(tmp_path: Path) -> None:
    age = attributes(tmp_path)["age"]
    first, second = age.rules.rules

    def with_rules(*rules: Apart) -> str:
        changed = replace(age, rules=RuleTable(0, rules))
        return saved(tmp_path, TEXT, attributes=attributes(tmp_path, age=changed))

    assert isinstance(first, Apart)
    assert isinstance(second, Apart)
    line = "      - {apart: [01, no], importance: 20}   # first\n"
    assert with_rules(second) == TEXT.replace(line, "")
    assert with_rules(replace(first, importance=1), second) == TEXT.replace("20}", "1}")
    assert with_rules(first, replace(second, importance=1)) == TEXT.replace("nce: 5", "nce: 1")
    new = Apart(("a",), ("b",), 2)
    added = line + "      - {apart: [a, b], importance: 2}\n"
    assert with_rules(first, new, second) == TEXT.replace(line, added)


def test_another_order_of_attributes_is_written(tmp_path: Path) -> None:
    old = attributes(tmp_path)
    text = saved(tmp_path, TEXT, attributes={name: old[name] for name in ("zip", "age", "name")})
    assert list(Project.load(tmp_path / "p.yaml").attributes) == ["zip", "age", "name"]
    assert sorted(text.splitlines()) == sorted(TEXT.splitlines())


def test_a_mapping_that_outgrows_its_line_becomes_a_block(tmp_path: Path) -> None:
    groups = {"builder": "groups", "levels": [{"Europe": ["France"] * 1, "Asia": ["Japan"] * 1}]}
    name = AttributeSpec(attributes(tmp_path)["name"].role, format="%d", hierarchy=groups)
    text = saved(tmp_path, TEXT, attributes=attributes(tmp_path, name=name))
    assert max(map(len, text.splitlines())) <= 90
    assert "  # years\n" in text


def test_another_file_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(TEXT)
    (tmp_path / "other.yaml").write_text("# of another project\n" + TEXT)
    project = Project.load(tmp_path / "p.yaml")
    project.save(tmp_path / "other.yaml")
    assert (tmp_path / "other.yaml").read_text() == project_to_text(project)
    (tmp_path / "p.yaml").write_text("no: project")
    project.save(tmp_path / "p.yaml")
    assert (tmp_path / "p.yaml").read_text() == project_to_text(project)


@pytest.mark.slow
@settings(max_examples=tries(60), deadline=None)
@given(old=PROJECTS, new=PROJECTS)
def test_any_project_can_become_any_other(old: Project, new: Project) -> None:
    text = project_to_text(old)
    edited = edit_yaml(text, project_to_mapping(old), project_to_mapping(new))
    again = project_from_mapping(parse(edited, "p.yaml"))
    assert again == new
    assert list(again.attributes) == list(new.attributes)
