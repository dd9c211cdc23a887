"""What becomes of every column is listed, and roles that nobody confirmed are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.project.guesses import (
    OpenGuessesError,
    plan_lines,
    planned_columns,
    settle_guesses,
)
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import as_table

ROLES = {"Pat": Role.OTHER, "name": Role.IDENTIFIER, "age": Role.QUASI, "ill": Role.SENSITIVE}
TABLE = as_table(
    pl.DataFrame(
        {
            "Pat": ["1", "2", "2"],
            "name": ["Ann", "Bob", "Cid"],
            "age": ["20", "30", "30"],
            "ill": ["flu", "flu", "HIV"],
        }
    )
)


def project(**attributes: dict[str, object]) -> Project:
    return project_from_mapping({"data": {"path": "people.csv"}, "attributes": attributes})


def test_unchanged_columns_come_first_and_guesses_are_marked() -> None:
    asked = project(
        Pat={"role": "other", "guessed": True},
        name={"role": "identifier"},
        age={},
        ill={"role": "sensitive"},
    )
    plans = planned_columns(asked, ROLES)
    assert [(plan.name, plan.treatment, plan.guessed) for plan in plans] == [
        ("Pat", "published as it is", True),
        ("ill", "published as it is", False),
        ("age", "generalised", True),
        ("name", "left out", False),
    ]
    assert [line.endswith("?") for line in plan_lines(plans)] == [True, False, True, False]
    with pytest.raises(OpenGuessesError, match=r"2 roles are only guessed.*--accept-guesses"):
        settle_guesses(asked, TABLE, accept=False)
    settled = settle_guesses(asked, TABLE, accept=True).project
    assert not any(plan.guessed for plan in planned_columns(settled))
    assert settled.attributes["Pat"].role is Role.OTHER


def test_a_pseudonym_is_no_column_that_is_left_out() -> None:
    asked = project(name={"role": "identifier", "identifier": "pseudonym"}, age={"role": "quasi"})
    treatments = {plan.name: plan.treatment for plan in planned_columns(asked)}
    assert treatments == {"name": "published as a pseudonym", "age": "generalised"}


def test_a_project_without_any_role_has_guesses_only_and_a_policy_for_the_rest_has_none() -> None:
    assert all(plan.guessed for plan in planned_columns(project(), ROLES))
    named = planned_columns(project(age={"role": "quasi"}), {**ROLES, "Pat": Role.IDENTIFIER})
    assert not any(plan.guessed for plan in named)
    decided = project(age={"role": "quasi"})
    assert settle_guesses(decided, TABLE, accept=False).project is decided


def test_a_guess_is_written_to_the_file_and_read_again(tmp_path: Path) -> None:
    saved = project(Pat={"role": "other", "guessed": True}).save(tmp_path / "p.yaml")
    assert Project.load(tmp_path / "p.yaml").attributes["Pat"].guessed
    assert "guessed: true" in (tmp_path / "p.yaml").read_text(encoding="utf-8")
    assert not saved.confirmed().attributes["Pat"].guessed
