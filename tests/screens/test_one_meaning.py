"""The same table and options give the same release by the screen, a command and Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.project.samples import samples_folder
from kanon_tui.core.table.column import Role
from kanon_tui.screens.before_publishing import LeaveOutDialog, PlanDialog, SinglingOutDialog
from kanon_tui.screens.opening import ReadingDialog
from tests.commands.command_line import kanon
from tests.screens.conftest import session_of, settle, wait_until

RECORDS = 120


def visits_of_people(chance: random.Random) -> pl.DataFrame:
    """Return several records of every patient."""
    patients = [f"P{chance.randrange(40):04}" for _ in range(RECORDS)]
    ages = [20 + 10 * (int(patient[1:]) % 5) for patient in patients]
    wards = [chance.choice(["North", "South", "West"]) for _ in patients]
    return pl.DataFrame({"patient_id": patients, "age": ages, "ward": wards})


def dates(chance: random.Random) -> pl.DataFrame:
    """Return days of birth and of admission, in the German way."""
    born = [f"{1 + i % 28:02}.{1 + i % 12:02}.{1950 + i % 40}" for i in range(RECORDS)]
    admitted = [f"{chance.randrange(1, 29):02}.03.2025" for _ in born]
    found = [chance.choice(["flu", "asthma", "fracture"]) for _ in born]
    return pl.DataFrame({"geboren": born, "aufnahme": admitted, "diagnose": found})


def raw_categories(chance: random.Random) -> pl.DataFrame:
    """Return categories without hierarchies and a harmless remark."""
    jobs = [chance.choice(["nurse", "cook", "clerk", "guard", "smith"]) for _ in range(RECORDS)]
    towns = [chance.choice(["Rome", "Pisa", "Bari", "Turin"]) for _ in jobs]
    remarks = [chance.choice(["ok", "late"]) for _ in jobs]
    return pl.DataFrame({"occupation": jobs, "city": towns, "remark": remarks})


def cents(chance: random.Random) -> pl.DataFrame:
    """Return amounts that nearly everybody has alone, and one that many share."""
    ages = [chance.randrange(20, 60) for _ in range(RECORDS)]
    amounts = [f"{chance.uniform(10, 900):.2f}" for _ in ages]
    fees = [chance.choice(["10.50", "20.00"]) for _ in ages]
    return pl.DataFrame({"age": ages, "basket": amounts, "fee": fees})


def identifiers(chance: random.Random) -> pl.DataFrame:
    """Return numbers and addresses that name a person."""
    ages = [chance.randrange(20, 60) for _ in range(RECORDS)]
    mails = [f"person{i}@example.org" for i in range(RECORDS)]
    colours = [chance.choice(["red", "blue"]) for _ in ages]
    return pl.DataFrame({"nr": range(RECORDS), "e-mail": mails, "age": ages, "colour": colours})


def weights(chance: random.Random) -> pl.DataFrame:
    """Return a survey with its weight and missing cells."""
    ages = [str(chance.randrange(20, 60)) if i % 9 else "" for i in range(RECORDS)]
    sexes = [chance.choice("FM") for _ in ages]
    weight = [f"{chance.uniform(100, 300):.1f}" for _ in ages]
    answers = [chance.choice(["yes", "no", "NA"]) for _ in ages]
    return pl.DataFrame({"age": ages, "sex": sexes, "weight": weight, "answer": answers})


GENERATED: dict[str, Callable[[random.Random], pl.DataFrame]] = {
    "visits-of-people": visits_of_people,
    "dates": dates,
    "raw-categories": raw_categories,
    "cents": cents,
    "identifiers": identifiers,
    "weights": weights,
}
BUNDLED = ("census/census.csv", "labour/labour.csv", "school/school.csv", "visits/visits.csv")


def write_table(name: str, folder: Path) -> Path:
    """Write a table into a folder and return its file."""
    if name in GENERATED:
        file = folder / f"{name}.csv"
        GENERATED[name](random.Random(7)).write_csv(file)
        return file
    file = folder / Path(name).name
    lines = (samples_folder() / name).read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:400]), encoding="utf-8")
    return file


def write_titled(folder: Path) -> Path:
    """Write a table with a title and a total, which are no records."""
    records = [f"{20 + i % 5};{'mw'[i % 2]};8{i % 3};D{i % 4}" for i in range(RECORDS)]
    file = folder / "auszug.csv"
    lines = ["Auszug 2025", "", "Alter;Geschlecht;PLZ;Befund", *records, "Summe;;;480"]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


async def release_by_screen(make_app, file: Path) -> bytes:
    """Open a file, accept every guess and first answer, run, export; return what is written."""
    async with make_app(file).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        if isinstance(pilot.app.screen, ReadingDialog):  # it proposes to leave out title and total
            await pilot.press("ctrl+r")
            await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert isinstance(pilot.app.screen, PlanDialog)
        await pilot.press("y")
        await settle(pilot)
        while isinstance(pilot.app.screen, SinglingOutDialog):
            await pilot.press("enter")
            await settle(pilot)
        await wait_until(pilot, lambda: session_of(pilot).results)
        await settle(pilot)
        await pilot.press("6")
        await settle(pilot)
        await pilot.press("x", "enter")
        await settle(pilot)
        if isinstance(pilot.app.screen, LeaveOutDialog):  # a command publishes them with a warning
            await pilot.press("p")
            await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
    (release,) = file.parent.glob("*release.csv")
    return release.read_bytes()


def releases_without_screen(file: Path, out: Path) -> list[bytes]:
    """Return the releases by the command and by Python, where nobody names an algorithm."""
    by_python = out / "python.csv"
    kn.anonymize(file, accept_guesses=True).write(by_python)
    by_command = out / "command.csv"
    command = ("run", str(file), "--accept-guesses", "--out", str(by_command))
    done = kanon(*command, folder=out)
    assert done.returncode == 0, done.stderr
    return [by_python.read_bytes(), by_command.read_bytes()]


@pytest.mark.parametrize("name", [name for name in GENERATED if name != "visits-of-people"])
def test_guesses_over_pieces_are_those_of_memory(name: str, tmp_path: Path) -> None:
    file = write_table(name, tmp_path)
    command = ("run", str(file), "--accept-guesses", "--algorithm", "mondrian")
    for engine in ("memory", "stream"):
        place = tmp_path / f"release-{engine}.csv"
        done = kanon(*command, "--engine", engine, "--out", str(place), folder=tmp_path)
        assert done.returncode == 0, done.stderr
    in_memory = (tmp_path / "release-memory.csv").read_bytes()
    assert (tmp_path / "release-stream.csv").read_bytes() == in_memory


@pytest.mark.parametrize("name", [*GENERATED, *BUNDLED, "titled"])
async def test_screen_command_and_python_release_the_same(name: str, tmp_path, make_app) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    out = tmp_path / "out"
    out.mkdir()
    file = write_titled(folder) if name == "titled" else write_table(name, folder)
    by_screen = await release_by_screen(make_app, file)
    for release in releases_without_screen(file, out):
        assert release == by_screen


def test_a_column_guessed_harmless_is_published_and_people_are_counted(tmp_path: Path) -> None:
    file = write_table("visits-of-people", tmp_path)
    done = kanon("run", str(file), "--accept-guesses", "--out", "r.csv", folder=tmp_path)
    assert "published as they are: ward" in done.stdout
    people = pl.read_csv(file)["patient_id"].n_unique()
    assert f"120 records of {people} people" in done.stdout
    released = kn.anonymize(file, accept_guesses=True)
    assert released.task.roles["patient_id"] is Role.PERSON
    assert released.table.columns == ["age", "ward"]


def test_a_guess_that_singles_people_out_is_not_accepted_unseen(tmp_path: Path) -> None:
    file = write_table("cents", tmp_path)
    command = ("run", str(file), "--accept-guesses", "--force", "--out", "r.csv")
    done = kanon(*command, folder=tmp_path)
    assert "note: basket: left out, as its role was only guessed" in done.stdout
    assert pl.read_csv(tmp_path / "r.csv").columns == ["age", "fee"]
    asked = kn.anonymize(file, other="basket", accept_guesses=True)
    assert asked.table.columns == ["age", "basket", "fee"]


def test_a_role_that_is_named_leaves_the_others_guessed(tmp_path: Path) -> None:
    file = write_table("raw-categories", tmp_path)
    refused = kanon("run", str(file), "--sensitive", "remark", folder=tmp_path)
    assert refused.returncode == 2
    assert "2 roles are only guessed" in refused.stderr
    with pytest.raises(kn.InputError, match="3 roles are only guessed"):
        kn.run(file)
