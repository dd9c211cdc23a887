"""A file that is too large for memory, on every screen: a sample at once, then what is counted."""

from __future__ import annotations

import threading

import pytest
from textual.widgets import Static

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.pipeline.sampled_table import TableCoding
from kanon_tui.core.project.project import Project
from kanon_tui.screens.before_publishing import CountingWait
from kanon_tui.screens.opening import open_file
from kanon_tui.screens.run.screen import RunScreen
from kanon_tui.screens.strings import StringsScreen
from kanon_tui.widgets.grid import Grid
from tests.beyond_memory import ODD, RECORDS, let_nothing_fit, write_people
from tests.screens.conftest import session_of, settle, wait_until

SIZE = (80, 24)


@pytest.fixture(autouse=True)
def nothing_fits(monkeypatch):
    let_nothing_fit(monkeypatch)


@pytest.fixture
def counting_allowed(monkeypatch):
    """Counting begins when this is set, and not before."""
    allowed = threading.Event()
    run = TableCoding.run

    def wait(self):
        while not allowed.wait(0.01):
            self._check_stopped()
        return run(self)

    monkeypatch.setattr(TableCoding, "run", wait)
    yield allowed
    allowed.set()


def title(pilot, selector):
    """The title of a pane; none while something else is in front of it."""
    return "".join(str(pane.border_title) for pane in pilot.app.screen.query(selector))


def text(pilot, selector):
    """The text of a line; none while it is not there."""
    return "".join(str(line.render()) for line in pilot.app.screen.query(selector).results(Static))


def row(pilot, number):
    source = pilot.app.screen.query_one("#table", Grid).source
    return [cell.text for cell in source.rows(number, number + 1)[0]]


def cells(pilot, selector):
    source = pilot.app.screen.query_one(selector, Grid).source
    return {row[0].text: [cell.text for cell in row] for row in source.rows(0, source.height)}


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
async def test_every_screen_works_on_a_sample_and_then_tells_of_the_whole(
    make_app, tmp_path, counting_allowed, name
):
    write_people(tmp_path / name)
    async with make_app(tmp_path / name).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: pilot.app.host.session is not None)
        await wait_until(pilot, lambda: "in a sample of" in text(pilot, "#facts"))
        await wait_until(pilot, lambda: "records counted" in text(pilot, "#facts"))
        at_hand = f"{name} · a sample of {session_of(pilot).records.height}"
        assert title(pilot, "#table-pane") == (at_hand if name == "a.csv" else name)
        await wait_until(pilot, lambda: title(pilot, "#profile-pane") == "age, of a sample")
        await pilot.press("S")
        await wait_until(pilot, lambda: title(pilot, "#table-pane") == f"{at_hand} · by age ↑")
        await pilot.press("2")
        await wait_until(pilot, lambda: "records counted" in title(pilot, "#attributes-pane"))
        await wait_until(pilot, lambda: cells(pilot, "#attributes")["age"][4][0] == "≥")
        assert text(pilot, "#gauge") == "counting …"
        await pilot.press("U")  # nothing is told of the sample as if it were the whole
        await wait_until(pilot, lambda: "still being counted" in text(pilot, "#text"))
        await pilot.press("escape", "3")
        await wait_until(pilot, lambda: " values, of a sample" in title(pilot, "#levels-pane"))
        await pilot.press("4")
        await wait_until(pilot, lambda: "of a sample" in title(pilot, "#levels-pane"))

        counting_allowed.set()
        session = session_of(pilot)
        await wait_until(pilot, lambda: not session.uncounted())
        await settle(pilot)
        assert title(pilot, "#levels-pane") == "age: research value per level"
        await pilot.press("3")
        await wait_until(
            pilot, lambda: title(pilot, "#levels-pane") == "age (categorical, 91 values)"
        )
        await pilot.press("2")
        await wait_until(pilot, lambda: cells(pilot, "#attributes")["age"][4] == "91")
        await wait_until(pilot, lambda: cells(pilot, "#attributes")["email"][4] == f"{RECORDS:,}")
        assert "weights" in title(pilot, "#attributes-pane")
        await wait_until(pilot, lambda: "unique records" in text(pilot, "#gauge"))
        await pilot.press("U")
        await wait_until(pilot, lambda: f"of {RECORDS:,} records" in text(pilot, "#alone"))
        await pilot.press("escape", "5")
        await wait_until(pilot, lambda: f"{RECORDS:,} records" in text(pilot, "#preflight"))
        assert "sample" not in text(pilot, "#preflight")
        await pilot.press("7")
        await settle(pilot)
        assert "on a sample of " not in text(pilot, "#status")
        await pilot.press("1")
        await wait_until(pilot, lambda: text(pilot, "#facts").startswith(f"{RECORDS:,} records"))
        assert "counted" not in text(pilot, "#facts")
        await wait_until(pilot, lambda: title(pilot, "#table-pane") == f"{name} · by age ↑")
        assert pilot.app.screen.query_one("#table", Grid).source.height == RECORDS
        await wait_until(pilot, lambda: title(pilot, "#profile-pane") == "age")
        await pilot.press("escape")
        await wait_until(pilot, lambda: title(pilot, "#table-pane") == name)
        await pilot.press("number_sign", *str(ODD + 1), "enter")
        await wait_until(pilot, lambda: row(pilot, ODD) == ["old", "m", f"p{ODD}@example.org"])
        assert pilot.app.screen.query_one("#table", Grid).row == ODD
        await pilot.press("slash", *f"p{ODD - 1}@", "enter")
        await wait_until(pilot, lambda: pilot.app.screen.query_one("#table", Grid).row == ODD - 1)
        await pilot.press("escape", "f", *f"p{ODD}@", "enter")
        await wait_until(pilot, lambda: "1 of 3,000 shown" in title(pilot, "#table-pane"))
        await settle(pilot)


