"""Take the picture of Kanon in a browser: `make screenshots-browser`, which needs Chromium."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.browser.tab import Tab, chromium
from tests.commands.test_serve import serving
from tests.paths import SAMPLES

PICTURE = Path(__file__).parent / "screenshots" / "browser.png"


def main() -> None:
    """Run the census and look at its results."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        shutil.copytree(SAMPLES / "census", folder / "census")
        with serving(folder, "census/project.yaml") as (_, address):
            tab = Tab(browser, address)
            tab.wait_for("Attributes")
            tab.press("5")
            tab.wait_for("suppression")
            tab.press("r")
            tab.wait_for("verified")
            tab.press("6")
            tab.wait_for("NCP")
            tab.page.wait_for_timeout(2000)  # the picture alone depends on it
            tab.page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
