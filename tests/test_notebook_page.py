"""docs/notebook.ipynb runs from its first cell to its last, as somebody would run it."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.commands.command_line import PATIENCE
from tests.paths import ROOT, SAMPLES

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for sample in ("census", "mondrian"):
        shutil.copytree(SAMPLES / sample, tmp_path / sample)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    shown = [output["data"] for output in outputs if "data" in output]
    assert any("text/html" in data and "was verified" in data["text/html"] for data in shown)
    assert any(
        "application/vnd.vegalite.v6+json" in data or "altair" in str(data) for data in shown
    )
    assert any("Close a class" in str(output.get("text", "")) for output in outputs)


def test_the_notebook_is_kept_without_output() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
