"""Which algorithm runs where nobody has named one, and what is said of the others."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.analysis.first_choice import (
    FULL_DOMAIN,
    alternative_to,
    first_choice,
    full_domain_loss,
    least_loss,
)
from kanon_tui.core.metrics.cautions import HIDDEN_COLUMNS
from kanon_tui.core.project.project import AlgorithmChoice, Project, with_overrides
from tests.commands.command_line import kanon
from tests.helpers import make_task

K = 5
TOWNS = ("Rome", "Pisa", "Bari", "Turin", "Milan", "Genoa", "Como", "Lucca", "Siena", "Parma")


def raw_categories(records: int = 300) -> pl.DataFrame:
    """Return categories without hierarchies, one of them with rare values."""
    chance = random.Random(3)
    towns = [chance.choice(TOWNS) for _ in range(records - 2)]
    ages = [chance.randrange(20, 60) for _ in range(records)]
    return pl.DataFrame({"city": [*towns, "Noto", "Asti"], "age": ages})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    raw_categories().write_csv(tmp_path / "raw.csv")
    return tmp_path / "raw.csv"


def test_the_algorithm_that_loses_least_is_chosen_where_a_column_would_be_hidden() -> None:
    columns = raw_categories().to_dict(as_series=False)
    task = make_task(columns, k=K)
    full_domain = full_domain_loss(task)
    best = least_loss(task)
    assert full_domain.hidden == ("city",)
    assert first_choice(task) == best.algorithm != FULL_DOMAIN
    assert best.ncp < full_domain.ncp / 2
    assert first_choice(task) == first_choice(make_task(columns, k=K))


def test_one_level_per_column_stays_where_it_costs_little() -> None:
    task = make_task({"sex": ["f", "m"] * 40, "city": ["Rome", "Pisa", "Pisa", "Rome"] * 20}, k=K)
    assert first_choice(task) == FULL_DOMAIN


def test_a_named_algorithm_is_run_and_an_unnamed_one_is_chosen(file: Path) -> None:
    chosen = kn.anonymize(file, accept_guesses=True)
    assert chosen.report["algorithm"] == first_choice(chosen.task)
    named = kn.anonymize(file, accept_guesses=True, algorithm=FULL_DOMAIN)
    assert named.report["algorithm"] == FULL_DOMAIN
    decided = kn.anonymize(file, quasi=["city", "age"])
    assert decided.report["algorithm"] == FULL_DOMAIN


def test_who_names_an_algorithm_or_a_parameter_has_chosen() -> None:
    project = Project(data="x.csv")
    assert project.algorithm.guessed
    assert with_overrides(project, k=3).algorithm.guessed
    assert not with_overrides(project, algorithm=FULL_DOMAIN).algorithm.guessed
    assert not with_overrides(project, parameters=[("objective", "ncp")]).algorithm.guessed
    assert project.with_(k=3).algorithm.guessed
    assert not project.with_(algorithm=FULL_DOMAIN).algorithm.guessed
    assert not Project(data="x.csv", algorithm=AlgorithmChoice()).algorithm.guessed


def test_run_says_in_one_line_what_another_algorithm_would_have_lost(file: Path) -> None:
    folder = file.parent
    chosen = kanon("run", "raw.csv", "--accept-guesses", folder=folder).stdout
    assert "note: nobody named an algorithm: global would have lost NCP 0.55 instead of" in chosen
    assert "and hidden city; --algorithm global runs it" in chosen
    assert "* throughout" not in chosen
    default = kanon("run", "raw.csv", "--quasi", "city,age", folder=folder).stdout
    assert "warning: city is hidden in every record (* throughout)" in default
    (line,) = [line for line in default.splitlines() if "nobody named an algorithm" in line]
    assert "would have lost NCP 0" in line
    assert "instead of 0.55" in line
    command = ("run", "raw.csv", "--quasi", "city,age", "--algorithm", "global")
    assert "nobody named" not in kanon(*command, folder=folder).stdout
    strict = kanon(*command, "--strict", folder=folder)
    assert strict.returncode == 1
    assert "city is hidden in every record" in strict.stderr


def test_a_column_hidden_in_every_record_turns_a_release_amber(file: Path) -> None:
    emptied = kn.anonymize(file, quasi=["city", "age"])
    assert emptied.is_amber
    assert emptied.cautions[0].about == HIDDEN_COLUMNS
    assert emptied.cautions[0].columns == ("city",)
    assert emptied.cautions[0].sentence.startswith("city is hidden")
    whole = kn.anonymize(file, quasi=["city", "age"], algorithm="mondrian")
    assert HIDDEN_COLUMNS not in {caution.about for caution in whole.cautions}
    other = alternative_to(emptied)
    assert other is not None
    assert other.ncp < emptied.ncp / 2
    assert alternative_to(whole) is None
