"""A configuration of the UTD toolbox as a project."""

from __future__ import annotations

from pathlib import Path

import pytest

import kanon_tui as kn
from kanon_tui.core.editing.session import open_session
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Kind, Role
from tests.commands.command_line import said

ROWS = "".join(
    f"{20 + i % 8}, n{i}, {'F' if i % 2 else 'M'}, {i % 3}, {'<>'[i % 2]}\n" for i in range(40)
)
CONFIG = """<config method='{method}' {settings}>
  <input filename='people.data' separator=','/>
  <output filename='out.data' format='genVals'/>
  <id><att index='1' name='name'/></id>
  <qid>
    <att index='0' name='age'><vgh value='[0:100)'><node value='[0:24)'/><node value='[24:100)'/></vgh></att>
    <att index='2'><map><entry cat='F' int='0'/><entry cat='M' int='1'/></map><vgh value='[0:1]'/></att>
  </qid>
  <sens><att index='4' name='pay'><map><entry cat='&lt;' int='1'/></map></att></sens>
</config>
"""  # noqa: E501


def written(folder: Path, method: str = "Incognito_K", settings: str = "k='3'") -> Path:
    (folder / "people.data").write_text(ROWS)
    path = folder / "config.xml"
    path.write_text(CONFIG.format(method=method, settings=settings))
    return path


def test_roles_kinds_hierarchies_and_names_come_from_the_numbers_of_the_columns(
    tmp_path: Path,
) -> None:
    project = Project.load(written(tmp_path))
    assert {name: (spec.role, spec.kind) for name, spec in project.attributes.items()} == {
        "name": (Role.IDENTIFIER, None),
        "age": (Role.QUASI, Kind.NUMERIC),
        "column_3": (Role.QUASI, Kind.CATEGORICAL),
        "pay": (Role.SENSITIVE, Kind.CATEGORICAL),
    }
    table = kn.anonymize(project).table
    assert table.columns == ["age", "column_3", "column_4", "pay"]
    general = kn.anonymize(project.with_(k=10)).table
    assert set(general["age"]) == {"[0:24)", "[24:100)"}


@pytest.mark.parametrize(
    ("method", "settings", "algorithm", "required"),
    [
        ("Datafly", "k='3'", "datafly", []),
        ("mondrian", "", "mondrian", []),
        ("Incognito_L", "k='3' l='2'", "incognito", ["l_entropy"]),
        ("Incognito_L", "k='3' l='2' c='3'", "incognito", ["l_recursive"]),
        ("Incognito_T", "k='3' t='0.4'", "incognito", ["t"]),
    ],
)
def test_methods_and_their_bounds(
    tmp_path: Path, method: str, settings: str, algorithm: str, required: list[str]
) -> None:
    project = Project.load(written(tmp_path, method, settings))
    assert project.algorithm.name == algorithm
    assert project.privacy.k == (3 if settings else 10)
    assert [requirement.name for requirement in project.privacy.requirements] == required


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Incognito_K", "Anatomy", "Anatomy is not one of Mondrian"),
        ("k='3'", "k='many'", "privacy.k"),
        ("filename='people.data'", "", "names no data"),
        ("index='2'", "index='0'", "a column of its own"),
        ("index='2'", "index='9'", "column_10"),
        ("<config", "<!DOCTYPE x><config", "DOCTYPE"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(kn.InputError, match=words) as caught:
        kn.anonymize(Project.load(path))
    assert "config.xml" in str(caught.value) or "people.data" in str(caught.value)


def test_the_command_runs_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.csv"
    shown = said("run", str(written(tmp_path)), "--out", str(out), capsys=capsys, code=0)
    assert "config.xml: Incognito, k = 3, verified" in shown
    assert out.read_text().splitlines()[0] == "age,column_3,column_4,pay"


def test_an_opened_configuration_is_saved_as_a_project_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    session = open_session(path)
    assert session.project.own_file is None
    saved = session.save()
    assert saved == tmp_path / "config.yaml"
    assert path.read_bytes() == before
    assert session.project.own_file == saved
    assert kn.anonymize(Project.load(saved)).table.equals(kn.anonymize(path).table)
    elsewhere = tmp_path / "studies"
    elsewhere.mkdir()
    moved = Project.load(open_session(path).save(elsewhere / "study.yaml"))
    assert kn.anonymize(moved).table.equals(kn.anonymize(path).table)
