"""`kanon-tui algorithms`, for a person and for a program."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.command_line import kanon


def test_algorithms(tmp_path: Path) -> None:
    done = kanon("algorithms", "--json", folder=tmp_path)
    found = {entry["name"]: entry for entry in json.loads(done.stdout)}
    assert list(found["mondrian"]) == ["name", "title", "family", "paper", "parameters"]
    assert found["mondrian"]["family"] == "clustering"
    assert found["mondrian"]["parameters"] == [
        {
            "name": "relaxed",
            "type": "bool",
            "default": False,
            "help": "Records equal to the median may go to either side",
            "low": None,
            "high": None,
            "choices": None,
        }
    ]
    text = kanon("algorithms", folder=tmp_path).stdout
    for name in found:
        assert f"{name}  (" in text
    assert "--set relaxed=false" in text
