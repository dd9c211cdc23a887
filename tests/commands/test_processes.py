"""Every command as a process of its own, from its start to its exit code.

Python files of the current folder, which lie beside somebody's data, are never imported.
"""

from __future__ import annotations

from pathlib import Path

from kanon_tui.commands import COMMANDS
from tests.commands.command_line import imported, kanon_process

LINES = (
    "run p.yaml --out r.csv --report r.md",
    "run p.yaml --algorithm global --out g.csv --mapping m.json",
    "apply m.json people.csv --out applied.csv",
    "export-mapping m.json",
    "sweep p.yaml --k 2,3 --algorithms mondrian",
    "check r.csv --quasi age,zip --k 2",
    "risk r.csv --quasi age,zip",
    "levels p.yaml",
    "explain p.yaml",
    "uniques p.yaml",
    "simulate --attributes 2 --k 2 --records 20",
    "attack p.yaml --release r.csv --external people.csv --on age",
    "partition p.yaml --release r.csv --target flu",
    "utility p.yaml --release r.csv",
    "rerelease p.yaml --release r.csv --earlier r.csv",
    "verify r.csv --project p.yaml",
    "verify r.csv --project p.yaml --data people.csv",
    "hierarchy build people.csv --attribute zip --builder mask --out zip.csv",
    "algorithms",
    "papers sbc-figure-4-2a-ncp-rises --on people.csv --quasi age,zip",
    "demo --list",
    "warmup",
    "completion bash",
)  # in this order: some read what others have written


def test_every_command_is_done_and_imports_nothing_from_the_current_folder(
    poisoned: Path,
) -> None:
    for line in LINES:
        done = kanon_process(*line.split(), folder=poisoned)
        assert (done.returncode, done.stderr) == (0, ""), line
        assert done.stdout, line
        assert imported(poisoned) == "", line
    assert {line.split()[0] for line in LINES} == set(COMMANDS) - {"serve"}  # it goes on
    for written in ("r.csv", "r.md", "g.csv", "m.json", "applied.csv"):
        assert (poisoned / written).stat().st_size


def test_a_refusal_is_one_sentence_and_a_code(folder: Path) -> None:
    refused = kanon_process("run", "people.yaml", folder=folder)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("kanon-tui: people.yaml does not exist")
    not_reached = kanon_process("check", "people.csv", "--quasi", "age", "--k", "2", folder=folder)
    assert not_reached.returncode == 1
    assert "k = 2 is NOT reached" in not_reached.stdout
