"""A result as a notebook shows it: a few records before and after, the figures, the class sizes.

The left side of the records is original data, and notebooks are saved and passed on. So only
quasi-identifiers stand there, never an identifier or what is sensitive, and a line says it.
"""

from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.formats import section_html
from kanon_tui.core.report.sections import Section, class_sizes_section, figure

_RECORDS = 5
_CLEAR = (
    "Left of the arrow stands original data: clear this output before you pass the notebook on."
)


def notebook_html(result: FinishedRun) -> str:
    """Return the result as HTML without scripts or styles, for a cell of a notebook."""
    measures = result.measures
    task = result.task
    figures = {
        "k reached": measures.privacy.k,
        "classes": measures.classes,
        "NCP": measures.ncp,
        "research value": measures.rv,
        "suppressed": measures.suppressed_records,
    }
    sentence = f"k = {task.k}, {task.n:,} records. The release was verified."
    cautions = [f"{caution.sentence}." for caution in result.cautions]
    shown = [tuple(map(figure, figures.values()))]
    sections = (
        Section(result.algorithm.title, [sentence, *cautions], tuple(figures), shown),
        _before_and_after(result),
        class_sizes_section(result),
    )
    return "\n".join(map(section_html, sections))


def _before_and_after(result: FinishedRun) -> Section:
    release = result.release
    quasi = result.task.quasi
    published_rows = [row for row in release.order if not release.suppressed[row]][:_RECORDS]
    names = [attribute.name for attribute in quasi]
    rows = []
    for row in published_rows:
        before = [
            str(quasi_identifier.column.values[quasi_identifier.column.codes[row]])
            for quasi_identifier in quasi
        ]
        after = [cells.texts[cells.codes[row]] for cells in release.cells]
        rows.append([*before, "→", *after])
    return Section("Records", [_CLEAR], [*names, "", *names], rows)
