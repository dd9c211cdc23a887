"""Screen 2 counts again when something has changed, and only then."""

from __future__ import annotations

from kanon_tui.screens.attributes import screen as module
from tests.screens.conftest import settle


async def test_it_counts_when_attributes_change(sample, make_app, monkeypatch) -> None:
    counted = []
    count_risk = module.count_risk

    def noted(*args):
        counted.append(args)
        return count_risk(*args)

    monkeypatch.setattr(module, "count_risk", noted)
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        before = str(pilot.app.screen.query_one("#gauge").content)
        assert "unique records" in before
        await pilot.press("1", "2")
        await settle(pilot)
        assert len(counted) == 1
        assert str(pilot.app.screen.query_one("#gauge").content) == before
        await pilot.press("down", "o")
        await settle(pilot)
        assert len(counted) == 2
        assert str(pilot.app.screen.query_one("#gauge").content) != before


async def test_associations_are_those_of_the_present_roles(sample, make_app, monkeypatch) -> None:
    made = []
    associations = module.associations

    def noted(session):
        made.append(session.project)
        return associations(session)

    monkeypatch.setattr(module, "associations", noted)
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        names = pilot.app.screen._associations.names
        await pilot.press("1", "2")
        await settle(pilot)
        assert len(made) == 1
        await pilot.press("down", "o")
        await settle(pilot)
        assert pilot.app.screen._associations.names != names
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert pilot.app.screen._associations.names == names
        assert len(made) == 3
