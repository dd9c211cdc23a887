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
from kanon_tui.core.analysis.evidence import evidence
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.report.formats import DOCUMENT_ENDINGS
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.text import Note, Quotable, note
from tests.helpers import report_text

QUASI = {"income": Kind.NUMERIC, "birth": Kind.DATE, "town": Kind.CATEGORICAL}


def hidden_people() -> pl.DataFrame:
    """Sixty people with values that no other text has."""
    rng = random.Random(11)
    people = 60
    births = [f"19{rng.randrange(40, 99)}-0{rng.randrange(1, 9)}-1{i % 9}" for i in range(people)]
    incomes = [str(rng.randrange(7_310_000, 9_870_000)) for _ in range(people)]
    return pl.DataFrame(
        {
            "income": incomes,
            "birth": births,
            "town": [f"Xq{rng.randrange(10**6):06}" for _ in range(people)],
            "ill": [f"Zw{i % 3}" for i in range(people)],
        }
    )


def released(algorithm: str) -> tuple[Result, set[str]]:
    """The release of these people, and their values that it does not publish."""
    frame = hidden_people()
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
    hidden = {v for name in QUASI for v in frame[name] if v not in published}
    return result, hidden


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_report_and_no_mapping_quotes_a_value(algorithm: str) -> None:
    result, hidden = released(algorithm)
    leaves = [report_text(result, Path(f"r{ending}")) for ending in (".json", ".md", ".html")]
    leaves += [applied_mapping(result).write_csv(), reproduce(result), *result.notes]
    if algorithm != "mondrian":
        assert hidden
    for text in leaves:
        assert not [value for value in hidden if value in text]


@pytest.mark.parametrize("algorithm", ["global", "k-member"])
def test_the_attacks_in_a_report_quote_no_value(algorithm: str) -> None:
    """Remedies code the ends of dates and numbers: the end is somebody's value."""
    result, hidden = released(algorithm)
    tried = evidence(result)
    assert any(section.title == "Remedies" for section in tried)
    told = " ".join(text for section in tried for text in section.texts)
    assert "-code birth at the outermost value that 3 records reach" in told
    for ending in (".json", ".md", ".html"):
        text = report_text(result, Path(f"r{ending}"), tried, public=False)
        assert not [value for value in hidden if value in text]


@pytest.mark.parametrize("ending", DOCUMENT_ENDINGS)
def test_the_annex_and_the_dossier_are_marked_internal(ending: str, tmp_path: Path) -> None:
    result, _ = released("mondrian")
    annex = tmp_path / f"annex{ending}"
    dossier = tmp_path / f"dossier{ending}"
    result.write_report(dossier, annex=annex, public=False)
    for path in (annex, dossier):
        assert b"Internal: it holds" in path.read_bytes()
    public = tmp_path / f"public{ending}"
    result.write_report(public, public=True)
    assert b"Internal: it holds" not in public.read_bytes()


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
