"""Take the screenshots of README and docs from the real application.

python docs/make_screenshots.py
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from textual.pilot import Pilot

from kanon_tui.app import KanonApp
from kanon_tui.core.project.samples import find_sample

FOLDER = Path(__file__).parent / "screenshots"
SHOTS: dict[str, tuple[str, ...]] = {
    "data": ("1", "right", "right"),
    "attributes": ("2", "down", "down"),
    "hierarchies": ("3", "down", "down"),
    "rules": ("4", "down"),
    "run": ("5", "full_stop", *["wait", "full_stop"] * 24),
    "results": ("5", "escape", "r", "wait", "wait", "wait", "6"),
    "what-if": ("7", "r", *["wait"] * 12),
}


async def quiet(pilot: Pilot[None], seconds: float = 0.6) -> None:
    """Let background work finish and be drawn."""
    await pilot.pause(seconds)


async def take(size: tuple[int, int]) -> None:
    """One picture per screen, in one sitting."""
    FOLDER.mkdir(exist_ok=True)
    app = KanonApp(find_sample("census").project, theme="kanon-dark")
    async with app.run_test(size=size) as pilot:
        await quiet(pilot, 2)
        for name, keys in SHOTS.items():
            for key in keys:
                if key == "wait":
                    await quiet(pilot)
                else:
                    await pilot.press(key)
            await quiet(pilot, 2)
            svg = app.export_screenshot(title="kanon")
            # Fonts are not fetched from anywhere: the viewer's own monospace font will do.
            svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
            if name == "run":
                await pilot.press("c")
                await quiet(pilot, 2)


if __name__ == "__main__":
    asyncio.run(take((112, 32)))
