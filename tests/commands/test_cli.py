"""The command line, as a person or a script meets it: every command, every exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from kanon_tui.cli import main
from kanon_tui.commands import COMMANDS
from kanon_tui.core.project.samples import list_samples

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENVIRONMENT.pop("KANON_DEBUG", None)

PEOPLE = """\
name,age,zip,sex,flu
Ann Secret,21,46201,F,yes
Bob Secret,22,46202,M,no
Cid Secret,23,46203,M,no
Dee Secret,40,46204,F,yes
Eve Secret,41,46311,F,no
Fay Secret,42,46312,F,no
Gus Secret,64,46313,M,yes
Hal Secret,65,46314,M,no
"""
PROJECT = """\
data: {path: people.csv}
attributes:
  name: {role: identifier}
  age:
    role: quasi
    hierarchy: {builder: intervals, widths: [5, 20]}
    rules: {keep: [{boundary: [64, 65], importance: 5}]}
  zip: {role: quasi, kind: categorical, hierarchy: {builder: mask}}
  sex: {role: other}
  flu: {role: sensitive}
privacy: {k: 2}
algorithm: {name: mondrian}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.yaml").write_text(PROJECT)
    return tmp_path


def kanon(*args: str, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "kanon_tui", *args],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
        **more,  # type: ignore[call-overload]
    )
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert len(done.stderr.strip().splitlines()) <= 1, done.stderr
    return done


