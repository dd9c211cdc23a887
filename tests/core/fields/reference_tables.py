"""The tables of docs/reference.md and docs/algorithms.md, made from the declarations.

python -m tests.core.fields.reference_tables    writes them anew
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.clustering.clustering import BlockClustering, Clustering
from kanon_tui.core.fields.declaration import Field, fields_of
from kanon_tui.core.hierarchy.specification import BUILDERS, SOURCES
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.project.sections import ReleaseContext, ReportTexts, Resources
from kanon_tui.core.table.csv_format import CsvChoice
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.value_formats import NumberFormat, ValueFormats
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.task import Family

_DOCS = Path(__file__).parents[3] / "docs"
PAGES = _DOCS / "reference.md", _DOCS / "algorithms.md"
_MARKED = re.compile(r"<!-- table: (\S+) -->\n(.*?)<!-- end of table -->\n", re.DOTALL)

_SECTIONS: dict[str, tuple[type[Any], ...]] = {
    "": (Project,),
    "data.": (DataSource, ReadOptions, ValueFormats),
    "attributes.NAME.": (AttributeSpec,),
    "attributes.NAME.format.": (NumberFormat,),
    "privacy.": (Privacy,),
    "algorithm.": (AlgorithmChoice,),
    "output.": (Output, CsvChoice),
    "context.": (ReleaseContext,),
    "report.": (ReportTexts,),
    "run.": (Resources,),
}


def project_rows() -> Iterable[tuple[str, Field]]:
    for prefix, owners in _SECTIONS.items():
        for owner in owners:
            for field in fields_of(owner):
                yield f"`{prefix}{field.key or field.name}`", field


def builder_rows() -> Iterable[tuple[str, Field]]:
    for builder in BUILDERS.values():
        for field in builder.keys:
            yield f"`builder: {builder.name}`: `{field.name}`", field
    for fields in SOURCES.values():
        for field in fields:
            yield f"`{field.name}`", field


def parameter_rows() -> Iterable[tuple[str, Field]]:
    """Parameters of algorithms; a parameter that several share has one row."""
    shared: dict[tuple[str, str], tuple[Field, list[str]]] = {}
    for algorithm in ALGORITHMS.values():
        for field in fields_of(algorithm):
            if field not in fields_of(BlockClustering):
                _, names = shared.setdefault((field.name, field.help), (field, []))
                names.append(f"`{algorithm.name}`")
    for field, names in shared.values():
        yield f"{', '.join(names)}: `{field.name}`", field
    for field in fields_of(Clustering):
        yield f"every clustering: `{field.name}`", field
    for field in fields_of(BlockClustering):
        if field not in fields_of(Clustering):
            yield f"every clustering but `mondrian`: `{field.name}`", field


def algorithm_table(family: Family) -> str:
    lines = ["| name | how it works, and when to choose it | paper |", "|---|---|---|"]
    for name, algorithm in ALGORITHMS.items():
        if algorithm.family is family:
            lines.append(f"| `{name}` | {algorithm.summary} | {algorithm.paper} |")
    return "\n".join(lines) + "\n"


def table(rows: Iterable[tuple[str, Field]]) -> str:
    lines = ["| key | meaning | allowed | default |", "|---|---|---|---|"]
    for key, field in rows:
        allowed = field.allowed.replace("|", "\\|")
        lines.append(f"| {key} | {field.help} | {allowed} | {_default(field)} |")
    return "\n".join(lines) + "\n"


def _default(field: Field) -> str:
    if field.required:
        return "required"
    shown = field.write(field.default) if field.default is not None else None
    if shown is None or shown == {} or shown == [] or isinstance(shown, dict):
        return ""
    if isinstance(shown, list | tuple):
        return "`" + ", ".join(map(str, filter(None, shown))) + "`"
    return f"`{str(shown).lower() if isinstance(shown, bool) else shown}`"


TABLES: dict[str, Callable[[], str]] = {
    "project": lambda: table(project_rows()),
    "builders": lambda: table(builder_rows()),
    "parameters": lambda: table(parameter_rows()),
    **{family.value: partial(algorithm_table, family) for family in Family},
}


def with_tables(text: str) -> str:
    """The text with every marked table as the declarations have it."""
    return _MARKED.sub(
        lambda found: f"<!-- table: {found[1]} -->\n{TABLES[found[1]]()}<!-- end of table -->\n",
        text,
    )


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
