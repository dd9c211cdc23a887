"""The commands simulate, attack and partition, as a person or a script meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.cli import main
from kanon_tui.core.project.samples import find_sample
from tests.commands import command_line

PROJECT = """\
data: {path: people.csv}
attributes:
  name: {role: identifier}
  age: {role: quasi, kind: numeric, hierarchy: {builder: intervals, widths: [10]}}
  zip: {role: quasi, kind: categorical, hierarchy: {builder: mask}}
  flu: {role: sensitive, kind: categorical}
privacy: {k: 2}
algorithm: {name: mondrian}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        f"Secret{i},{20 + i % 8 * 5},{46201 + i % 3},{'yes' if i % 8 > 3 else 'no'}"
        for i in range(40)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["name,age,zip,flu", *rows]))
    (tmp_path / "p.yaml").write_text(PROJECT)
    ages = ["20-29"] * 2 + ["30-39"] * 2 + ["[40..55]"] * 4
    released = [f"{ages[i % 8]},4620*,{row.split(',')[-1]}" for i, row in enumerate(rows)]
    (tmp_path / "r.csv").write_text("\n".join(["age,zip,flu", *released]))
    (tmp_path / "voters.csv").write_text(
        "who,age,zip\nAnn Private,20,46201\nBob Private,61,46299\n"
    )
    return tmp_path


def kanon(*args: str, folder: Path, code: int = 0) -> str:
    """Run the command; gives what it prints, or its one sentence."""
    done = command_line.kanon(*args, folder=folder)
    assert done.returncode == code, done.stderr
    if code == 0:
        assert done.stderr == ""
        return done.stdout
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr.removeprefix("kanon-tui: ").rstrip()


