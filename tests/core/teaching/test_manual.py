"""The pages of the algorithms: complete, and with code that gives the answers of the algorithms."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import Family, Grouping, Task
from kanon_tui.core.teaching.manual import manual_page
from kanon_tui.core.teaching.twin_code import code_with_helpers, twin_of
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task

BUILT_IN = [name for name, each in ALGORITHMS.items() if each.__module__.startswith("kanon_tui.")]


def printed_twin(name: str) -> Callable[[Task], Any]:
    """The twin as a reader gets it who copies the code of the page into a file."""
    page = manual_page(ALGORITHMS[name], most=1)
    code = next(passage.verbatim for passage in page.passages if passage.language == "python")
    module: dict[str, Any] = {}
    exec(compile(code, f"page of {name}", "exec"), module)
    twin = twin_of(ALGORITHMS[name])
    assert twin is not None
    copied: Callable[[Task], Any] = module[twin.__name__]
    return copied


def classes_of(grouping: Grouping) -> list[list[int]]:
    labels = grouping.labels
    return sorted(np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_printed_code_gives_the_answer_of_the_algorithm(name: str) -> None:
    twin = printed_twin(name)
    full_domain = ALGORITHMS[name].family is Family.FULL_DOMAIN
    answers = 0
    for seed in range(12):
        task = searchable_task(seed) if full_domain else random_task(seed)
        try:
            grouping = Run(task, ALGORITHMS[name]()).finish()
        except NotReachedError:
            continue  # nothing but the roots passes, which `local` does not accept
        assert grouping is not None
        answer = twin(task)
        if full_domain:
            levels = answer[0] if isinstance(answer[0], tuple) else answer
            assert grouping.levels == levels, seed
        else:
            assert classes_of(grouping) == sorted(map(sorted, answer)), seed
        answers += 1
    assert answers >= 5


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_page_has_everything_and_the_module_leads_to_it(name: str) -> None:
    algorithm = ALGORITHMS[name]
    page = manual_page(algorithm, most=2)
    headings = [passage.heading for passage in page.passages]
    expected = ["Pseudo-code", "The same answer in plain Python", "A picture", "Cost", "Reference"]
    expected.append("Its sample, decision by decision")
    assert [heading for heading in headings if heading in expected] == expected
    assert "Idea" in headings or name == "sd"  # which says in what it differs from sbc
    text = page.markdown()
    assert text.count("````") % 2 == 0
    assert all(line.text in text for line in algorithm.pseudo_code)
    docstring = sys.modules[algorithm.__module__].__doc__ or ""
    assert f"algorithms/{name}.html" in docstring
    assert f"`kanon-tui explain {name}`" in docstring


def test_terminal_and_manual_have_the_same_words() -> None:
    page = manual_page(ALGORITHMS["mondrian"])
    drop = str.maketrans("", "", "#`-=\\")
    printed = " ".join(page.lines()).translate(drop).split()
    written = page.markdown().replace("````python", "").replace("````text", "")
    assert printed == written.translate(drop).split()


MODULE = '''"""A module."""

from __future__ import annotations

from functools import cache
from math import inf, nan

LIMIT = inf
"""As far as it goes."""
OTHER = nan


@cache
def helper(task: object) -> float:
    return LIMIT


def stranger() -> float:
    return OTHER


def twin(task: object) -> float:
    return helper(task)
'''


def test_code_is_what_the_function_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "naive_example.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import naive_example  # type: ignore[import-not-found]

    assert code_with_helpers(naive_example.twin) == (
        "from __future__ import annotations\nfrom functools import cache\nfrom math import inf\n\n"
        'LIMIT = inf\n"""As far as it goes."""\n\n'
        "@cache\ndef helper(task: object) -> float:\n    return LIMIT\n\n"
        "def twin(task: object) -> float:\n    return helper(task)"
    )


def test_an_algorithm_without_twin_or_sample_has_a_page() -> None:
    class Plain(ALGORITHMS["mondrian"]):  # type: ignore[misc]
        """Do nothing new.

        Cost: none.
        """

        name = "plain"
        sample = ""
        twin = ""

    headings = [passage.heading for passage in manual_page(Plain).passages]
    assert headings == ["", "Pseudo-code", "Cost"]
