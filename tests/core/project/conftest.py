"""An algorithm with a parameter of every type, for project files that name it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.task.task import Algorithm, Family, RunContext, Steps, Task


@dataclass(frozen=True)
class Toy(Algorithm):
    """Has a parameter of every type."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Toy"
    family: ClassVar[Family] = Family.CLUSTERING
    paper: ClassVar[str] = ""
    summary: ClassVar[str] = ""

    relaxed: bool = declared(False, "a switch")
    rounds: int = declared(3, "a count", low=1)
    penalty: float = declared(0.5, "a number", low=0, high=10)
    label: str = declared("none", "a text")
    column: str | None = declared(None, "a text or nothing")

    def steps(self, task: Task, context: RunContext) -> Steps:
        raise NotImplementedError


@pytest.fixture(autouse=True, scope="module")
def _toy() -> Any:
    ALGORITHMS["toy"] = Toy
    yield
    del ALGORITHMS["toy"]
