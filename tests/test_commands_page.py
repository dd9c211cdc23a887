"""docs/commands.md and the manual page say what the command line takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.make_commands import PAGES
from docs.make_python import PAGE, page
from kanon_tui.commands import COMMANDS


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_are_as_the_parser_has_them(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path](), "python -m docs.make_commands"


def test_every_command_and_its_options_are_there() -> None:
    page = PAGES[next(path for path in PAGES if path.suffix == ".md")]()
    for name in COMMANDS:
        assert f"\n## kanon-tui {name}" in page
    assert "`--most" in page
    assert "`--leaves" in page


def test_the_python_page_is_as_the_docstrings_have_it() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m docs.make_python"
