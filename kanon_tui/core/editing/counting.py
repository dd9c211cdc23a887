"""Counting a table beyond memory in the background, and its effect on the project.

Guesses were made on a sample. Once all records are counted, those that nobody has touched become
what the whole table says; what a person has set stays, and is told of where it does not fit.
"""

from dataclasses import dataclass, replace

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError, in_screen_words
from kanon_tui.core.pipeline.engine_choice import memory_limit, spill_folder
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.pipeline.sampled_table import TableCoding
from kanon_tui.core.processes.memory_limit import AT_LEAST, MemoryLimit
from kanon_tui.core.project.guesses import guessed_project
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import joined

_ROOM = 100_000_000
"""Bytes that lists of values may always take, even where no run could start."""


@dataclass(frozen=True)
class CountingOutcome:
    """The outcome of reading the whole table."""

    table: Table
    completed: Project
    """The project as it was opened, filled in from the whole table."""
    messages: tuple[str, ...]
    """Sentences about differences from the sample."""


def counting_of(session: Session) -> TableCoding | None:
    """Return the pass that reads the whole table; None where it is read already."""
    if not session.uncounted() or session.sampled is None:
        return None
    limit = MemoryLimit(max(memory_limit(session.project).allowed, AT_LEAST + _ROOM))
    spared = frozenset((*session.names(Role.IDENTIFIER), *session.names(Role.PERSON)))
    folder = spill_folder(session.project)
    return TableCoding(session.sampled, session.data_path, folder, limit, spared)


def count(session: Session, counting: TableCoding) -> CountingOutcome:
    """Read the whole table and return the outcome, without changing the session."""
    table = counting.run()
    earlier_attributes = session.completed.attributes
    project = session.project
    opened = {
        name: AttributeSpec(guessed=True) if spec.guessed else spec
        for name, spec in session.opened.attributes.items()
    }
    opened |= {name: project.attributes[name] for name in table.given_up}
    completed = guessed_project(replace(session.opened, attributes=opened), table)
    messages = []
    for name, after in completed.attributes.items():
        current = project.attributes[name]
        before = earlier_attributes[name]
        if after != before and current == before:
            messages.append(f"{name} is {_differences(before, after)} in the whole file")
            current = after
        if name in counting.names and (problem := _reading_problem(table, name, current)):
            messages.append(problem)
    return CountingOutcome(table, completed, tuple(messages))


def _differences(before: AttributeSpec, after: AttributeSpec) -> str:
    words = []
    if after.role is not before.role and isinstance(after.role, Role):
        words.append(str(after.role))
    if after.kind is not before.kind:
        words.append(str(after.kind))
    if not words:
        words.append("written in another way")
    return joined(words)


def _reading_problem(table: Table, name: str, spec: AttributeSpec) -> str:
    try:
        coded_column(table, name, spec)
    except KanonError as error:
        return in_screen_words(error)
    return ""
