"""Fields of the set-up that an algorithm or another field makes meaningful."""

from __future__ import annotations

from textual.widgets import Input, Select

from kanon_tui.widgets.form import Form
from tests.screens.conftest import session_of, settle, wait_until


async def set_up(pilot, algorithm: str) -> Form:
    await settle(pilot)
    await pilot.press("5")
    await settle(pilot)
    choices = pilot.app.screen.query_one("#algorithms")
    choices.highlighted = choices.get_option_index(algorithm)
    await settle(pilot)
    return pilot.app.screen.query_one("#parameters", Form)


def is_shown(form: Form, field: str) -> bool:
    return bool(form.query_one(f"#p-{field}").parent.display)


async def test_ranges_of_clusterings_may_be_kept_apart(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        form = await set_up(pilot, "mondrian")
        assert session_of(pilot).project.overlap
        form.query_one("#p-overlap", Select).value = False
        await wait_until(pilot, lambda: not session_of(pilot).project.overlap)
        assert "overlap" not in session_of(pilot).project.algorithm.params
        await settle(pilot)
        await pilot.press("r")
        await wait_until(pilot, lambda: session_of(pilot).results)
        notes = session_of(pilot).results[-1].notes
        assert any("ranges do not overlap" in str(note) for note in notes)
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).project.overlap


async def test_full_domain_algorithms_are_not_asked_about_overlap(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        form = await set_up(pilot, "global")
        assert not form.query("#p-overlap")


async def test_how_to_refine_is_asked_where_refining_is_on(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        form = await set_up(pilot, "top-down")
        assert not is_shown(form, "refine_by")
        assert not is_shown(form, "refine_rounds")
        form.query_one("#p-refine", Select).value = True
        await wait_until(pilot, lambda: is_shown(form, "refine_by"))
        assert is_shown(form, "refine_rounds")
        rounds = form.query_one("#p-refine_rounds", Input)
        rounds.value = "0"
        await settle(pilot)
        assert form.accept() is None  # it does not fit, and is seen
        form.query_one("#p-refine", Select).value = False
        await wait_until(pilot, lambda: not is_shown(form, "refine_rounds"))
        assert form.accept() is not None  # nobody sees it: it keeps nobody from running
        assert not session_of(pilot).project.algorithm.params.get("refine")
