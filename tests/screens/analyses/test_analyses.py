"""The panels of the command palette: linking attack, k feasibility, decision trees."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from kanon_tui.core.analysis.trees.partition import Node
from kanon_tui.core.run.result import anonymize
from kanon_tui.screens.analyses.attack import AttackScreen
from kanon_tui.screens.analyses.base import PickNames
from kanon_tui.screens.analyses.feasibility import FeasibilityScreen, record_counts
from kanon_tui.screens.analyses.trees import PartitionScreen, tree_lines
from kanon_tui.screens.dialogs import AskPath, Choose, Help, Message
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.plot import Plot
from tests.screens.conftest import session_of, settle

SIZE = (80, 24)


async def until(pilot, condition) -> None:
    for _ in range(400):
        if condition():
            return
        await pilot.pause(0.02)
    pytest.fail("it never happened")


async def open_panel(pilot, words: str, kind: type) -> None:
    """By the command palette, as a person would."""
    await pilot.press("ctrl+p", *words)
    await pilot.pause(0.3)
    await pilot.press("enter")
    await until(pilot, lambda: any(isinstance(s, kind) for s in pilot.app.screen_stack))
    await pilot.pause()


async def release_it(pilot) -> None:
    """A release as a run leaves it, without the screens in between."""
    await settle(pilot)
    session = session_of(pilot)
    session.results.append(anonymize(session.project, session.table))


async def run_it(pilot) -> None:
    await settle(pilot)
    await pilot.press("5")
    await settle(pilot)
    await pilot.press("r")
    await until(pilot, lambda: bool(session_of(pilot).results))
    await settle(pilot)


def said(screen, selector: str) -> str:
    return str(screen.query_one(selector, Static).content)


def texts(grid: Grid) -> list[list[str]]:
    source = grid.source
    assert source is not None
    return [[cell.text for cell in row] for row in source.rows(0, source.height)]


def small_census(project: Path, records: int = 400) -> Path:
    """The first records only, with a quick algorithm that always finds a release."""
    data = project.with_name("census.csv")
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join(lines[: records + 1]))
    project.write_text(project.read_text().replace("{name: global}", "{name: mondrian}"))
    return project


# -- linking attack


async def attacked(pilot, file: str = "voters.csv") -> AttackScreen:
    """Open the panel, choose the file, join on what is proposed."""
    await open_panel(pilot, "linking", AttackScreen)
    assert isinstance(pilot.app.screen, AskPath)
    await pilot.press(*file, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, PickNames))
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
            "of 4 people": ["original", "release"],
            "have a record that fits": ["1", "25.0%", "1", "25.0%"],
            "have exactly one, and are found": ["1", "25.0%", "0", "0.0%"],
            "have at most 1, below k": ["1", "25.0%", "0", "0.0%"],
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
        original, release = said(screen, "#told").split("\n")
        assert original.endswith("1 record, disease: certainly Gastritis")
        assert release.endswith("2 records, disease: Gastritis 50%, HIV 50%")
        assert release.startswith("▸")
        await pilot.press("o")  # the record of the original that is his
        await pilot.pause()
        assert texts(rows) == [["25", "Male", "22370", "Gastritis"]]
        assert str(pane.border_title) == "person 3: 1 original record fits"
        await pilot.press("down", "enter")  # Sara is in neither
        await settle(pilot)
        assert said(screen, "#told").count("no record fits") == 2
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
        assert isinstance(pilot.app.screen, PickNames)
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
        await until(pilot, lambda: screen.people is not None)
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
        await until(pilot, lambda: isinstance(pilot.app.screen, Message))
        told = said(pilot.app.screen, "#text")
        assert message in told
        assert "unexpected" not in told
        await pilot.press("escape")
        screen = pilot.app.screen
        assert isinstance(screen, AttackScreen)
        assert "e chooses" in said(screen, "#status")
        await pilot.press("e", *"voters.csv", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, PickNames))


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
        assert said(screen, "#told").count("disease: certainly Gastritis") == 2


async def test_a_table_without_a_shared_column_is_refused(sample, make_app) -> None:
    project = sample("linking")
    project.with_name("other.csv").write_text("who,years\nPaul,25\n")
    async with make_app(project).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "linking", AttackScreen)
        await pilot.press(*"other.csv", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Message))
        assert "no column of the same name" in said(pilot.app.screen, "#text")
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, AttackScreen)


@pytest.mark.parametrize(("words", "kind"), [("linking", AttackScreen), ("trees", PartitionScreen)])
async def test_without_a_release_the_panel_says_what_to_do(sample, make_app, words, kind) -> None:
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, words, kind)
        assert isinstance(pilot.app.screen, kind)
        assert "no release yet" in said(pilot.app.screen, "#status")
        await pilot.press("e", "a", "s", "t", "plus")  # none of them does anything yet
        assert isinstance(pilot.app.screen, kind)
        await pilot.press("escape")
        assert pilot.app.current_mode == "data"
        assert not isinstance(pilot.app.screen, kind)


# -- k feasibility


async def test_the_curve_of_seven_binary_attributes(sample, make_app) -> None:
    """Morton, table 12: 1,200 records are hopeless for 7 attributes and k = 5, 7,500 safe."""
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        assert screen.query_one("#p-attributes", Input).value == "6"
        await pilot.press("delete", "7", "tab", "tab", "tab", "delete", "delete", "delete")
        await pilot.press("2", "0", "tab", *"7500", "enter")
        await until(pilot, lambda: not screen.working and screen.curve.counts[-1] == 7500)
        assert screen.curve.repeats == 20
        own, typed = screen.query_one(Plot).lines
        assert (own.name, typed.name) == ("table's 6", "typed 7 × 2 values")
        assert set(own.values) == {0.0}
        rates = dict(zip(screen.curve.counts, typed.values, strict=True))
        assert rates[7500] == 1.0
        assert all(rate == 0.0 for n, rate in rates.items() if n <= 1200)
        assert list(rates.values()) == sorted(rates.values())
        assert texts(screen.query_one(Grid))[-1] == ["7,500", "0.0%", "100.0%"]
        assert any(row[0] == "▸400" for row in texts(screen.query_one(Grid)))
        assert "▸400" in screen.query_one(Plot).labels
        safe = next(n for n, rate in rates.items() if rate >= 0.95)
        await until(pilot, lambda: "reached" in said(screen, "#note"))
        assert f"table's not up to 7,500, typed from {safe:,} on" in said(screen, "#note")


async def test_points_appear_one_by_one_and_escape_cancels_then_closes(
    sample, make_app, monkeypatch
) -> None:
    from kanon_tui.screens.analyses import feasibility as module

    gate, simulated = threading.Semaphore(3), module.feasibility_curve

    def slowly(*args, **kwargs):
        gate.acquire(timeout=10)
        return simulated(*args, **kwargs)

    monkeypatch.setattr(module, "feasibility_curve", slowly)
    monkeypatch.setattr(module, "BATCH", 200)  # a point is one batch
    async with make_app(sample("datafly")).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        await until(pilot, lambda: len(screen.curve.rates) == 3)
        await until(pilot, lambda: "…" not in texts(screen.query_one(Grid))[0])
        assert "esc cancels" in said(screen, "#status")
        assert texts(screen.query_one(Grid))[-1][1:] == ["…", "…"]
        await pilot.press("escape")
        gate.release(100)
        await settle(pilot)
        assert pilot.app.screen is screen
        assert len(screen.curve.rates) == 3  # kept, and none came after
        assert "esc cancels" not in said(screen, "#status")
        await pilot.press("escape")
        assert pilot.app.screen is not screen


async def test_a_project_that_is_not_ready_still_has_the_typed_curve(sample, make_app) -> None:
    project = sample("datafly")
    project.with_name("zip.csv").unlink()
    async with make_app(project).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await open_panel(pilot, "feasib", FeasibilityScreen)
        screen = pilot.app.screen
        await until(pilot, lambda: not screen.working and bool(screen.curve.rates))
        await settle(pilot)
        assert len(screen.query_one(Plot).lines) == 1
        assert "zip" in said(screen, "#note")


def test_the_numbers_of_records_cover_where_the_rate_rises() -> None:
    counts = record_counts(k=5, combinations=2**7, own=1000, most=None)
    assert counts == sorted(set(counts))
    assert 1000 in counts
    assert counts[0] < 5 * 2**7 < 7500 < counts[-1]
    assert record_counts(5, 2**7, own=1000, most=3) == [3]
    assert max(record_counts(5, 1000**100, own=10, most=None)) == 10_000_000


# -- decision trees


async def test_trees_of_original_and_release_side_by_side(sample, make_app) -> None:
    async with make_app(small_census(sample("census"))).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "trees", PartitionScreen)
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("down", "down", "enter")  # income, diagnosis, income_class
        await until(pilot, lambda: isinstance(pilot.app.screen, PartitionScreen))
        screen = pilot.app.screen
        await until(pilot, lambda: screen.found is not None)
        assert screen.found.target == "income_class"
        with_income = screen.found.original.accuracy

        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, PickNames))
        await pilot.press("end", "up", "space", "enter")  # all but income, which tells everything
        await until(pilot, lambda: "income" not in screen.found.attributes)
        found = screen.found
        assert "diagnosis" in found.attributes
        assert found.original.accuracy < with_income
        figures = said(screen, "#figures")
        assert f"{found.original.accuracy:.1%}" in figures
        assert f"{found.release.auc:.3f}" in figures
        assert f"keeps {found.kept:.1%}" in figures
        for name, tree in (("original", found.original), ("release", found.release)):
            assert said(screen, f"#{name} .tree").split("\n") == [
                line.plain for line in tree_lines(tree.root)
            ]

        leaves = len(list(found.original.root.leaves()))
        await pilot.press(*["minus"] * 6)
        await until(pilot, lambda: len(list(screen.found.original.root.leaves())) == 2)
        assert leaves > 2
        await pilot.press("minus")  # a tree has at least two
        assert screen.leaves == 2


async def test_a_generalised_target_is_refused_and_zoom_and_help_work(sample, make_app) -> None:
    async with make_app(sample("linking")).run_test(size=SIZE) as pilot:
        await release_it(pilot)
        await open_panel(pilot, "trees", PartitionScreen)
        await pilot.press("end", "enter")  # zip
        await until(pilot, lambda: isinstance(pilot.app.screen, Message))
        assert "is generalised in the release" in said(pilot.app.screen, "#text")
        await pilot.press("escape")
        screen = pilot.app.screen
        await pilot.press("tab", "z")
        assert screen.maximized is screen.query_one("#release")
        await pilot.press("escape")
        assert screen.maximized is None
        await pilot.press("f1")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("escape", "escape")
        assert pilot.app.screen is not screen


def test_a_tree_in_lines() -> None:
    low = Node(20, "no", 0.9, "age < 30", "")
    old = Node(50, "yes", 0.8, "age ≥ 65", "")
    middle = Node(930, "yes", 0.5, "age < 65", "")
    rest = Node(980, "yes", 0.51, "age ≥ 30", "", (old, middle))
    tree = Node(1000, "yes", 0.5, "", "all records", (rest, low))
    assert [line.plain for line in tree_lines(tree)] == [
        "1,000 yes  50.0% all",
        "  980 yes  51.0% ├age ≥ 30",
        "   50 yes  80.0% │├▪ age ≥ 65",
        "  930 yes  50.0% │└▪ age < 65",
        "   20 no   90.0% └▪ age < 30",
    ]
