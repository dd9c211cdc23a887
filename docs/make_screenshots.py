"""Take the screenshots of README and docs from the real application: `make screenshots`.

They wait for what they show, as the tests do, so a slow machine takes the same pictures.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from textual.pilot import Pilot

from kanon_tui.app import KanonApp
from kanon_tui.core.project.samples import find_sample
from kanon_tui.screens.run.advice import Advice
from tests.screens.conftest import settle, wait_until
from tests.screens.run.test_watching import watch

FOLDER = Path(__file__).parent / "screenshots"
SMALL = (80, 24)
LARGE = (120, 40)

SCREENS: dict[str, tuple[str, ...]] = {
    "data": ("1", "right", "right"),
    "attributes": ("2", "down", "down"),
    "hierarchies": ("3", "down", "down"),
    "rules": ("4", "down"),
    "run": ("5",),
    "results": ("r", "6"),
    "what-if": ("7", "r"),
}
"""Keys from one screen to the next, in one sitting on the census."""
LESSONS: dict[str, tuple[str, int]] = {
    "incognito": ("incognito", 12),
    "mondrian": ("mondrian", 3),
    "global": ("race-rules", 6),
    "k-member": ("patients", 5),
    "sbc": ("similarity", 3),
}
"""Sample and step at which the lecture guide stops."""


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Keys one by one, each with all its effect."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def picture(app: KanonApp) -> str:
    """The screen as SVG."""
    svg = app.export_screenshot(title="kanon")
    # Fonts are not fetched from anywhere: the viewer's own monospace font will do.
    return re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)


def save(app: KanonApp, name: str) -> None:
    """The screen as a picture."""
    (FOLDER / f"{name}.svg").write_text(picture(app), encoding="utf-8")


def animation(frames: list[str], seconds: float) -> str:
    """One SVG that shows others in turn, each for so many seconds, again and again."""
    whole = seconds * len(frames)
    shown = []
    for number, frame in enumerate(frames):
        begin = number / len(frames)
        end = (number + 1) / len(frames)
        times = f"0;{begin:.4f};{min(end, 0.9999):.4f}"
        inner = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", frame, flags=re.S)
        shown.append(
            f'<g visibility="{"hidden" if number else "visible"}"><animate '
            f'attributeName="visibility" values="hidden;visible;hidden" keyTimes="{times}" '
            f'calcMode="discrete" dur="{whole}s" repeatCount="indefinite"/>{inner}</g>'
        )
    box = re.search(r'viewBox="([^"]+)"', frames[0])
    assert box is not None
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box[1]}">\n'
        + "\n".join(shown)
        + "\n</svg>\n"
    )


async def record(state: Path) -> None:
    """The recording of README: a lattice and a map of records, decision by decision."""
    frames = []
    for sample, steps in (("race-rules", (4, 5, 6, 7, 8, 9, 12)), ("patients", range(1, 7))):
        app = KanonApp(find_sample(sample).project, state_folder=state / sample, theme="kanon-dark")
        async with app.run_test(size=(90, 28)) as pilot:
            view = await watch(pilot, max(steps))
            for number in steps:
                view.playhead.go(number)
                view.draw()
                await pilot.pause()
                frames.append(picture(app))
    (FOLDER / "recording.svg").write_text(animation(frames, 2.0), encoding="utf-8")


async def take_screens(size: tuple[int, int], names: Mapping[str, str], state: Path) -> None:
    """One picture per numbered screen; `names` are those of the files."""
    app = KanonApp(find_sample("census").project, state_folder=state, theme="kanon-dark")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for screen, keys in SCREENS.items():
            await press(pilot, *keys)
            if screen == "run":  # its advice comes when nobody types
                await wait_until(pilot, lambda: app.screen.query_one(Advice).found)
                await settle(pilot)
            save(app, names[screen])


async def take_lesson(algorithm: str, size: tuple[int, int], state: Path) -> None:
    """An algorithm at the step where a class should stop and think."""
    sample, step = LESSONS[algorithm]
    app = KanonApp(find_sample(sample).project, state_folder=state, theme="kanon-dark")
    async with app.run_test(size=size) as pilot:
        await watch(pilot, step)
        await pilot.pause()
        save(app, f"lecture-{algorithm}")


async def take_all() -> None:
    """Everything there is to see."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as state:
        large = {screen: screen for screen in SCREENS}
        small = {screen: f"{screen}-80x24" for screen in SCREENS}
        await take_screens(LARGE, large, Path(state, "large"))
        await take_screens(SMALL, small, Path(state, "small"))
        for algorithm in LESSONS:
            await take_lesson(algorithm, (100, 30), Path(state, algorithm))
        await record(Path(state, "recording"))


if __name__ == "__main__":
    sys.exit(asyncio.run(take_all()))
