"""The command apply, as a person or a script meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kanon_tui.cli import main

PROJECT = """\
data: {path: january.csv}
attributes:
  name: {role: identifier}
  age: {role: quasi, kind: numeric, hierarchy: {builder: intervals, widths: [10]}}
  town: {role: quasi, kind: categorical}
  flu: {role: sensitive, kind: categorical}
privacy: {k: 2}
algorithm: {name: global, params: {levels: "age=1,town=0"}}
"""


def month(first: int, towns: str) -> str:
    rows = [
        f"Secret{first + i},{first + i % 10},{towns[i % len(towns)]},{'yes' if i % 3 else 'no'}"
        for i in range(40)
    ]
    return "\n".join(["name,age,town,flu", *rows]) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(PROJECT)
    (tmp_path / "january.csv").write_text(month(20, "AB"))
    february = month(30, "AB") + "Secret99,95,A,no\nSecret98,old,B,no\n"
    (tmp_path / "february.csv").write_text(february)
    assert main(["run", "p.yaml", "--out", "jan.csv", "--mapping", "jan.json"]) == 0
    return tmp_path


def test_a_second_month(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["apply", "jan.json", "february.csv", "--out", "feb.csv", "--earlier", "jan.csv"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "42 records: 40 published, 1 not covered, 1 in small classes" in said
    assert "age: not covered: 1 record" in said
    assert "with the earlier release: 80 records, 4 classes (2 new)" in said
    assert "rerelease" in said
    release = (folder / "feb.csv").read_text()
    assert "30-39,A" in release
    assert "Secret" not in release
    assert main(command) == 2
    assert "exists" in capsys.readouterr().err
    (folder / "titled.csv").write_text(f"Cases of March\n\n{month(30, 'AB')}Total,,,\n")
    assert main(["apply", "jan.json", "titled.csv", "--out", "march.csv"]) == 0
    said = capsys.readouterr().out
    assert "40 records: 40 published" in said
    assert "2 lines before the header" in said
    assert "'Total'" in said
    assert (folder / "march.csv").read_text() == release
    assert main(["apply", "jan.json", "titled.csv", "--uncovered", "refuse"]) == 2


def test_a_small_batch_is_told_what_helps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = month(20, "AB").splitlines()  # the classes of January: seven of B and one of A
    batch = [*[line for line in lines if ",A," not in line][:8], lines[1]]
    (folder / "small.csv").write_text("\n".join(batch) + "\n")
    assert main(["apply", "jan.json", "small.csv"]) == 0
    said = capsys.readouterr().out
    assert "1 in small classes" in said
    assert "--earlier RELEASE" in said
    assert "by itself" in said
    assert main(["apply", "jan.json", "small.csv", "--earlier", "jan.csv"]) == 0
    assert "would publish 8 of 8" in capsys.readouterr().out
    assert main(["apply", "jan.json", "february.csv"]) == 0
    assert "by itself" not in capsys.readouterr().out


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["apply", "jan.json", "february.csv", "--json", "--earlier", "jan.csv"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "records": 42,
        "published": 40,
        "uncovered_records": 1,
        "uncovered": {"age": 1},
        "below_k": 1,
        "stray_rows": [],
        "classes": 2,
        "k": 20,
        "union": {"records": 80, "classes": 4, "k": 20, "new_classes": 2, "in_one_release": 40},
    }


@pytest.mark.parametrize(
    ("option", "said"),
    [("--uncovered", "1 record of 42 has values"), ("--below-k", "do not reach k = 2")],
)
def test_refusing(folder: Path, option: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["apply", "jan.json", "february.csv", "--out", "feb.csv", option, "refuse"]
    assert main(command) == 1
    assert said in capsys.readouterr().err
    assert not (folder / "feb.csv").exists()


def test_inputs_are_kept_and_hostile_mappings_get_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "february.csv").read_bytes()
    command = ["apply", "jan.json", "february.csv", "--out", "february.csv", "--force"]
    assert main(command) == 2
    assert (folder / "february.csv").read_bytes() == before
    (folder / "bad.json").write_text('{"kanon_mapping": 1, "attributes": {"\x1b[2J": 3}}')
    assert main(["apply", "bad.json", "february.csv"]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "Traceback" not in said


def test_a_file_that_is_read_otherwise_names_what_does_not_fit(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    years = month(20, "AB").replace(",A,", " years,A,").replace(",B,", " years,B,")
    (folder / "years.csv").write_text(years)
    assert main(["apply", "jan.json", "years.csv", "--out", "feb.csv"]) == 1
    sentence = capsys.readouterr().err
    assert "only 0 of 40 records" in sentence
    assert "age (40)" in sentence
    assert not (folder / "feb.csv").exists()
