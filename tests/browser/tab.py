"""A tab of a real browser, without a click: what it shows is read off what its session draws."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import which

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from tests.commands.command_line import PATIENCE

CHROMIUM = os.environ.get("CHROMIUM") or which("chromium") or which("google-chrome") or ""
ALONE = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;:?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    if not CHROMIUM:
        raise SystemExit("no Chromium found: install it, or say where it is: CHROMIUM=/path/to/it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ALONE))
        yield browser
        browser.close()


class Tab:
    """One tab. Everything asked of it is asked by keyboard."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1200, "height": 800})
        self.asked: list[str] = []
        self.drawn = b""
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", self._listen)
        self.page.goto(address)

    def press(self, *keys: str) -> None:
        """Press keys; what was drawn before does not count from here on."""
        self.drawn = b""
        for key in keys:
            self.page.keyboard.press(key)

    def wait_for(self, text: str) -> None:
        """Wait until the session has drawn a text."""
        end = time.monotonic() + PATIENCE
        while text.encode() not in _ESCAPES.sub(b"", self.drawn):
            assert time.monotonic() < end, f"{text!r} did not come; drawn: {self.drawn[-2000:]!r}"
            self.page.wait_for_timeout(50)

    def _listen(self, socket: WebSocket) -> None:
        self.drawn = b""
        socket.on("framereceived", self._receive)

    def _receive(self, frame: str | bytes) -> None:
        self.drawn += frame.encode() if isinstance(frame, str) else frame
