"""5 Run: a bound for the risk is typed in words, and refused in one sentence."""

from __future__ import annotations

from textual.widgets import Input

from kanon_tui.core.privacy.risk import RiskBound
from tests.screens.conftest import session_of, settle


async def test_a_risk_is_typed_in_words(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        field = pilot.app.screen.query_one("#p-risk", Input)
        field.focus()
        await pilot.press(*"marketer", "space", *"0.25", "enter")
        await settle(pilot)
        bound = session_of(pilot).project.privacy.risk
        assert bound == RiskBound("marketer", 0.25, "average")