async def test_a_run_that_needs_records_works_on_all_of_them(make_app, tmp_path):
    path = tmp_path / "p.yaml"
    write_people(tmp_path / "a.csv")
    path.write_text(
        "data: {path: a.csv}\n"
        "attributes: {age: {role: quasi, kind: categorical}, sex: {role: quasi}, "
        "email: {role: identifier, kind: categorical}}\n"
        "privacy: {k: 5}\n"
        "algorithm: {name: mdav}\n"
    )
    async with make_app(path).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: pilot.app.host.session is not None)
        await wait_until(pilot, lambda: not session_of(pilot).uncounted())
        await pilot.press("5", "r")
        await wait_until(pilot, lambda: session_of(pilot).results)
        await settle(pilot)
    (result,) = pilot.app.host.session.results
    whole = anonymize(Project.load(path).with_(run={"engine": "memory"}))
    assert result.table.equals(whole.table)


async def test_a_file_that_vanishes_is_told_of_and_its_sample_stays(
    make_app, tmp_path, counting_allowed
):
    path = write_people(tmp_path / "a.parquet")
    async with make_app(path).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: title(pilot, "#table-pane") == path.name)
        path.unlink()
        await pilot.press("ctrl+end")
        await wait_until(pilot, lambda: "does not exist" in text(pilot, "#text"))
        await pilot.press("escape")
        sample = f"{path.name} · a sample of"
        await wait_until(pilot, lambda: title(pilot, "#table-pane").startswith(sample))
        assert "…" not in row(pilot, 0)


async def test_counts_that_come_after_the_file_is_closed_reach_nobody(
    make_app, tmp_path, counting_allowed
):
    other = write_people(tmp_path / "b.parquet")
    app = make_app(write_people(tmp_path / "a.csv"))
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: app.host.session is not None and app.host.counting.progress)
        before = session_of(pilot)
        counting = app.host.counting._pass
        table = before.table
        open_file(app.host, other)
        await wait_until(pilot, lambda: app.host.session is not before)
        assert counting.stopped
        assert app.host.counting._pass is not counting
        counting_allowed.set()
        await settle(pilot)
        assert before.table is table
        assert session_of(pilot).table.height == RECORDS
        assert app.host.counting.progress == ""


async def test_strings_that_are_judged_on_the_sample_say_so(make_app, tmp_path, counting_allowed):
    async with make_app(write_people(tmp_path / "a.parquet")).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: pilot.app.host.session is not None)
        await pilot.press("5", "E")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, StringsScreen))
        await wait_until(pilot, lambda: "! judged on a sample of" in text(pilot, "#verdict"))


async def test_a_run_waits_until_the_values_are_counted(make_app, tmp_path, counting_allowed):
    async with make_app(write_people(tmp_path / "a.parquet")).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: pilot.app.host.counting.is_counting)
        await pilot.press("2", "v", "5", "r", "r")
        await wait_until(pilot, lambda: "records counted" in text(pilot, "#progress"))
        await pilot.press("escape")  # taken back: nothing runs when the values are there
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
        await pilot.press("r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, CountingWait))
        counting_allowed.set()
        await wait_until(pilot, lambda: not isinstance(pilot.app.screen, CountingWait))
        assert not session_of(pilot).uncounted()


async def test_a_run_that_waits_ends_when_the_file_cannot_be_counted(
    make_app, tmp_path, counting_allowed
):
    path = write_people(tmp_path / "a.parquet")
    async with make_app(path).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: pilot.app.host.counting.is_counting)
        await pilot.press("2", "v", "5", "r")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, CountingWait))
        path.unlink()
        counting_allowed.set()
        await wait_until(pilot, lambda: "does not exist" in text(pilot, "#text"))
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
