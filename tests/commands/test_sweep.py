"""`kanon-tui sweep` and `kanon-tui explain`, as a person or a script meets them."""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.project.samples import find_sample
from tests.commands.command_line import PATIENCE, PEOPLE, kanon, said, started, wait_for_file

FIELDS = [
    "algorithm", "k", "ncp", "rv", "il", "classes", "suppressed_records", "seconds", "error",
]  # fmt: skip


# --- sweep


def test_sweep_prints_a_table_in_the_order_asked_for(here: Path) -> None:
    done = kanon("sweep", "p.yaml", "--k", "4,2", "--algorithms", "mondrian,global", folder=here)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        "algorithm", "k", "NCP", "RV", "IL", "classes", "suppressed", "seconds",
    ]  # fmt: skip
    assert [line.split()[:2] for line in lines[1:]] == [
        ["mondrian", "2"], ["mondrian", "4"], ["global", "2"], ["global", "4"],
    ]  # fmt: skip
    assert done.stderr == ""


def test_sweep_json_has_the_fields_programs_rely_on(here: Path) -> None:
    done = kanon("sweep", "p.yaml", "--k", "2,9", "--algorithms", "mondrian", "--json", folder=here)
    assert done.returncode == 0
    two, nine = json.loads(done.stdout)
    assert list(two) == FIELDS
    expected = kn.anonymize(here / "p.yaml").measures
    assert two["ncp"] == pytest.approx(expected.ncp)
    assert two["classes"] == expected.classes
    assert two["error"] is None
    assert nine["ncp"] is None
    assert nine["error"] == "k is 9 but the table has only 8 records; choose k of at most 8"


