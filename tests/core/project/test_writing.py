"""Writing a project file: nothing is lost on the way to YAML and back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings

from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.project.project import (
    AlgorithmChoice,
    AttributeSpec,
    DataSource,
    Project,
    moved,
    project_from_mapping,
    project_to_mapping,
    project_to_text,
)
from kanon_tui.core.table.read_options import ReadOptions
from tests.core.project.strategies import PROJECTS
from tests.paths import SAMPLES
from tests.tries import tries


@pytest.mark.slow
@settings(max_examples=tries(80), deadline=None)
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


PROJECT_FILES = sorted(SAMPLES.glob("*/project.yaml"))


@pytest.mark.parametrize("project", PROJECT_FILES, ids=[path.parent.name for path in PROJECT_FILES])
def test_samples_survive(project: Path, tmp_path: Path) -> None:
    loaded = Project.load(project)
    saved = loaded.save(tmp_path / "project.yaml")
    assert saved.data_path.resolve() == loaded.data_path.resolve()
    again = Project.load(tmp_path / "project.yaml")
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
    saved = project.save(tmp_path / "new" / "deep" / "q.yaml")
    assert saved.data.path == "../../old/data/census.csv"
    assert saved.attributes["zip"].hierarchy == {"file": "../../old/zip.csv"}
    assert saved.attributes["age"].hierarchy == {"utd": "../../c.xml", "attribute": "age"}
    assert saved.attributes["sex"].hierarchy == {"file": "/abs/sex.csv"}
    assert Project.load(tmp_path / "new" / "deep" / "q.yaml") == saved
    assert saved.save(tmp_path / "old" / "p.yaml") == project


def test_a_new_project_is_seen_from_where_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    saved = Project(DataSource("census.csv")).save(Path("here") / "p.yaml")
    assert saved.data.path == "../census.csv"
    assert saved.path == Path("here") / "p.yaml"


def test_a_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text("data: {path: a.csv}\n")
    broken = Project(DataSource("a.csv"), algorithm=AlgorithmChoice("toy", {"label": object()}))
    with pytest.raises(TypeError):
        broken.save(file)
    assert file.read_text() == "data: {path: a.csv}\n"
    assert os.listdir(tmp_path) == ["p.yaml"]
