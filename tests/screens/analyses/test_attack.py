"""The linking attack."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.screens.analyses.attack import AttackScreen
from kanon_tui.widgets.dialogs import Choose, ChooseSeveral, Message
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.analyses.helpers import SIZE, open_panel, release_it, run_it, said, texts
from tests.screens.conftest import session_of, settle, wait_until


async def attacked(pilot, file: str = "voters.csv") -> AttackScreen:
    """Open the panel, choose the file, join on what is proposed."""
    await open_panel(pilot, "linking", AttackScreen)
    assert isinstance(pilot.app.screen, AskPath)
    await pilot.press(*file, "enter")
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseSeveral))
    await pilot.press("enter")
    await settle(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, AttackScreen)
    return screen


async def test_paul_is_found_in_the_original_but_not_in_the_release(sample, make_app) -> None:
    """SBC, figure 1-2 and table 1-1."""
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await run_it(pilot)
        screen = await attacked(pilot)
        assert screen.joined == ("age", "gender", "zip")
        counts = {
            line[:32].strip(): line[32:].split() for line in said(screen, "#counts").split("\n")
        }
        assert counts == {
            "Linking attack": [],
            "of 4 people": ["original", "release"],
            "have a record that fits": ["1", "25.0%", "1", "25.0%"],
            "have exactly one, and are found": ["1", "25.0%", "0", "0.0%"],
            "have fewer than k = 2": ["1", "25.0%", "0", "0.0%"],
            "have a sensitive value revealed": ["1", "25.0%", "0", "0.0%"],
        }
        people = screen.query_one("#people", Grid)
        assert texts(people)[2] == ["✗ 1", "2", "original", "Paul", "25", "Male", "22370"]
        assert people.source.row_name(2) == "3"

        await pilot.press("down", "down", "enter")
        await settle(pilot)
        rows = screen.query_one("#rows", Grid)
        assert texts(rows) == [
            ["[25..35]", "Male", "22***", "Gastritis"],
            ["[25..35]", "Male", "22***", "HIV"],
        ]
        assert [rows.source.row_name(row) for row in (0, 1)] == ["1", "2"]
        pane = screen.query_one("#rows-pane")
        assert str(pane.border_title) == "person 3: 2 published records fit"
        original, release = said(screen, "#summaries").split("\n")
        assert original.endswith("1 record, disease: certainly Gastritis")
        assert release.endswith("2 records, disease: Gastritis 50%, HIV 50%")
        assert release.startswith("▸")
        await pilot.press("v")  # the record of the original that is his
        await pilot.pause()
        assert texts(rows) == [["25", "Male", "22370", "Gastritis"]]
        assert str(pane.border_title) == "person 3: 1 original record fits"
        await pilot.press("down", "enter")  # Sara is in neither
        await settle(pilot)
        assert said(screen, "#summaries").count("no record fits") == 2
        assert rows.source.height == 0


async def test_sorting_the_people_and_joining_on_fewer_attributes(sample, make_app) -> None:
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await attacked(pilot)
        people = screen.query_one("#people", Grid)
        await pilot.press("s", "enter")  # the easiest to find first
        await settle(pilot)
        assert texts(people)[0][3] == "Paul"
        assert people.source.row_name(0) == "3"
        assert screen.query_one("#rows", Grid).source.height == 2
        await pilot.press("s")
        assert texts(people)[0][3] == "John"

        await pilot.press("a")
        await pilot.pause()
        await pilot.press("space", "down", "down", "space", "enter")  # leaves gender
        await settle(pilot)
        assert screen.joined == ("gender",)
        assert screen.people.attack.original.matches.tolist() == [2, 2, 2, 2]
        await pilot.press("a")
        await pilot.pause()
        await pilot.press("down", "space", "enter")  # nothing is left: it stays and says so
        await pilot.pause()
        assert isinstance(pilot.app.screen, ChooseSeveral)
        assert "at least one" in said(pilot.app.screen, ".hint")
        await pilot.press("escape")
        assert screen.joined == ("gender",)


async def test_another_release_is_looked_at_with_the_same_people(sample, make_app) -> None:
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        session = session_of(pilot)
        privacy = replace(session.project.privacy, k=4)
        session.results.append(anonymize(replace(session.project, privacy=privacy), session.table))
        screen = await attacked(pilot)
        assert "on run 2: mondrian k=4" in said(screen, "#status")
        assert screen.people.attack.release.matches.tolist()[2] == 4
        await pilot.press("R")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("up", "enter")
        await settle(pilot)
        await wait_until(pilot, lambda: screen.people is not None)
        assert "on run 1: mondrian k=2" in said(screen, "#status")
        assert screen.joined == ("age", "gender", "zip")
        assert screen.people.attack.release.matches.tolist()[2] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "does not exist"), (b"", "is empty"), (b"\x00\x9f\xfe\x01" * 500, "odd.csv")],
    ids=["missing", "empty", "binary"],
)
async def test_a_wrong_file_is_refused_with_a_sentence(sample, make_app, content, message) -> None:
    project = sample("linking")
    if content is not None:
        project.with_name("odd.csv").write_bytes(content)
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "linking", AttackScreen)
        await pilot.press(*"odd.csv", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Message))
        told = said(pilot.app.screen, "#text")
        assert message in told
        assert "unexpected" not in told
        await pilot.press("escape")
        screen = pilot.app.screen
        assert isinstance(screen, AttackScreen)
        assert "e chooses" in said(screen, "#status")
        await pilot.press("e", *"voters.csv", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseSeveral))


async def test_hostile_cells_are_shown_as_they_are_and_certainty_is_said(sample, make_app) -> None:
    project = sample("linking")
    people = "name,age,gender,zip\n[/],25,Male,22370\n[red]x,25,Male,?\n"
    project.with_name("odd.csv").write_text(people)
    rows = project.with_name("patients.csv")
    rows.write_text(rows.read_text().replace("HIV", "Gastritis"))
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        screen = await attacked(pilot, "odd.csv")
        assert [row[2:4] for row in texts(screen.query_one("#people", Grid))] == [
            ["both", "[/]"],
            ["both", "[red]x"],
        ]
        await pilot.press("enter")
        await settle(pilot)
        assert said(screen, "#summaries").count("disease: certainly Gastritis") == 2


async def test_a_table_without_a_shared_column_is_refused(sample, make_app) -> None:
    project = sample("linking")
    project.with_name("other.csv").write_text("who,years\nPaul,25\n")
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "linking", AttackScreen)
        await pilot.press(*"other.csv", "enter")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, Message))
        assert "no column of the same name" in said(pilot.app.screen, "#text")
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, AttackScreen)
