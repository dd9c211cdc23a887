"""`kanon-tui check` on a table that anybody made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.command_line import kanon


def test_check_measures_any_table(folder: Path) -> None:
    (folder / "r.csv").write_text("a,b,s\n1,x,u\n1,x,v\n2,y,u\n2,y,u\n2,y,w\n")
    done = kanon("check", "r.csv", "--quasi", "a,b", "--k", "2", "--json", folder=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "records": 5,
        "quasi": ["a", "b"],
        "classes": 2,
        "k": 2,
        "l_distinct": None,
        "l_entropy": None,
        "t": None,
        "p": None,
        "alpha": None,
        "risk_max": 0.5,
        "risk_mean": pytest.approx(0.4),
        "reached": True,
    }
    done = kanon(
        *("check", "r.csv", "--quasi", "a,b", "--k", "3", "--sensitive", "s"), folder=folder
    )
    assert done.returncode == 1
    assert "k = 3 is NOT reached" in done.stdout
    assert "distinct l-diversity                       2" in done.stdout