def printed(*args: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints, run in this process, which is quicker."""
    assert main(args) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refusal(*args: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence with which a command refuses, in this process."""
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    return captured.err.removeprefix("kanon-tui: ").rstrip()


# --- simulate


def test_simulate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("simulate", "--attributes", "3", "--k", "3", "--records", "50")
    found = json.loads(kanon(*asked, "--repeats", "1000", "--seed", "5", "--json", folder=tmp_path))
    rate = found.pop("success_rate")
    assert rate == pytest.approx(0.70, abs=0.05)  # Morton, table 12
    assert found == {
        "attributes": 3, "values": 2, "k": 3, "records": 50, "repeats": 1000, "seed": 5,
    }  # fmt: skip
    shown = printed(*asked, "--values", "1", capsys=capsys)
    assert "k-anonymous: 200 of 200 random tables, 100.0%" in shown


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--k", "2", "--records", "9"], "the following arguments are required: --attributes"),
        (["--attributes", "0", "--k", "2", "--records", "9"], "'0' is not a whole number of at"),
        (["--attributes", "99999", "--k", "2", "--records", "9"], "attributes is 99,999; a"),
        (["--attributes", "2", "--k", "two", "--records", "9"], "'two' is not a whole number"),
        (["--attributes", "2", "--k", "2", "--records", "9" * 18], "records is 999,999,999"),
        (["--attributes", "2", "--k", "2", "--records", "9", "--value", "2"], "did you mean"),
    ],
)
def test_simulate_refuses(
    args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refusal("simulate", *args, capsys=capsys)


# --- attack


def test_attack_on_the_linking_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SBC figure 1-2 from end to end: release the patients, then look the voters up."""
    monkeypatch.chdir(tmp_path)
    sample = find_sample("linking").project
    printed("run", str(sample), "--out", "release.csv", capsys=capsys)
    args = ("attack", str(sample), "--release", "release.csv", "--external",
            str(sample.parent / "voters.csv"), "--on", "age,gender,zip")  # fmt: skip
    assert json.loads(kanon(*args, "--json", folder=tmp_path)) == {
        "people": 4,
        "original": {"unique": 1, "below_k": 1, "disclosed": 1},
        "release": {"unique": 0, "below_k": 0, "disclosed": 0},
    }
    shown = printed(*args, capsys=capsys).splitlines()
    assert shown[2].split() == ["of", "4", "people", "original", "release"]
    assert shown[4].split()[-4:] == ["1", "25.0%", "0", "0.0%"]


def test_attack_says_nothing_about_a_person(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    args = ("attack", "p.yaml", "--release", "r.csv", "--external", "voters.csv", "--on", "age,zip")
    found = json.loads(printed(*args, "--json", capsys=capsys))
    # Everybody of 20 has no flu, so it is certain, though not who is who; nobody is 61.
    assert found["original"] == {"unique": 0, "below_k": 0, "disclosed": 1}
    assert found["release"] == {"unique": 0, "below_k": 0, "disclosed": 1}
    shown = printed(*args, capsys=capsys)
    for secret in ("Ann", "Bob", "Private", "Secret", "46201", "46299", "61"):
        assert secret not in shown

    (folder / "voters.csv").write_text("age,zip\ntwenty,46201\nthirty,46202\n")
    shown = printed(*args, capsys=capsys)
    assert "note: age: no value of voters.csv occurs in the data" in shown
    assert "twenty" not in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--on": "age,zap"}, "the data has no column 'zap'; did you mean 'zip'?"),
        ({"--on": "name"}, "'name' is an identifier, which is never published; join on"),
        ({"--on": "age,"}, "argument --on: 'age,' is not a list of names like a,b,c"),
        ({"--on": "flu"}, "voters.csv has no column 'flu'; known are age, who, zip"),
        ({"--release": "none.csv"}, "none.csv"),
        ({"--external": "empty.csv"}, "empty.csv"),
        ({"--release": "strange.csv"}, "strange.csv: age: a cell is neither a value of the data"),
        ({"--release": "voters.csv"}, "voters.csv has no column 'flu', which is sensitive"),
        ({"PROJECT": "nowhere.yaml"}, "nowhere.yaml"),
    ],
)
def test_attack_refuses(
    change: dict[str, str],
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    (folder / "empty.csv").write_text("")
    (folder / "strange.csv").write_text("age,zip,flu\nold,46201,yes\n")
    given = {"--release": "r.csv", "--external": "voters.csv", "--on": "age,zip", **change}
    project = given.pop("PROJECT", "p.yaml")
    args = [word for pair in given.items() for word in pair]
    assert message in refusal("attack", project, *args, capsys=capsys)


def test_attack_refuses_in_one_sentence(folder: Path) -> None:
    said = kanon("attack", "p.yaml", "--release", "r.csv", "--on", "age", folder=folder, code=2)
    assert "--external" in said


# --- partition


def test_partition(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ("partition", "p.yaml", "--release", "r.csv", "--target", "flu")
    found = json.loads(kanon(*args, "--json", folder=folder))
    assert list(found) == ["target", "original", "release", "kept", "attributes", "telling"]
    assert found["target"] == "flu"
    half = {"records": 20, "share": 1.0, "people": 20}
    for side in ("original", "release"):
        assert found[side] == {
            "accuracy": 1.0,
            "auc": 1.0,
            "baseline": 0.5,
            "mixed_target": 0,
            "leaves": [
                {**half, "path": "age ≥ 40", "value": "yes", "overlap_free": half},
                {**half, "path": "age < 40", "value": "no", "overlap_free": half},
            ],
            "splits": [
                {"path": "all records", "split": "age ≥ 40", "records": 40, "straddling": 0}
            ],
        }
    assert found["kept"] == 1.0
    assert found["telling"] == ["age"]

    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    wide = printed(*args, capsys=capsys)
    assert "the release keeps 100.0% of the original's accuracy" in wide
    assert wide.splitlines()[-4].split() == ["original", "release"]
    assert wide.splitlines()[-2].count("  age ≥ 40: 20 records, 100.0% yes") == 2
    monkeypatch.setenv("COLUMNS", "60")
    narrow = printed(*args, capsys=capsys).splitlines()
    assert narrow[-9] == "original"
    assert narrow[-4] == "release"


def test_attacks_of_the_suite(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    args = ("attack", "p.yaml", "--release", "r.csv")
    found = json.loads(printed(*args, "--kind", "all", "--json", capsys=capsys))
    assert list(found) == ["people", "attacks"]
    kinds = {each["kind"] for each in found["attacks"]}
    assert kinds == {
        "singling-out", "downcoding", "linkability", "inference", "refinement", "minimality",
    }  # fmt: skip
    for each in found["attacks"]:
        assert each["interval"][0] <= each["rate"] <= each["interval"][1]
        assert each["control_rate"] is None
    args_of_control = (*args, "--kind", "inference", "--control", "people.csv")
    found = json.loads(printed(*args_of_control, "--json", capsys=capsys))
    first = found["attacks"][0]
    assert first["control_rate"] == first["rate"]  # here the control are the people themselves
    assert "Inference of flu, class" in printed(*args_of_control, capsys=capsys)
    again = (*args, "--kind", "inference", "--with", "l=2", "--with", "k=4")
    found = json.loads(printed(*again, "--json", capsys=capsys))
    assert [run["changes"] for run in found["with"]] == ["l=2", "k=4"]
    assert found["with"][0]["attacks"][0]["successes"] == 0  # two values in every class
    table = printed(*again, capsys=capsys).split("Side by side")[1]
    assert f"{found['attacks'][0]['rate']:.1%}" in table
    known = (*args, "--kind", "minimality", "--algorithm", "sbc", "--k", "3")
    assert "k=6" in printed(*known, capsys=capsys)  # counter-measures go on from what was run
    assert main([*args]) == 2
    assert "--external FILE --on a,b" in capsys.readouterr().err
    assert main([*args, "--kind", "composition"]) == 2
    assert "earlier release" in capsys.readouterr().err


def test_records_are_held_out_and_the_report_has_the_attacks(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    args = ("run", "p.yaml", "--accept-guesses", "--report", "d.md", "--attacks", "--out", "o.csv")
    printed(*args, "--hold-out", "0.2", "--control", "c.csv", capsys=capsys)
    kept, held = ((folder / name).read_text().splitlines()[1:] for name in ("o.csv", "c.csv"))
    assert len(kept) + len(held) == 40
    assert held
    assert (folder / "c.csv").stat().st_mode & 0o777 == 0o600  # these are records as they were
    assert (folder / "o.csv").stat().st_mode & 0o777 != 0o600
    assert set(held) <= set((folder / "people.csv").read_text().splitlines())
    report = (folder / "d.md").read_text()
    assert "Singling out, linkability, inference" in report
    assert "Inference of flu, class" in report
    assert main([*args, "--force", "--hold-out", "0.2"]) == 2
    assert "go together" in capsys.readouterr().err
    assert main([*args, "--force", "--hold-out", "2", "--control", "c.csv"]) == 2


def test_utility(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    args = ("utility", "p.yaml", "--release", "r.csv")
    found = json.loads(printed(*args, "--target", "flu", "--json", capsys=capsys))
    assert list(found) == [
        "records", "marginals", "pairs", "means", "queries", "target", "models",
    ]  # fmt: skip
    assert found["records"] == {"original": 40, "release": 40}
    distances = {each["attribute"]: each["distance"] for each in found["marginals"]}
    assert distances["flu"] == 0.0
    assert all(each["original_association"] <= 1 for each in found["pairs"])
    assert found["queries"]["queries"] == 1000
    assert {each["model"] for each in found["models"]} == {
        "logistic regression", "random forest", "naive Bayes",
    }  # fmt: skip
    text = printed(*args, "--target", "flu", capsys=capsys)
    assert "1,000 random COUNT queries" in text
    assert "random forest" in text
    assert "name" not in distances
    assert main([*args, "--target", "fly"]) == 2
    assert "no column 'fly'; did you mean 'flu'" in capsys.readouterr().err


def test_partition_options(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    args = ("partition", "p.yaml", "--release", "people.csv", "--target", "zip", "--json")
    more = ("--attributes", "age", "--leaves", "3", "--smallest", "5")
    found = json.loads(printed(*args, *more, capsys=capsys))
    leaves = found["original"]["leaves"]
    assert len(leaves) == 3
    assert all(leaf["records"] >= 5 and "flu" not in leaf["path"] for leaf in leaves)


def test_partition_with_a_generalised_target(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    args = ("partition", "p.yaml", "--release", "r.csv", "--target", "zip")
    assert json.loads(printed(*args, "--json", capsys=capsys))["release"]["mixed_target"] == 40
    shown = printed(*args, capsys=capsys)
    assert "40 records of the release count in several values of zip" in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--target": "fly"}, "the data has no column 'fly'; did you mean 'flu'?"),
        ({"--target": "name"}, "'name' is an identifier"),
        ({"--attributes": "age,fly"}, "the data has no column 'fly'"),
        ({"--attributes": "flu"}, "attributes: 'flu' is the target itself"),
        ({"--leaves": "1"}, "argument --leaves: '1' is not a whole number of at least 2"),
        ({"--release": "none.csv"}, "none.csv"),
    ],
)
def test_partition_refuses(
    change: dict[str, str],
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    given = {"--release": "r.csv", "--target": "flu", **change}
    args = [word for pair in given.items() for word in pair]
    assert message in refusal("partition", "p.yaml", *args, capsys=capsys)


def test_only_partition_imports_scikit_learn() -> None:
    code = """
import sys
from kanon_tui.core.analysis import feasibility
from kanon_tui.core.analysis.attack import linking
from kanon_tui.core.analysis import published_cells
from kanon_tui.core.analysis.trees import features, partition
print(*{"sklearn", "scipy", "pandas", "numba", "textual", "rich"} & set(sys.modules))
"""
    shown = subprocess.check_output(
        [sys.executable, "-c", code], env=command_line.ENVIRONMENT, text=True
    )
    assert shown.split() == []


# --- rerelease


def test_rerelease_and_run_refuse_what_singles_out(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    check = ("rerelease", "p.yaml", "--release", "r.csv", "--earlier")
    assert "have fewer than k = 2" in printed(*check, "r.csv", capsys=capsys)
    safe = json.loads(printed(*check, "r.csv", "--json", capsys=capsys))
    assert (safe["people"], safe["below_k"], safe["k"]) == (40, 0, 2)

    # The people of 20 are one group before and another now: only three ages are left to be told.
    rows = ["[20..55],46201"] * 14 + ["20,{46202|46203}"] * 3 + ["[25..55],{46202|46203}"] * 23
    (folder / "old.csv").write_text("\n".join(["age,zip", *rows]))
    (folder / "new.csv").write_text("\n".join(["age,zip", *["[20..55],46202"] * 13,
                                               *["[20..55],{46201|46203}"] * 27]))  # fmt: skip
    unsafe = ("rerelease", "p.yaml", "--release", "new.csv", "--earlier", "old.csv")
    assert main(unsafe) == 1
    captured = capsys.readouterr()
    assert "together with old.csv the release leaves" in captured.err
    assert "Secret" not in captured.out + captured.err

    (folder / "p.yaml").write_text(PROJECT.replace("mondrian", "k-member"))
    assert main(("run", "p.yaml", "--out", "out.csv", "--earlier", "old.csv")) == 1
    captured = capsys.readouterr()
    assert "together with old.csv the release leaves" in captured.err
    assert not (folder / "out.csv").exists()
    assert main(("run", "p.yaml", "--out", "out.csv", "--earlier", "old.csv", "--repair")) == 0
    assert "note: generalised further, as together with" in capsys.readouterr().out
    assert main(("rerelease", "p.yaml", "--release", "out.csv", "--earlier", "old.csv")) == 0
    assert main(("run", "p.yaml", "--repair")) == 2
    assert "--repair: there is nothing to repair without" in capsys.readouterr().err
    assert main(("run", "p.yaml", "--out", "out2.csv", "--earlier", "none.csv")) == 2
    assert "none.csv" in capsys.readouterr().err
