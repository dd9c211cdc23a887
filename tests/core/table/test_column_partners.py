"""Columns that belong together are found by their names and by what their values say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.project.guesses import guess_reason, guessed_project, project_of_data
from kanon_tui.core.project.sections import DataSource
from kanon_tui.core.table.coded_columns import code_source
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.column_partners import are_twins, find_partners
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, read_table
from kanon_tui.core.table.table import as_table
from tests.police_stops import police_stops


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("lat", "long"),
        ("latitude", "longitude"),
        ("pickup_lat", "pickup_lon"),
        ("pickupLat", "pickupLng"),
        ("x", "y"),
        ("coord_x", "coord_y"),
        ("Easting", "Northing"),
        ("street", "house_number"),
        ("strasse", "hausnummer"),
        ("region_code", "region_name"),
        ("occ_id", "occ_label"),
    ],
)
def test_names_of_columns_that_belong_together(name: str, other: str) -> None:
    assert are_twins(name, other)
    assert are_twins(other, name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("lat", "pickup_long"), ("pickup_lat", "dropoff_long"), ("lat", "lat"), ("x", "z"),
        ("region_code", "country_name"), ("age", "sex"), ("", ""),
    ],
)  # fmt: skip
def test_names_of_columns_that_do_not(name: str, other: str) -> None:
    assert not are_twins(name, other)


def test_values_that_follow_from_others() -> None:
    chance = np.random.default_rng(3)
    town = chance.integers(0, 30, 900)
    table = as_table(
        pl.DataFrame(
            {
                "town": [f"T{number}" for number in town],
                "register": [f"R{number * 7 % 30}" for number in town],
                "coast": [str(number % 3) for number in town],
                "shop": [f"{number}-{chance.integers(0, 4)}" for number in town],
                "colour": chance.choice(["red", "green", "blue"], 900),
                "constant": ["same"] * 900,
                "rare": ["yes"] * 3 + ["no"] * 897,
            }
        )
    )
    undecided = ["register", "coast", "shop", "colour", "constant", "rare"]
    partners = find_partners(table, ["town"], undecided)
    assert list(partners) == ["register", "coast", "shop"]  # the same thing, coarser, finer
    assert {partner.name for partner in partners.values()} == {"town"}


def test_nothing_follows_from_a_column_that_differs_in_every_record() -> None:
    chance = np.random.default_rng(3)
    frame = {"born": [f"{number}" for number in range(500)], "colour": chance.choice([*"rgb"], 500)}
    assert find_partners(as_table(pl.DataFrame(frame)), ["born"], ["colour"]) == {}


def test_a_few_exceptions_do_not_hide_what_follows() -> None:
    town = [f"T{number % 20}" for number in range(2000)]
    area = [f"A{number % 20 // 4}" for number in range(2000)]
    area[7] = "A0"
    table = as_table(pl.DataFrame({"town": town, "area": area}))
    assert list(find_partners(table, ["town"], ["area"])) == ["area"]


def test_the_place_of_a_police_stop_is_guessed_in_all_its_columns(tmp_path: Path) -> None:
    police_stops().write_csv(tmp_path / "stops.csv")
    project = project_of_data(DataSource(path=str(tmp_path / "stops.csv")))
    table = read_table(tmp_path / "stops.csv", ReadOptions())
    guessed = guessed_project(project, table)
    quasi = {name for name, spec in guessed.attributes.items() if spec.role is Role.QUASI}
    assert quasi == {"race", "gender", "lat", "long", "policePrecinct", "neighborhood"}
    assert all(guessed.attributes[name].guessed for name in quasi)
    assert guess_reason(guessed, table, "long") == "it belongs to lat, as their names say"
    assert "its name says" in guess_reason(guessed, table, "lat")


def test_a_role_that_was_given_stays(tmp_path: Path) -> None:
    table = as_table(police_stops())
    project = project_of_data(DataSource(path="stops.csv"))
    given = project.with_(attributes={"long": {"role": "other"}})
    assert guessed_project(given, table).attributes["long"].role is Role.OTHER


def test_the_first_rows_are_those_of_the_file(tmp_path: Path) -> None:
    frame = police_stops().select("lat", "long")
    frame.head(250).write_csv(tmp_path / "a.csv")
    frame.slice(250).write_csv(tmp_path / "b.csv")
    source = open_source(tmp_path, ReadOptions())
    table = code_source(source, LocalWorkers(), MemoryLimit(0), tmp_path)
    for most in (10, 250, 251, 600, 1000):
        assert table.first_rows(most, ["long", "lat"]).equals(frame.head(most)["long", "lat"])
