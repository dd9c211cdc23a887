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
    own = [each["name"] for each in found["mondrian"]["parameters"]]
    assert own[:2] == ["cut", "relaxed"]  # what all clusterings have follows
    assert "blocks" not in own
    assert "blocks" in [each["name"] for each in found["k-member"]["parameters"]]
    assert found["mondrian"]["parameters"][1] == {
        "name": "relaxed",
        "type": "bool",
        "default": False,
        "help": "Records equal to the median may go to either side; the cut is then at the median",
        "low": None,
        "high": None,
        "choices": None,
    }
    text = kanon("algorithms", folder=tmp_path).stdout
    for name in found:
        assert f"{name}  (" in text
    assert "--set relaxed=false" in text
