"""`kanon-tui levels`, for a person and for a program."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.command_line import kanon


def test_levels(folder: Path) -> None:
    done = kanon("levels", "p.yaml", "--json", folder=folder)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert list(found) == ["attributes"]
    assert list(found["attributes"]) == ["age", "zip"]
    zips = found["attributes"]["zip"]
    assert list(zips[0]) == ["level", "labels", "smallest", "passes", "rv", "ncp"]
    assert [level["labels"] for level in zips] == [8, 2, 2, 1, 1, 1][: len(zips)]
    assert [level["passes"] for level in zips[:2]] == [False, True]
    lines = kanon("levels", "p.yaml", folder=folder).stdout.splitlines()
    assert lines[0].split() == ["attribute", "level", "labels", "smallest", "passes", "RV", "NCP"]
    assert len({len(line) for line in lines}) == 1
    assert lines[1].split()[:5] == ["age", "0", "8", "1", "no"]
