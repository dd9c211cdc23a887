"""What leaves beside the release holds no value of the table that is not published."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import polars as pl
import pytest

import kanon_tui
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.applying.mapping_file import applied_mapping
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.text import Note, Quotable, note
from tests.helpers import report_text

QUASI = {"income": Kind.NUMERIC, "birth": Kind.DATE, "town": Kind.CATEGORICAL}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_report_and_no_mapping_quotes_a_value(algorithm: str) -> None:
    rng = random.Random(11)
    n, year = 60, lambda: rng.randrange(40, 99)
    frame = pl.DataFrame(
        {
            "income": [str(rng.randrange(7_310_000, 9_870_000)) for _ in range(n)],
            "birth": [f"19{year()}-0{rng.randrange(1, 9)}-1{i % 9}" for i in range(n)],
            "town": [f"Xq{rng.randrange(10**6):06}" for _ in range(n)],
            "ill": [f"Zw{i % 3}" for i in range(n)],
        }
    )
    project = Project(
        data=DataSource("people.csv"),
        attributes={
            **{name: AttributeSpec(role=Role.QUASI, kind=kind) for name, kind in QUASI.items()},
            "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=Privacy(k=3, requirements=(DistinctLDiversity(2, "ill"),), max_suppression=0.9),
        algorithm=AlgorithmChoice(algorithm, {"accept_root": True} if algorithm == "local" else {}),
    )
    result = anonymize(project, frame)
    published = result.table.select(*QUASI).write_csv()
    leaves = [report_text(result, Path(f"r{ending}")) for ending in (".json", ".md", ".html")]
    leaves += [applied_mapping(result).write_csv(), reproduce(result), *result.notes]
    hidden = {v for name in QUASI for v in frame[name] if v not in published}
    if algorithm != "mondrian":
        assert hidden
    for text in leaves:
        assert not [value for value in hidden if value in text]


def test_a_note_takes_figures_and_quotable_texts_alone() -> None:
    with pytest.raises(TypeError, match="may not be quotable"):
        note("the smallest is {value}", value="7310000")  # type: ignore[arg-type]
    said = note("{name}: {count:,}", name=Quotable("age"), count=1200)
    assert isinstance(said, Note)
    assert said == "age: 1,200"


def test_the_words_of_every_note_are_ours() -> None:
    """The template of a note stands in the code: it is no text that was put together."""
    calls = 0
    for file in Path(kanon_tui.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "Note":
                assert file.name == "text.py", f"{file}: notes are made by note()"
            if node.func.id == "note":
                assert isinstance(node.args[0], ast.Constant), f"{file}:{node.lineno}"
                calls += 1
    assert calls >= 10
