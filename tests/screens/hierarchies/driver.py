"""The Hierarchies screen on a small project, driven by its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from kanon_tui.app import KanonApp
from kanon_tui.screens.hierarchies.screen import HierarchiesScreen
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import settle, wait_until

DATA = """country,age,zip,color
France,21,46201,[a-z]
Italy,22,46202,[/]
Japan,34,46203,[a-z]
Peru,35,46201,{b|c}
France,41,46202,"new
line"
Italy,58,9999X,[/]
Japan,?,46203,[link=x]
Peru,63,00001,[a-z]
"""
COUNTRIES = (
    "France;Europe;Old;World\nItaly;Europe;Old;World\nJapan;Asia;Old;World\nPeru;Andes;New;World\n"
)
PROJECT = """data: {path: data.csv}
attributes:
  country:
    {role: quasi, kind: categorical, hierarchy: {file: country.csv}, rv: [0.4, 0.3, 0.1, 0.0]}
  age: {role: quasi, kind: numeric}
  zip: {role: quasi, kind: categorical, hierarchy: {file: zip.csv}}
  color: {role: quasi, kind: categorical}
privacy: {k: 2}
"""


class Driver:
    """Presses keys and waits until everything is worked out."""

    def __init__(self, app: KanonApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def settle(self) -> None:
        """Until nothing is being worked out; an edit is followed by the panes that show it."""
        await settle(self.pilot)

    async def wait_until(self, condition: Callable[[], object]) -> None:
        await wait_until(self.pilot, condition)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def type(self, text: str, field: str = "Input") -> None:
        entry = self.app.screen.query_one(field)
        entry.focus()
        if isinstance(entry, Input):
            entry.value = text
        else:
            assert isinstance(entry, TextArea)
            entry.text = text
        await self.settle()

    async def go(self, name: str) -> None:
        """To the levels of an attribute."""
        self.screen.attributes.focus()
        names = list(self.app.host.session.project.attributes)
        self.screen.attributes.go_to(names.index(name))
        await self.press("enter")

    @property
    def screen(self) -> HierarchiesScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, HierarchiesScreen)
        return screen

    def spec(self, name: str):
        return self.app.host.session.attribute(name)

    def rows(self, grid: Grid | None = None) -> list[list[str]]:
        source = (grid or self.screen.levels).source
        return [[cell.text for cell in row] for row in source.rows(0, source.height)]

    def levels(self, name: str) -> dict[str, list[str]]:
        return self.spec(name).hierarchy["levels"]

    def text(self, selector: str) -> str:
        return str(self.app.screen.query_one(selector, Static).content)


@asynccontextmanager
async def opened(file: Path, size: tuple[int, int] = (100, 30)) -> Iterator[Driver]:
    app = KanonApp(file, state_folder=file.parent / "state", theme="kanon-dark")
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        await driver.press("3")
        yield driver
