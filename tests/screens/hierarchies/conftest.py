"""A folder with the small project that the Hierarchies screen opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screens.hierarchies.driver import COUNTRIES, DATA, PROJECT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "country.csv").write_text(COUNTRIES)
    (tmp_path / "zip.csv").write_text("46201;4620*;462**\n46202;4620*;462**\n46203;4620*;462**\n")
    (tmp_path / "p.yaml").write_text(PROJECT)
    return tmp_path
