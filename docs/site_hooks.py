"""Pages of the site that live in the project's folder: security, contributing, changes.

They are written to be read there. On the site they stand among the other pages, so their links lose
the folder `docs/`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
PAGES = {
    "security.md": "SECURITY.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "samples.md": "sample_data/README.md",
    "sample-sources.md": "sample_data/SOURCES.md",
}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that other folders have."""
    for page, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        text = text.replace("](SOURCES.md)", "](sample-sources.md)")
        text = text.replace("](../docs/", "](").replace("](SECURITY.md)", "](security.md)")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "notebook.md", content=_notebook()))
    return files


def _notebook() -> str:
    """Return the notebook as a page: its texts, and its code in fences."""
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    parts = [
        "".join(cell["source"]) if cell["cell_type"] == "markdown"
        else f"```python\n{''.join(cell['source'])}\n```"
        for cell in cells
    ]  # fmt: skip
    return "\n\n".join([*parts, "[The notebook as a file](notebook.ipynb) runs in Jupyter."])
