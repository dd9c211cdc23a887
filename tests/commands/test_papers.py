"""`kanon-tui papers`: the list, printed figures beside ours, and claims on a table of the user."""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.commands.command_line import kanon
from tests.paths import ROOT

CITIES = ("Rome", "Oslo", "Lima", "Bern", "Kyiv")


@pytest.fixture
def people(folder: Path) -> Path:
    """A table that nobody prepared: 300 people, no hierarchies, no limits."""
    chance = random.Random(3)
    rows = [
        f"{chance.randint(18, 90)},{chance.choice('FM')},{chance.choice(CITIES)},{illness}"
        for illness in chance.choices("ny", k=300)
    ]
    (folder / "people.csv").write_text("\n".join(["age,sex,city,ill", *rows]) + "\n")
    return folder


def answered(folder: Path, *words: str) -> Any:
    done = kanon("papers", *words, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_list_has_a_state_for_every_entry(folder: Path) -> None:
    entries = answered(folder)
    assert len(entries) >= 100
    for entry in entries:
        assert set(entry) == {"id", "paper", "where", "what", "state", "why", "command"}
        assert entry["state"]
    text = kanon("papers", folder=folder).stdout
    assert all(f"  {entry['id']} " in text for entry in entries)
    assert "differs" in text.splitlines()[-2]


def test_list_of_one_document(folder: Path) -> None:
    assert {entry["paper"] for entry in answered(folder, "byun")} == {"Byun"}


@pytest.mark.slow
def test_printed_figures_beside_ours_with_commands_that_run(folder: Path) -> None:
    text = kanon("papers", "sbc-table-4-1-incognito", folder=folder).stdout
    assert "distinct results, k = 2       22    22  equal" in text
    (entry,) = answered(folder, "sbc-table-4-1-incognito")
    (figure,) = entry["figures"]
    assert (figure["printed"], figure["ours"], figure["agrees"]) == (22, 22, True)
    words = shlex.split(figure["command"])
    report = json.loads(kanon(*words[1:], "--json", folder=folder).stdout)
    assert report["distinct_published"] == 22


@pytest.mark.slow
def test_preset_of_the_toolbox_gives_the_printed_number(folder: Path) -> None:
    thesis = str(ROOT / "sample_data" / "sbc-thesis" / "project.yaml")
    done = kanon("run", thesis, "--preset", "utd-toolbox", "--json", folder=folder)
    assert json.loads(done.stdout)["distinct_published"] == 22
    last = ("--set", "objective=height")
    done = kanon("run", thesis, "--preset", "utd-toolbox", *last, "--json", folder=folder)
    assert json.loads(done.stdout)["distinct_published"] == 18
    done = kanon("run", thesis, "--preset", "morton", "--levels", "age=1", folder=folder)
    assert "leave one out" in done.stderr
    done = kanon("run", thesis, "--preset", "byun-2007", folder=folder)
    assert done.returncode == 2
    assert "byun-2007 says nothing about incognito" in done.stderr


@pytest.mark.slow
def test_a_figure_that_differs_says_why(folder: Path) -> None:
    text = kanon("papers", "sbc-table-4-1-mondrian", folder=folder).stdout
    assert "209   208" in text
    assert "two pairs of which print alike" in text


def test_an_entry_without_figures(folder: Path) -> None:
    text = kanon("papers", "morton-3", folder=folder).stdout
    assert "not public: the data was never published" in text
    assert "kanon-tui explain pre-pruning" in text


@pytest.mark.slow
def test_claims_are_tried_on_a_table_that_nobody_prepared(people: Path) -> None:
    quasi = ("--on", "people.csv", "--quasi", "age,sex,city")
    tried = answered(people, "sbc-4-2", *quasi)
    ncp = next(claim for claim in tried if claim["id"] == "sbc-figure-4-2a-ncp")
    assert ncp["k"] == [2, 5, 10, 20, 50, 100]
    assert set(ncp["series"]) == {"sbc", "median", "datafly", "incognito"}
    lowest = all(
        ncp["series"]["sbc"][place]
        < min(ncp["series"][name][place] for name in ("median", "datafly", "incognito"))
        for place in range(6)
    )
    assert ncp["holds"] == lowest
    text = kanon("papers", "sbc-figure-4-2a-ncp", *quasi, folder=people).stdout
    answer = {True: "holds", False: "does not hold"}[lowest]
    assert f"  {answer} on people.csv: NCP of SBC is below the three others for all k" in text


@pytest.mark.slow
def test_limits_of_a_table_without_limits_are_said(people: Path) -> None:
    quasi = ("--on", "people.csv", "--quasi", "age,sex,city")
    (claim,) = answered(people, "cka-figure-8", *quasi)
    assert claim["notes"] == ["no limits are named, so that ranges may be a quarter wide: age 18"]
    gcka, k_member = claim["series"].values()
    cheap = all(a < 1.2 * b for a, b in zip(gcka, k_member, strict=True))
    assert claim["holds"] == cheap


@pytest.mark.slow
def test_modified_k_member_takes_the_sensitive_column_as_its_label(people: Path) -> None:
    quasi = ("--on", "people.csv", "--quasi", "age,sex,city")
    (claim,) = answered(people, "byun-figure-8-modified", *quasi, "--sensitive", "ill")
    assert set(claim["series"]) == {"modified", "k-member", "median"}
    (without,) = answered(people, "byun-figure-7", *quasi)
    assert set(without["series"]) == {"k-member", "median"}
    assert "modified is left out" in without["notes"][0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sbc-9-9",), "there is no entry 'sbc-9-9'"),
        (("--quasi", "age"), "name the table with --on"),
        (("--on", "people.csv", "--quasi", "age"), "--on tries a claim"),
        (("sbc-1-1", "--on", "people.csv", "--quasi", "age"), "--on tries a claim"),
        (("byun-figure-8", "--on", "people.csv", "--quasi", "age"), "a sensitive attribute"),
        (("cka-8", "--on", "people.csv", "--quasi", "sex,city"), "no numbers that could get one"),
        (("sbc-figure-4-2a-incognito", "--on", "few.csv", "--quasi", "age"), "name a larger table"),
        (("sbc-4-2", "--on", "none.csv", "--quasi", "age"), "none.csv"),
        (("sbc-4-2", "--on", "people.csv"), "name them with --quasi a,b,c"),
    ],
)
def test_refusals_are_one_sentence(people: Path, words: tuple[str, ...], sentence: str) -> None:
    lines = (people / "people.csv").read_text().splitlines()[:12]
    (people / "few.csv").write_text("\n".join(lines) + "\n")
    done = kanon("papers", *words, folder=people)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_page_is_made_from_the_entries() -> None:
    from docs.make_papers import PAGE, page

    assert PAGE == ROOT / "docs" / "papers.md"
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m docs.make_papers"
