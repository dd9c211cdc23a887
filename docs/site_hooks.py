"""Pages of the site that are not in docs/: those of the project's folder, and one per algorithm.

Security, contributing and changes are written to be read in the project's folder. On the site they
stand among the other pages, so their links lose the folder `docs/`. The page of an algorithm is
what `kanon-tui explain` prints, in algorithms/.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.teaching.manual import IN_PYTHON, PSEUDO_CODE, ManualPage, manual_page

ROOT = Path(__file__).parent.parent
PAGES = {
    "security.md": "SECURITY.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "samples.md": "sample_data/README.md",
    "sample-sources.md": "sample_data/SOURCES.md",
}


MOST_DECISIONS = 12
"""Of the run that ends the page of an algorithm."""


def on_config(config: Any) -> Any:
    """List the pages of the algorithms below the page about all of them."""
    pages = [{name: f"algorithms/{name}.md"} for name in ALGORITHMS]
    reference = next(part["Reference"] for part in config["nav"] if "Reference" in part)
    place = reference.index({"Algorithms": "algorithms.md"})
    reference.insert(place + 1, {"One by one": pages})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that other folders have, and those of the algorithms."""
    for page, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        text = text.replace("](SOURCES.md)", "](sample-sources.md)")
        text = text.replace("](../docs/", "](").replace("](SECURITY.md)", "](security.md)")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "notebook.md", content=_notebook()))
    for name, algorithm in ALGORITHMS.items():
        text = _with_code_beside(manual_page(algorithm, MOST_DECISIONS))
        files.append(File.generated(config, f"algorithms/{name}.md", content=text))
    return files


def _with_code_beside(page: ManualPage) -> str:
    """Return the page of an algorithm with pseudo-code and Python in two columns.

    There is room for them without the table of contents; a narrow window has one below the other.
    """
    columns = PSEUDO_CODE, IN_PYTHON
    if not {passage.heading for passage in page.passages}.issuperset(columns):
        return page.markdown()
    parts = ["---\nhide: [toc]\n---\n", f"# {page.title}\n"]
    for passage in page.passages:
        text = passage.markdown()
        if passage.heading in columns:
            text = f"<div markdown>\n\n{text}\n</div>\n"
        if passage.heading == PSEUDO_CODE:
            text = f'<div class="beside" markdown>\n{text}'
        if passage.heading == IN_PYTHON:
            text = f"{text}</div>\n"
        parts.append(text)
    return "\n".join(parts)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Link the algorithms in the tables of the page about all of them to their own pages."""
    if page.file.src_uri != "algorithms.md":
        return markdown
    for name in ALGORITHMS:
        markdown = markdown.replace(f"\n| `{name}` |", f"\n| [`{name}`](algorithms/{name}.md) |")
    return markdown


def _notebook() -> str:
    """Return the notebook as a page: its texts, and its code in fences."""
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    parts = [
        "".join(cell["source"]) if cell["cell_type"] == "markdown"
        else f"```python\n{''.join(cell['source'])}\n```"
        for cell in cells
    ]  # fmt: skip
    return "\n\n".join([*parts, "[The notebook as a file](notebook.ipynb) runs in Jupyter."])
