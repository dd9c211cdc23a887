"""A project read from a text, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project


def load(text: str, folder: Path) -> Project:
    file = folder / "census.yaml"
    file.write_text(text, encoding="utf-8")
    return Project.load(file)


def refusal(text: str, folder: Path) -> str:
    with pytest.raises(InputError) as error:
        load(text, folder)
    message = str(error.value)
    assert "\n" not in message
    return message