def said(*args: str, capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    """What the command says on stderr, run in this process: quicker, for the many refusals."""
    assert main(args) == code
    captured = capsys.readouterr()
    if code:
        assert len(captured.err.splitlines()) == 1
        assert captured.err.startswith("kanon-tui: ")
    return captured.err.removeprefix("kanon-tui: ").rstrip() if code else captured.out


# --- starting up


def test_help_and_version(tmp_path: Path) -> None:
    done = kanon("--help", folder=tmp_path)
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"\n    {command}" in done.stdout
    assert kanon("--version", folder=tmp_path).stdout.startswith("kanon-tui 0.")
    for command in COMMANDS:
        done = kanon(command, "--help", folder=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith(f"usage: kanon-tui {command}")


# --- run


def test_run_writes_a_release_and_every_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = kanon("run", "p.yaml", "--out", "r.csv", "--report", "r.json", folder=folder)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "k = 2, verified" in done.stdout
    assert "wrote r.csv and r.json" in done.stdout
    release = pl.read_csv(folder / "r.csv", infer_schema=False)
    assert release.columns == ["age", "zip", "sex", "flu"]
    assert release.height == 8
    report = json.loads((folder / "r.json").read_text())
    smallest = release.group_by("age", "zip").len()["len"].min()
    assert report["smallest_class"] == smallest
    for ending, start in {"md": "# Release with k = 2", "html": "<!doctype html>"}.items():
        report = str(folder / f"r.{ending}")
        said("run", str(folder / "p.yaml"), "--report", report, capsys=capsys, code=0)
        text = Path(report).read_text()
        assert text.startswith(start)
        assert "kanon-tui run p.yaml --algorithm mondrian --k 2 --seed 0" in text
    everything = "".join(
        path.read_text() for path in folder.glob("r.*") if path.suffix != ".parquet"
    )
    assert "Secret" not in everything + done.stdout


def test_run_takes_what_is_typed_instead_of_the_project(folder: Path) -> None:
    done = kanon(
        *("run", "p.yaml", "--k", "4", "--seed", "9", "--set", "relaxed=true"),
        *("--report", "r.json", "--out", "r.parquet"),
        folder=folder,
    )
    assert done.returncode == 0
    report = json.loads((folder / "r.json").read_text())
    assert (report["k"], report["seed"], report["params"]) == (4, 9, {"relaxed": True})
    assert pl.read_parquet(folder / "r.parquet").height == 8


def test_another_algorithm_does_not_get_the_old_parameters(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "p.yaml"
    file.write_text(PROJECT.replace("mondrian}", "mondrian, params: {relaxed: true}}"))
    assert "Datafly" in said("run", str(file), "--algorithm", "datafly", capsys=capsys, code=0)


def test_run_without_files_prints_a_summary_only(folder: Path) -> None:
    done = kanon("run", "p.yaml", folder=folder)
    assert done.returncode == 0
    assert "nothing was written" in done.stdout
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv"]


def test_existing_files_are_kept_and_found_before_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, out, report = (str(folder / name) for name in ("p.yaml", "r.csv", "r.md"))
    for path in (out, report):
        Path(path).write_text("mine")

    def never(*args: object) -> None:
        raise AssertionError("it ran")

    with monkeypatch.context() as patch:
        patch.setattr("kanon_tui.core.run.result.start", never)
        for option in ("--out", "--report"):
            path = out if option == "--out" else report
            assert said("run", project, option, path, capsys=capsys) == (
                f"{path} exists and is kept; use --force to replace it or name another file"
            )
    assert Path(out).read_text() == "mine"
    assert "wrote" in said("run", project, "--out", out, "--force", capsys=capsys, code=0)
    assert Path(out).read_text().startswith("age,zip,sex,flu")
    assert Path(report).read_text() == "mine"


def test_the_input_is_never_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(folder / "people.csv")
    message = said("run", str(folder / "p.yaml"), "--out", out, "--force", capsys=capsys)
    assert message == f"{out} is what is read, it cannot be written too; name another"
    assert (folder / "people.csv").read_text() == PEOPLE


def test_when_the_report_fails_there_is_no_release_either(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kanon_tui.core.run.files.report_text", full)
    project, out, report = (str(folder / name) for name in ("p.yaml", "r.csv", "r.md"))
    assert "No space left" in said("run", project, "--out", out, "--report", report, capsys=capsys)
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv"]


def test_privacy_that_is_not_reached_is_exit_code_1(folder: Path) -> None:
    # A single record is suppressed, and publishing it with stars would single it out.
    (folder / "people.csv").write_text("age\n" + "20\n" * 5 + "90\n")
    (folder / "p.yaml").write_text(
        "data: {path: people.csv}\n"
        "attributes: {age: {role: quasi, kind: numeric}}\n"
        "privacy: {k: 3, max_suppression: 0.2}\n"
        "algorithm: {name: datafly}\noutput: {suppressed: star}\n"
    )
    done = kanon("run", "p.yaml", "--out", "r.csv", folder=folder)
    assert done.returncode == 1
    assert "would publish a class of 1 suppressed record, k is 3" in done.stderr
    assert "use suppressed: drop" in done.stderr
    assert not (folder / "r.csv").exists()


# --- the other commands


def test_check_measures_any_table(folder: Path) -> None:
    (folder / "r.csv").write_text("a,b,s\n1,x,u\n1,x,v\n2,y,u\n2,y,u\n2,y,w\n")
    done = kanon("check", "r.csv", "--quasi", "a,b", "--k", "2", "--json", folder=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "records": 5,
        "quasi": ["a", "b"],
        "classes": 2,
        "k": 2,
        "l_distinct": None,
        "l_entropy": None,
        "t": None,
        "p": None,
        "alpha": None,
        "risk_max": 0.5,
        "risk_mean": pytest.approx(0.4),
        "reached": True,
    }
    done = kanon(
        *("check", "r.csv", "--quasi", "a,b", "--k", "3", "--sensitive", "s"), folder=folder
    )
    assert done.returncode == 1
    assert "k = 3 is NOT reached" in done.stdout
    assert "distinct l-diversity                       2" in done.stdout


def test_levels(folder: Path) -> None:
    done = kanon("levels", "p.yaml", "--json", folder=folder)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found) == ["attributes"]
    assert list(found["attributes"]) == ["age", "zip"]
    zips = found["attributes"]["zip"]
    assert list(zips[0]) == ["level", "labels", "smallest", "passes", "rv", "ncp"]
    assert [level["labels"] for level in zips] == [8, 2, 2, 1, 1, 1][: len(zips)]
    assert [level["passes"] for level in zips[:2]] == [False, True]
    lines = kanon("levels", "p.yaml", folder=folder).stdout.splitlines()
    assert lines[0].split() == ["attribute", "level", "labels", "smallest", "passes", "RV", "NCP"]
    assert len({len(line) for line in lines}) == 1
    assert lines[1].split()[:5] == ["age", "0", "8", "1", "no"]


def test_algorithms(tmp_path: Path) -> None:
    done = kanon("algorithms", "--json", folder=tmp_path)
    found = {entry["name"]: entry for entry in json.loads(done.stdout)}
    assert list(found["mondrian"]) == ["name", "title", "family", "paper", "parameters"]
    assert found["mondrian"]["family"] == "clustering"
    assert found["mondrian"]["parameters"] == [
        {
            "name": "relaxed",
            "type": "bool",
            "default": False,
            "help": "Records equal to the median may go to either side",
            "low": None,
            "high": None,
            "choices": None,
        }
    ]
    text = kanon("algorithms", folder=tmp_path).stdout
    for name in found:
        assert f"{name}  (" in text
    assert "--set relaxed=false" in text


def test_hierarchies_are_built_checked_and_converted(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = kanon(
        *("hierarchy", "build", "people.csv", "--attribute", "age", "--builder", "intervals"),
        *("--set", "widths=5,10", "--out", "age.csv"),
        folder=folder,
    )
    assert done.returncode == 0
    assert "wrote age.csv: 8 values, height 3" in done.stdout
    assert (folder / "age.csv").read_text().splitlines()[0] == "21;20-24;20-29;*"
    done = kanon("hierarchy", "validate", "age.csv", "--data", "p.yaml", folder=folder)
    assert "age.csv is valid: 8 values" in done.stdout
    assert "it covers every value of age" in done.stdout
    assert kanon("hierarchy", "convert", "age.csv", "age.yaml", folder=folder).returncode == 0
    monkeypatch.chdir(folder)
    assert "wrote" in said("hierarchy", "convert", "age.yaml", "age.xml", capsys=capsys, code=0)
    assert "\n  21: [20-24, 20-29, '*']\n" in (folder / "age.yaml").read_text()
    back = ("hierarchy", "convert", "age.xml", "back.csv", "--attribute", "age")
    assert "wrote" in said(*back, "--data", "people.csv", capsys=capsys, code=0)
    assert (folder / "back.csv").read_text() == (folder / "age.csv").read_text()


def test_hierarchies_from_the_other_builders(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(folder / "people.csv")
    for number, (attribute, builder, *keys) in enumerate(
        (
            ("zip", "mask", "from=left", "levels=2"),
            ("age", "breaks", "levels=[[40, 65], [65]]"),
            ("age", "quantiles", "bins=2"),
            ("sex", "groups", "levels=[{Person: [F, M]}]"),
            ("sex", "flat"),
            ("age", "mask"),
        )
    ):
        out = str(folder / f"{number}.csv")
        sets = [word for key in keys for word in ("--set", key)]
        built = ("hierarchy", "build", data, "--attribute", attribute, "--builder", builder)
        assert "wrote" in said(*built, *sets, "--out", out, capsys=capsys, code=0)
        assert "is valid" in said("hierarchy", "validate", out, capsys=capsys, code=0)
    assert (folder / "1.csv").read_text().splitlines()[0] == "21;<40;<65;*"
    assert (folder / "3.csv").read_text() == "F;Person\nM;Person\n"


# --- opening the application


def test_a_file_opens_the_application(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path | None] = []
    monkeypatch.setitem(sys.modules, "kanon_tui.app", SimpleNamespace(launch=opened.append))
    monkeypatch.setenv("TEXTUAL_DRIVER", "somewhere else")
    monkeypatch.chdir(folder)
    Path("rum").write_text("a file that is called like a mistyped command")
    for args in ((), ("people.csv",), ("p.yaml",), ("rum",), ("demo",), ("demo", "mondrian")):
        assert main(args) == 0
    assert opened[:-1] == [None, Path("people.csv"), Path("p.yaml"), Path("rum"), None]
    assert opened[-1] is not None
    assert opened[-1].is_file()
    assert capsys.readouterr().err == ""
    assert said("p.yaml", "people.csv", capsys=capsys) == (
        "unknown argument 'people.csv'; the application opens one file"
    )


def test_without_a_terminal_the_application_is_not_opened(folder: Path) -> None:
    done = kanon("p.yaml", folder=folder)
    assert done.returncode == 2
    assert "the application needs a terminal; 'kanon-tui run PROJECT'" in done.stderr


def test_every_sample_is_there() -> None:
    samples = list_samples()
    assert len({sample.name for sample in samples}) == len(samples) > 0
    for sample in samples:
        assert sample.project.is_file()
        assert sample.title
        assert sample.description


# --- refusals


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("rum",), "there is no command 'rum' and no such file; did you mean 'run'?"),
        (("levles",), "there is no command 'levles' and no such file; did you mean 'levels'?"),
        (("xyzzy",), "xyzzy does not exist; name a data file, a project or a command"),
        (("x" * 300,), "does not exist; name a data file, a project or a command"),
        (("run.csv",), "run.csv does not exist; name a data file, a project or a command"),
        (("--k",), "unknown option '--k'; known are --help, --version, -h"),
        (("run",), "the following arguments are required: PROJECT; see 'kanon-tui run --help'"),
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
            "--set: parameter relaxed is '2'; it must be true",
        ),
        (("run", "p.yaml", "--set", "relxed=1"), "mondrian: unknown parameter 'relxed'; did you"),
        (
            ("run", "p.yaml", "--algorithm", "mondriaan"),
            "--algorithm: unknown algorithm 'mondriaan'",
        ),
        (("run", "p.yaml", "--out", "r.xlsx"), "r.xlsx: files of this kind end in .csv, .tsv or"),
        (("run", "p.yaml", "--report", "r.pdf"), "r.pdf: files of this kind end in .json, .md or"),
        (("run", "p.yaml", "--out", "no/r.csv"), "no/r.csv: the folder no does not exist"),
        (
            ("run", "p.yaml", "--out", "x" * 300 + ".csv"),
            "could not be written: File name too long",
        ),
        (("run", "x" * 300), "cannot be read: File name too long"),
        (("run", "none.yaml"), "none.yaml does not exist; check the path of the project"),
        (("run", "people.csv"), "people.csv is a data file, not a project"),
        (("run", "."), ". is a folder; name a project file in it"),
        (("levels", "none.yaml"), "none.yaml does not exist"),
        (("check", "none.csv", "--quasi", "a", "--k", "2"), "none.csv does not exist"),
        (("check", "people.csv", "--quasi", "aeg", "--k", "2"), "did you mean 'age'?"),
        (
            ("check", "people.csv", "--quasi", "a,,b", "--k", "2"),
            "is not a list of names like a,b,c",
        ),
        (("check", "people.csv", "--quasi", "age"), "the following arguments are required: --k"),
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
    ("args", "expected"),
    [
        (("--attribute", "agee", "--builder", "flat"), "there is no column 'agee'; did you mean"),
        (("--attribute", "age", "--builder", "interval"), "did you mean 'intervals'?"),
        (
            ("--attribute", "age", "--builder", "intervals", "--set", "widths=wide"),
            "it must be a list of numbers above 0",
        ),
        (("--attribute", "sex", "--builder", "intervals"), "is for numeric and date attributes"),
        (
            ("--attribute", "age", "--builder", "breaks", "--set", "levels=[[1"),
            "--set levels: line 2, column 1: not valid YAML",
        ),
    ],
)
def test_hierarchies_that_cannot_be_built(
    args: Sequence[str], expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "h.csv"
    build = ("hierarchy", "build", str(folder / "people.csv"), "--out", str(out))
    assert expected in said(*build, *args, capsys=capsys)
    assert not out.exists()


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        (b"\x00\xff\xfe", "p.yaml: byte 2 is not UTF-8"),
        (b"", "p.yaml is empty"),
        (b"data: {path: people.csv", "p.yaml: line 2, column 10: not valid YAML"),
        (b"data: {path: nowhere.csv}", "nowhere.csv does not exist; check the path"),
        (b"data: {path: .}", "is a directory"),
        (b"data: {path: people.csv}\nattributes: {agee: {role: quasi}}", "did you mean 'age'?"),
        (
            b"data: {path: people.csv}\nattributes: {age: {role: quasi, hierarchy: {file: x.csv}}}",
            "x.csv: there is no such file",
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


# --- signals, pipes, terminals


SLOW = """
    import sys, time
    from dataclasses import dataclass
    from pathlib import Path
    from kanon_tui.core.algorithms import ALGORITHMS
    from kanon_tui.core.algorithms.mondrian import Mondrian
    from kanon_tui.core.task.steps import Step
    import kanon_tui.core.data.writing as writing

    def wait():
        Path("ready").touch()
        time.sleep(60)

    @dataclass(frozen=True)
    class Slow(Mondrian):
        def steps(self, task, context):
            for i in range(5):
                yield Step("think", "thinking", progress=i / 5)
            WAIT_IN_RUN
            return (yield from super().steps(task, context))

    def put_half(table, file, path, put=writing.put_table):
        put(table, file, path)
        file.flush()
        WAIT_IN_WRITE

    ALGORITHMS["mondrian"] = Slow
    writing.put_table = put_half
    from kanon_tui.cli import main
    sys.exit(main(sys.argv[1:]))
"""


def slow(where: str, folder: Path) -> list[str]:
    code = textwrap.dedent(SLOW).replace(where, "wait()")
    for other in ("WAIT_IN_RUN", "WAIT_IN_WRITE"):
        code = code.replace(other, "pass")
    (folder / "ready").unlink(missing_ok=True)
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("where", ["WAIT_IN_RUN", "WAIT_IN_WRITE"])
def test_an_interrupted_run_leaves_nothing(
    number: signal.Signals, where: str, folder: Path
) -> None:
    command = [*slow(where, folder), "run", "p.yaml", "--out", "r.csv", "--report", "r.md"]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not (folder / "ready").exists():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    if where == "WAIT_IN_WRITE":
        assert any(name.endswith(".part") for name in os.listdir(folder))
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr == "kanon-tui: interrupted; nothing was written\n"
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv", "ready"]


def test_a_bar_is_shown_on_a_terminal_and_only_there(folder: Path) -> None:
    command = [*slow("nowhere", folder), "run", "p.yaml"]
    piped = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=True)
    assert piped.stderr == b""
    ours, theirs = os.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stderr=theirs, stdout=subprocess.PIPE
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
    except OSError:  # how a pseudo-terminal ends
        pass
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert b"mondrian" in shown
    assert b"verified" in out


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "kanon_tui", "algorithms"],
        cwd=tmp_path, env=ENVIRONMENT, stdout=write, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
