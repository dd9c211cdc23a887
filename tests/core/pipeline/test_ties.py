"""`ties: random`: clusterings choose among equally good records by chance, and say so."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.report.reproduce import obstacle
from kanon_tui.core.task.task import Family
from tests.helpers import report_text

CHANCE = Random(1)
ROWS = [(CHANCE.randint(20, 29), *map(CHANCE.choice, ("abc", "xyz"))) for _ in range(60)]
TABLE = pl.DataFrame(ROWS, schema=["age", "sex", "ill"], orient="row")
BY_VALUES = [name for name, each in ALGORITHMS.items() if each.works_on_counted_rows]

RECORDS = [
    name
    for name, each in ALGORITHMS.items()
    if each.family is Family.CLUSTERING and name not in ("mondrian", "stepwise")
]
"""Those that choose among records, not among values."""


def project(name: str, **more: object) -> Project:
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    made = {
        "data": {"path": "d.csv"},
        "attributes": {column: {"role": role} for column, role in roles.items()},
        "privacy": {"k": 3},
        "algorithm": {"name": name},
        **more,
    }
    return with_overrides(Project.from_dict(made), parameters=[("ties", "random")])


def releases(name: str, tries: int) -> set[str]:
    return {anonymize(project(name), TABLE).table.write_csv() for _ in range(tries)}


@pytest.mark.parametrize("name", RECORDS)
def test_a_clustering_gives_other_releases(name: str) -> None:
    """Of sixty records with many equal ones, six runs never take all choices alike."""
    assert len(releases(name, 6)) > 1


def test_searches_by_values_do_not_change() -> None:
    for name in BY_VALUES:
        assert len(releases(name, 2)) == 1, name


def test_a_run_says_that_it_cannot_be_repeated(tmp_path: Path) -> None:
    made = project("k-member")
    result = anonymize(made, TABLE)
    assert any("ties: random" in note for note in result.notes)
    assert "by chance" in obstacle(result, made.save(tmp_path / "p.yaml"))
    assert "by chance" in report_text(result, Path("r.md"), public=False)
    assert "ties" not in report_text(result, Path("r.json"), public=True)
    assert Project.load(tmp_path / "p.yaml").privacy.ties == "random"


def test_records_know_their_rows_of_the_file() -> None:
    table = anonymize(project("sbc"), TABLE).task.table
    for record in range(table.height):
        assert table.frame.row(record)[0] == str(ROWS[table.row_of(record) - 1][0])


def test_what_needs_the_order_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="order: input"):
        anonymize(project("sbc", output={"order": "input"}), TABLE)
