"""Names and values made to mislead: what reaches a report is what they are, spelt out."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.project.project import AttributeSpec, project_from_mapping
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.table.column import Kind
from kanon_tui.core.text import is_visible
from tests.helpers import make_task, report_text

NAME = "\x1b]2;X\x07ci\u202ety\u200b\n|``` <script>alert(1)</script> &amp;"
FILE = "it's \x1b[31m a\\b ```\u202e.yaml"


@pytest.fixture(scope="module")
def result() -> Result:
    specs = {NAME: AttributeSpec(kind=Kind.CATEGORICAL)}
    task = make_task({NAME: [NAME, NAME, "b\x9b", "b\x9b"], "n": [1, 2, 3, 4]}, specs=specs)
    project = replace(project_from_mapping({"data": {"path": "x.csv"}}), path=Path(FILE))
    return replace(conclude(Run(task, Mondrian())), project=project)


@pytest.mark.parametrize("ending", [".md", ".html", ".json"])
def test_no_report_holds_what_a_terminal_or_a_reader_would_be_misled_by(
    result: Result, ending: str
) -> None:
    text = report_text(result, Path(f"report{ending}"))
    assert [line for line in text.split("\n") if not is_visible(line)] == []
    assert "<script>" not in re.sub(r"\\[<>]", "", text) or ending == ".json"
    shown = {".md": r"␛\]2;X␇ci\\u202ety", ".html": r"␛]2;X␇ci\u202ety", ".json": r"\u001b]2;X"}
    assert shown[ending] in text


def test_the_command_cannot_leave_its_block_and_a_shell_reads_the_name(result: Result) -> None:
    text = result.annex(Path("annex.md")).decode()
    fence, command = re.findall(r"^(`{3,})\n(.*)\n\1$", text, re.MULTILINE)[-1]
    assert fence not in command
    assert command == reproduce(result)
    printed = subprocess.run(
        ["bash", "-c", f"printf %s {command.split(' run ')[1]}"], capture_output=True, check=True
    )
    assert printed.stdout.startswith(FILE.encode())
