"""What people do with Kanon in a browser, by keyboard from the first moment."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.tab import Tab, chromium
from tests.commands.test_serve import serving
from tests.paths import SAMPLES


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    shutil.copytree(SAMPLES / "census", tmp_path / "census")
    with serving(tmp_path, "census/project.yaml") as (_, printed):
        yield printed


def test_from_the_data_to_the_results_without_a_click(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    tab.wait_for("Attributes")
    assert tab.page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    tab.press("2")
    tab.wait_for("risk with these quasi-identifiers")
    tab.press("5")
    tab.wait_for("suppression")
    tab.press("r")
    tab.wait_for("verified")
    tab.press("6")
    tab.wait_for("NCP")
    host = address.partition("/?")[0]
    assert all(url.startswith((host, "data:", host.replace("http", "ws"))) for url in tab.asked)


def test_the_footer_is_there_before_anybody_touches_anything(
    browser: Browser, address: str
) -> None:
    tab = Tab(browser, address)
    tab.wait_for("help")


def test_a_window_of_another_size_is_drawn_anew(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    tab.wait_for("Attributes")
    tab.press("2")
    tab.wait_for("association")
    tab.drawn = b""
    tab.page.set_viewport_size({"width": 760, "height": 520})
    tab.wait_for("risk with these quasi-identifiers")


def test_a_page_loaded_again_is_a_new_session(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    tab.wait_for("Attributes")
    tab.drawn = b""
    tab.page.reload()
    tab.wait_for("Attributes")
    tab.press("2")
    tab.wait_for("risk with these quasi-identifiers")


def test_two_tabs_do_not_know_of_each_other(browser: Browser, address: str) -> None:
    first = Tab(browser, address)
    second = Tab(browser, address)
    first.wait_for("Attributes")
    second.wait_for("Attributes")
    first.press("2")
    first.wait_for("risk with these quasi-identifiers")
    second.press("4")
    second.wait_for("alone")
    first.press("1")
    first.wait_for("distinct")


def test_a_wrong_token_gets_a_sentence_and_no_session(browser: Browser, address: str) -> None:
    tab = Tab(browser, address.partition("token=")[0] + "token=wrong")
    assert "token" in tab.page.inner_text("body")
    assert tab.drawn == b""
    assert tab.page.query_selector("#terminal") is None
