"""docs/papers.md: what it names exists."""

from __future__ import annotations

import re

from kanon_tui.core.project.samples import list_samples
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")


def test_samples_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`demo ([\w-]+)`", PAGE))
    assert named
    assert named <= {sample.name for sample in list_samples()}


def test_tests_that_the_page_names_exist() -> None:
    golden = (ROOT / "tests" / "test_papers.py").read_text(encoding="utf-8")
    for start in re.findall(r"`(test_\w+?)_?…`", PAGE):
        assert f"def {start}" in golden, start
    for path in re.findall(r"`(tests/[\w/]+\.py)`", PAGE):
        assert (ROOT / path).is_file(), path