def test_sweep_without_options_tries_the_projects_algorithm_and_seven_values_of_k(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said("sweep", "p.yaml", "--json", capsys=capsys, code=0)
    points = json.loads(shown)
    assert [point["k"] for point in points] == [2, 3, 5, 10, 25, 50, 100]
    assert {point["algorithm"] for point in points} == {"mondrian"}


def test_sweep_writes_every_format_whole_and_keeps_what_is_there(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ending in ("csv", "json", "svg"):
        shown = said("sweep", "p.yaml", "--k", "2", "--out", f"o.{ending}", capsys=capsys, code=0)
        assert shown.endswith(f"wrote o.{ending}\n")
    with (here / "o.csv").open() as file:
        [row] = csv.DictReader(file)
    assert list(row) == FIELDS
    assert [list(point) for point in json.loads((here / "o.json").read_text())] == [FIELDS]
    ElementTree.fromstring((here / "o.svg").read_text())
    before = (here / "o.csv").read_bytes()
    why = said("sweep", "p.yaml", "--k", "3", "--out", "o.csv", capsys=capsys)
    assert "exists and is kept; use --force" in why
    assert (here / "o.csv").read_bytes() == before
    said("sweep", "p.yaml", "--k", "3", "--out", "o.csv", "--force", capsys=capsys, code=0)
    assert (here / "o.csv").read_bytes() != before
    assert sorted(path.name for path in here.iterdir()) == [
        "o.csv", "o.json", "o.svg", "p.yaml", "people.csv",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--k", "2,x"], "'x' is not a whole number of at least 1"),
        (["--k", ""], "'' is not a whole number"),
        (["--algorithms", "mondrain"], "unknown algorithm 'mondrain'; did you mean 'mondrian'?"),
        (["--algorithms", "a,,b"], "is not a list of names"),
        (["--out", "o.pdf"], "files of this kind end in .csv, .json or .svg"),
        (["--out", "people.csv", "--force"], "is read by this run"),
        (["--ks", "2"], "unknown argument '--ks'; did you mean '--k'?"),
    ],
)
def test_sweep_refuses_before_it_runs(
    arguments: list[str], why: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert why in said("sweep", "p.yaml", *arguments, capsys=capsys)
    assert (here / "people.csv").read_text() == PEOPLE


def test_sweep_without_any_release_says_so_after_the_table(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = kanon("sweep", "p.yaml", "--k", "50,100", folder=here)
    assert done.returncode == 1
    assert done.stderr == "kanon-tui: p.yaml: none of the 2 points has a release\n"
    assert "mondrian, k = 50: k is 50 but the table has only 8 records" in done.stdout


ENDLESS = """
import sys, time
from dataclasses import dataclass
from pathlib import Path
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import Step

@dataclass(frozen=True)
class Endless(Mondrian):
    def steps(self, task, context):
        if task.n != 8:  # a small table that compiles the loops first
            return (yield from super().steps(task, context))
        while True:
            Path("ready").touch()
            time.sleep(0.01)
            yield Step(Event())

ALGORITHMS["mondrian"] = Endless
from kanon_tui.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_sweep_interrupted_leaves_nothing_behind(folder: Path) -> None:
    options = ["--algorithms", "mondrian", "--k", "2,3,4", "--out", "o.csv"]
    command = [sys.executable, "-c", ENDLESS, "sweep", "p.yaml", *options]
    with started(command, folder) as running:
        wait_for_file(folder / "ready", running)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert errors == "kanon-tui: interrupted; nothing was written\n"
    assert sorted(os.listdir(folder)) == ["p.yaml", "people.csv", "ready"]


def test_the_library_sweeps_too() -> None:
    points = list(kn.sweep(find_sample("patients").project, ["mondrian", "global"], [2, 3]))
    assert sorted((point.algorithm, point.k) for point in points) == [
        ("global", 2), ("global", 3), ("mondrian", 2), ("mondrian", 3),
    ]  # fmt: skip


# --- explain


def test_explain_tells_the_run_in_numbered_sentences(here: Path) -> None:
    done = kanon("explain", "p.yaml", folder=here)
    assert done.returncode == 0
    before, decisions, after = done.stdout.split("\n\n")
    assert before.startswith("p.yaml: 8 records with 2 quasi-identifiers: age and zip.\nk is 2: ")
    assert decisions.startswith("1. Cut 8 records by ")
    assert "NCP is" in after
    assert "Secret" not in done.stdout


def test_explain_another_algorithm_another_k_and_only_the_beginning(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(
        "explain", "p.yaml", "--algorithm", "k-member", "--k", "4", "--most", "2",
        capsys=capsys, code=0,
    )  # fmt: skip
    assert "k is 4:" in shown
    assert "k-member clustering" in shown
    assert "\n2. " in shown
    assert "\n3. " not in shown
    assert "(The first 2 of 8 decisions" in shown


def test_explain_refuses_what_it_does_not_know(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said("explain", "p.yaml", "--algorithm", "modrian", capsys=capsys) == (
        "--algorithm: unknown algorithm 'modrian'; did you mean 'mondrian'?"
    )
    assert "k of at most 8" in said("explain", "p.yaml", "--k", "9", capsys=capsys)
    assert "at least 1" in said("explain", "p.yaml", "--most", "0", capsys=capsys)


def test_explain_knows_algorithms_and_samples_and_writes_handouts(here: Path) -> None:
    told = kanon("explain", "mondrian", "--from", "2", "--to", "3", folder=here)
    assert told.returncode == 0
    assert "\n2. Cut 4 records by age" in told.stdout
    assert "\n1. " not in told.stdout
    assert "(Decisions 2 to 3 of 5.)" in told.stdout
    done = kanon("explain", "incognito", "--k", "2", "--out", "lesson.html", folder=here)
    assert done.stdout == "lesson.html: 23 steps\n"
    assert "<pre>" in (here / "lesson.html").read_text(encoding="utf-8")
    again = kanon("explain", "incognito", "--out", "lesson.html", folder=here)
    assert again.returncode == 2
    assert "lesson.html" in again.stderr
    assert kanon("explain", "incognito", "--out", "lesson.txt", folder=here).returncode == 2


def test_explain_prints_the_page_of_an_algorithm(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = said("explain", "k-member", capsys=capsys, code=0)
    headings = ["Idea", "Phases", "Pseudo-code", "The same answer in plain Python", "A picture"]
    headings += [
        "Cost",
        "Departure from the paper",
        "Reference",
        "Its sample, decision by decision",
    ]
    places = [page.index(f"\n{heading}\n{'-' * len(heading)}\n") for heading in headings]
    assert places == sorted(places)
    assert "\n    def k_member(task: Task) -> Clusters:\n" in page
    assert "\n1. Record " in page[places[-1] :]
    (here / "k-member").mkdir()  # a folder is no project
    told = said("explain", "k-member", "--to", "2", capsys=capsys, code=0)
    assert told.startswith("patients: ")
    assert "\n2. Record " in told


def test_explain_says_which_algorithm_has_no_sample(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plain(Mondrian):
        name = "plain"
        sample = ""

    monkeypatch.setitem(ALGORITHMS, "plain", Plain)  # type: ignore[arg-type]
    assert said("explain", "plain", "--to", "2", capsys=capsys) == (
        "explain: the algorithm plain has no sample of its own; name a project or a sample and add "
        "--algorithm plain"
    )
    assert said("explain", "plain", capsys=capsys, code=0).startswith("Mondrian (plain)\n")


def test_demo_lists_what_the_samples_teach(here: Path) -> None:
    done = kanon("demo", "--list", folder=here)
    assert "mondrian: Cuts in two dimensions" in done.stdout
    assert "    Cuts in space: why the widest attribute is cut" in done.stdout
    assert kanon("demo", "--present", folder=here).returncode == 2
