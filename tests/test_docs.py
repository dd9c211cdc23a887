"""What README and docs tell people to type works, and the site they make has no broken link."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kanon_tui import cli
from kanon_tui.core.algorithms import ALGORITHMS
from tests.commands.command_line import ENVIRONMENT, PATIENCE, PEOPLE, PROJECT
from tests.paths import ROOT, SAMPLES

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
LANGUAGES = {"bash", "console", "python", "text", "yaml", "json", "csv", "ini", "toml"}
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SERVES = "serve"
"""A command that does not end by itself: its arguments are read, and no more."""


@dataclass(frozen=True)
class Block:
    language: str
    text: str

    @property
    def commands(self) -> Iterator[list[str]]:
        joined = self.text.replace("\\\n", " ")
        for line in joined.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words and (self.language == "bash" or line.startswith("$ ")):
                yield words


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def has(page: Path, *languages: str) -> bool:
    return any(block.language in languages for block in blocks(page))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the reader of a page is: with the census beside a small table of their own."""
    for file in filter(Path.is_file, (SAMPLES / "census").iterdir()):  # Python may have left more
        shutil.copy(file, tmp_path / file.name)
    (tmp_path / "project.yaml").rename(tmp_path / "census.yaml")
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.yaml").write_text(PROJECT)
    (tmp_path / "sample_data").symlink_to(SAMPLES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    package = ROOT / "kanon_tui"
    folders = (ROOT, package, package / "core")
    for name in re.findall(r"`((?:[\w.-]+/)+(?:[\w.-]+\.py)?)`", page.read_text(encoding="utf-8")):
        assert any((folder / name).exists() for folder in folders), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if has(page, "bash", "console")], ids=lambda page: page.name
)
def test_commands_do_what_the_page_says(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[Path | None] = []

    def open_application(file: Path | None, **_: Any) -> int:
        opened.append(file)
        return 0

    monkeypatch.setattr(cli, "open_application", open_application)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for block in blocks(page):
        if block.language not in ("bash", "console"):
            continue
        for program, *arguments in block.commands:
            if program == "make":
                assert {word for word in arguments if "=" not in word} <= set(targets)
            elif program == "kanon-tui" and SERVES in arguments[:1]:
                cli.make_parser().parse_args(arguments)
            elif program == "kanon-tui":
                code = cli.main(arguments)
                said = capsys.readouterr()
                assert code == 0, f"{shlex.join(arguments)}: {said.err}"
                if block.language == "console":
                    assert_printed(said.out, block)
            else:
                pytest.fail(f"{page.name}: {program} is not a command that is tried")
    assert all(file is None or file.exists() for file in opened)


def assert_printed(out: str, block: Block) -> None:
    """Every line that the page shows was printed, in this order."""
    printed = iter(out.splitlines())
    for line in block.text.splitlines():
        if not line.startswith("$ ") and line not in ("", "…"):
            assert any(line == other for other in printed), f"not printed, or not there: {line}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if has(page, "python")], ids=lambda page: page.name
)
def test_python_runs(page: Path, folder: Path) -> None:
    """In a process of its own: what a page defines must not be known to other tests."""
    code = "\n".join(block.text for block in blocks(page) if block.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_site_has_no_broken_link_and_asks_nothing_of_the_network(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**ENVIRONMENT, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    pages = {page.stem for page in (tmp_path / "site" / "algorithms").glob("*.html")}
    assert pages == set(ALGORITHMS)
    beside = (tmp_path / "site" / "algorithms" / "mondrian.html").read_text(encoding="utf-8")
    columns = beside[beside.index('<div class="beside">') : beside.index('<h2 id="a-picture">')]
    assert columns.count("<h2") == 2
    assert columns.count("<div>") == columns.count("<pre>") == 2
    table = (tmp_path / "site" / "algorithms.html").read_text(encoding="utf-8")
    assert all(f'<td><a href="algorithms/{name}.html">' in table for name in ALGORITHMS)
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for tag in re.findall(r"<(?:script|img|iframe|link)\b[^>]*>", text):
            assert "http://" not in tag, page.name
            assert "https://" not in tag, page.name


def test_every_promise_of_the_security_page_names_a_test_that_exists() -> None:
    """The table promise → test of SECURITY.md."""
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) > 20
    for path, name in named:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^(async )?def {name}\(", text, re.M), (path, name)


def test_the_page_of_messages_quotes_what_is_said() -> None:
    table = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8").split("messages -->")[1]
    quoted = re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE)
    assert len(quoted) > 20
    # Sentences are wrapped in the code: its lines are joined as Python joins texts.
    sources = "".join(
        file.read_text(encoding="utf-8") for file in (ROOT / "kanon_tui").rglob("*.py")
    )
    said = re.sub(r'"\s+f?"', "", sources)
    assert [message for message in quoted if message not in said] == []
