"""What is wrong is said in one sentence, with exit code 2; a mistake of ours with 70."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from kanon_tui.cli import main
from kanon_tui.commands import COMMANDS
from tests.commands.command_line import said


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("rum",), "there is no command 'rum' and no such file; did you mean 'run'?"),
        (("levles",), "there is no command 'levles' and no such file; did you mean 'levels'?"),
        (("xyzzy",), "xyzzy does not exist; name a data file, a project or a command"),
        (("x" * 300,), "does not exist; name a data file, a project or a command"),
        (("run.csv",), "run.csv does not exist; name a data file, a project or a command"),
        (
            ("--k",),
            "unknown option '--k'; known are --help, --no-mouse, --show-values, --version, -h",
        ),
        (("run",), "the following arguments are required: FILE; see 'kanon-tui run --help'"),
        (("run", "p.yaml", "q"), "run: unknown argument 'q'; it takes no further argument"),
        (("run", "p.yaml", "--ks", "2"), "run: unknown argument '--ks'; did you mean '--k'?"),
        (("run", "p.yaml", "--forc"), "run: unknown argument '--forc'; did you mean '--force'?"),
        (("run", "p.yaml", "--k", "0"), "'0' is not a whole number of at least 1"),
        (("run", "p.yaml", "--k", "two"), "'two' is not a whole number of at least 1"),
        (("run", "p.yaml", "--k", "9" * 30), "is not a whole number of at least 1"),
        (("run", "p.yaml", "--k", "9"), "p.yaml: k is 9 but the table has only 8 records"),
        (("run", "p.yaml", "--seed", "-1"), "'-1' is not a whole number of at least 0"),
        (("run", "p.yaml", "--set", "relaxed"), "'relaxed' is not of the form NAME=VALUE"),
        (
            ("run", "p.yaml", "--set", "relaxed=2"),
            "--set: relaxed: '2' is not true or false",
        ),
        (("run", "p.yaml", "--set", "relxed=1"), "mondrian has no parameter 'relxed'; did you"),
        (("run", "p.yaml", "--set", "max_supression=1"), "did you mean 'max_suppression'?"),
        (
            ("run", "p.yaml", "--algorithm", "mondriaan"),
            "--algorithm: unknown algorithm 'mondriaan'",
        ),
        (("run", "p.yaml", "--out", "r.docx"), "r.docx: files of this kind end in .csv, .tsv, "),
        (("run", "p.yaml", "--report", "r.docx"), "r.docx: files of this kind end in .json, "),
        (("run", "p.yaml", "--out", "no/r.csv"), "no/r.csv: the folder no does not exist"),
        (
            ("run", "p.yaml", "--out", "x" * 300 + ".csv"),
            "could not be written: File name too long",
        ),
        (("run", "x" * 300), "File name too long"),
        (("run", "none.yaml"), "none.yaml does not exist; check the path of the project"),
        (("run", "people.csv"), "people.csv: 5 roles are only guessed"),
        (("run", "."), ".: 5 roles are only guessed"),
        (("levels", "none.yaml"), "none.yaml does not exist"),
        (("check", "none.csv", "--quasi", "a", "--k", "2"), "none.csv does not exist"),
        (("check", "people.csv", "--quasi", "aeg", "--k", "2"), "did you mean 'age'?"),
        (
            ("check", "people.csv", "--quasi", "a,,b", "--k", "2"),
            "is not a list of names like a,b,c",
        ),
        (("check", "people.csv", "--quasi", "age"), "the following arguments are required: -k/--k"),
        (("check", "people.csv", "--quasi", "age", "--k", "2", "--sensitive", "fly"), "'fly'"),
        (("demo", "mondrain"), "demo: there is no sample 'mondrain'; did you mean 'mondrian'?"),
        (("hierarchy",), "the following arguments are required: build|validate|convert"),
        (("hierarchy", "biuld"), "invalid choice: 'biuld'"),
        (("hierarchy", "validate", "x.csv"), "x.csv"),
        (("hierarchy", "validate", "people.txt"), "hierarchies end in .csv, .yaml or .xml"),
        (("hierarchy", "validate", "p.yaml"), "p.yaml: data: unknown key"),
        (("hierarchy", "convert", "people.csv", "p.yaml"), "p.yaml exists and is kept"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    args: Sequence[str],
    expected: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    assert expected in said(*args, capsys=capsys)


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        (b"\x00\xff\xfe", "p.yaml: line 1 is not UTF-8"),
        (b"", "p.yaml is empty"),
        (b"data: {path: people.csv", "p.yaml: line 2, column 10: not valid YAML"),
        (b"data: {path: nowhere.csv}", "nowhere.csv does not exist; check the path"),
        (b"data: {path: '*.nothing'}", "no file matches"),
        (b"data: {path: people.csv}\nattributes: {agee: {role: quasi}}", "did you mean 'age'?"),
        (
            b"data: {path: people.csv}\nattributes: {age: {role: quasi, hierarchy: {file: x.csv}}}",
            "x.csv does not exist",
        ),
        (b"data: {path: people.csv}\nattributes: {a: &a {b: *a}}", "anchors and aliases"),
        (b"!!python/object/apply:os.system ['touch pwned']", "tags (!) are not read"),
        (b"[" * 100_000, "nested more than 50 deep"),
    ],
)
def test_hostile_projects(
    project: bytes,
    expected: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = b"\nalgorithm: {name: mondrian}" if project.startswith(b"data: {path: ") else b""
    (folder / "p.yaml").write_bytes(project + known)
    monkeypatch.chdir(folder)
    for command in (("run", "p.yaml", "--out", "r.csv"), ("levels", "p.yaml")):
        assert expected in said(*command, capsys=capsys)
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv"]


def test_a_mistake_of_ours_is_one_sentence_without_data(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(args: object) -> int:
        raise ValueError("Ann Secret, 21")

    monkeypatch.setattr(COMMANDS["algorithms"], "execute", broken)
    monkeypatch.delenv("KANON_DEBUG", raising=False)
    message = said("algorithms", capsys=capsys, code=70)
    assert message.startswith("a mistake in Kanon: ValueError in kanon_tui.cli, line ")
    assert "Secret" not in message
    monkeypatch.setenv("KANON_DEBUG", "1")
    with pytest.raises(ValueError, match="Secret"):
        main(["algorithms"])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run p.yaml", "--trust"),
        ("run p.yaml --insecure", "--trust"),
        ("run p.yaml --trust", "--insecure"),
        ("run p.yaml --scheduler tcp://127.0.0.1:2", "--insecure"),
        ("sweep p.yaml", "--trust"),
        ("sweep p.yaml --trust", "--insecure"),
    ],
)
def test_no_run_goes_to_a_scheduler_that_nobody_agreed_to(
    line: str, expected: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(here / "p.yaml", "a") as file:
        file.write("run: {engine: dask, scheduler: 'tcp://127.0.0.1:1'}\n")
    refused = said(*line.split(), "--out", "r.csv", capsys=capsys)
    assert "tcp://127.0.0.1:" in refused
    assert f"add {expected} if" in refused
    assert sorted(os.listdir(here)) == ["p.yaml", "people.csv"]


def test_a_thousand_quasi_identifiers_are_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"c{place}" for place in range(1_100)]
    rows = [",".join("ab"[(row >> place % 7) % 2] for place in range(1_100)) for row in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    command = ("run", str(tmp_path / "wide.csv"), "--quasi", ",".join(names), "--k", "2")
    for algorithm in ("global", "incognito"):
        refusal = said(*command, "--algorithm", algorithm, capsys=capsys)
        assert "·10^" in refusal
        assert "anytime" in refusal
