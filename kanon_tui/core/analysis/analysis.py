"""An analysis is declared once; screen, command line, library, help and reference read it.

    @dataclass(frozen=True)
    class OldPeople(Analysis):
        name: ClassVar[str] = "old-people"
        title: ClassVar[str] = "Old people"
        question: ClassVar[str] = "How many records are of old people"
        age: int = declared(80, "The age from which on people are counted", low=0)

        def run(self, subject: Subject, progress: Progress) -> Findings: ...

Its fields are the options, declared as those of algorithms are. Its docstring is the help page. It
looks at a `Subject` and returns `Findings`, which whoever asked shows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, FieldType, fields_of
from kanon_tui.core.fields.located import LocatedValue

if TYPE_CHECKING:
    from kanon_tui.core.analysis.subject import Subject
    from kanon_tui.core.report.sections import Section


class LooksAt(Enum):
    """The kind of thing that an analysis looks at, besides its options."""

    NOTHING = "nothing"
    """Options alone; in the application there is a table, which it may use."""
    TABLE = "table"
    """The table of a project."""
    RELEASE = "release"
    """A release, with the table and the project that it was made of."""


@dataclass(frozen=True)
class Findings:
    """The answer of an analysis: sentences and sections for people, figures for programs."""

    sections: Sequence[Section] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Plain data, which `--json` prints."""
    summary: Sequence[str] = ()
    """Sentences that stand above the sections."""
    answer: Any = None
    """What the function of the library returns instead of the findings, where it is not None."""
    refusal: str = ""
    """Why the privacy that was asked for is not reached; empty where nothing speaks against it."""

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        from kanon_tui.core.report.formats import escaped, section_html

        sentences = (f"<p>{escaped(sentence)}</p>" for sentence in self.summary)
        return "\n".join([*sentences, *map(section_html, self.sections)])


def _goes_on() -> bool:
    return False


def _shows_nothing(findings: Findings) -> None:
    """Ignore findings that are not complete."""


@dataclass(frozen=True)
class Progress:
    """Whoever waits for the findings: may stop the work, and may be shown what is found so far."""

    is_stopped: Callable[[], bool] = _goes_on
    show: Callable[[Findings], None] = _shows_nothing

    def check(self) -> None:
        """Refuse to go on once nobody waits any more."""
        if self.is_stopped():
            raise InputError("stopped")

    def watch(self, done: int, total: int) -> bool:
        """Return whether the work goes on, for functions that report how far they are."""
        return not self.is_stopped()


@dataclass(frozen=True)
class Analysis(ABC):
    """A question about a table or a release, with its options as declared fields."""

    name: ClassVar[str]
    """Its name in lists, on the command line and in the library."""
    title: ClassVar[str]
    """Its name on screens: `Decision trees`."""
    question: ClassVar[str]
    """What it answers, in one line."""
    looks_at: ClassVar[LooksAt] = LooksAt.RELEASE
    command: ClassVar[str | None] = ""
    """Its command; empty for its name, None where a command of another module asks it."""
    function: ClassVar[str | None] = ""
    """Its function in the library; empty for its name, None where another function asks it."""
    key: ClassVar[str] = ""
    """Its key on Results; without one it is in the command palette alone."""
    panel: ClassVar[str] = ""
    """`module:class` of a panel of its own; most have the one that is made from the declaration."""
    returns: ClassVar[str] = "Findings"
    """The class of what its function returns."""
    returns_help: ClassVar[str] = "Its `sections` for people and `figures` for programs."
    example: ClassVar[str] = ""
    """Lines of Python for the reference."""

    def __post_init__(self) -> None:
        """Check the options as a project file checks its keys."""
        for declared_field in fields_of(type(self)):
            value = getattr(self, declared_field.name)
            if value is None and declared_field.type.optional:
                continue
            located = LocatedValue(self.name, declared_field.name, value)
            object.__setattr__(self, declared_field.name, declared_field.read(located))

    @abstractmethod
    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return what is found; raise `InputError` where the options do not fit the subject."""

    @classmethod
    def proposed(cls, subject: Subject) -> Mapping[str, Any]:
        """Return the values of options that a form begins with, where they are not the defaults."""
        return {}

    @classmethod
    def command_name(cls) -> str | None:
        """Return the word that asks it on the command line; None where it has no such command."""
        return cls.name if cls.command == "" else cls.command

    @classmethod
    def function_name(cls) -> str | None:
        """Return the name of its function in the library; None where it has none of its own."""
        return cls.name.replace("-", "_") if cls.function == "" else cls.function


def required_options(analysis: type[Analysis]) -> list[str]:
    """Return the names of the options that have no default."""
    return [
        each.name
        for each in fields(analysis)
        if each.default is MISSING and each.default_factory is MISSING
    ]


def option_help(option: Field, is_required: bool) -> str:
    """Return the explanation of an option, its default in brackets: `values of each (2)`."""
    sentence = option.help[:1].lower() + option.help[1:]
    if is_required or option.default is None or isinstance(option.default, bool):
        return sentence
    return f"{sentence} ({option.text(option.default)})"


# -- types of options that name parts of a table


def column() -> FieldType:
    """Return the type of the name of a column; a form lists those that are published."""
    words = "the name of a column"
    return FieldType(words, lambda located: located.text(words), name="column")


def columns() -> FieldType:
    """Return the type of names of columns: a list, or a text like `a,b`."""
    words = "names of columns like a,b"

    def read(located: LocatedValue) -> tuple[str, ...]:
        if isinstance(located.value, str):
            names = _split(located.value)
        else:
            names = [item.text(words) for item in located.items(words)]
        if not names or not all(names):
            raise located.wrong(words)
        return tuple(names)

    return FieldType(words, read, _joined, name="columns")


def _split(text: str) -> list[str]:
    """Return the names in a text; one with a comma is in double quotes."""
    import csv

    return next(csv.reader([text]), [])


def _joined(names: Sequence[str]) -> str:
    return ",".join(f'"{name}"' if "," in name else name for name in names)


def data_table() -> FieldType:
    """Return the type of a table beside the data: the path of a file, or in Python a frame."""
    words = "the path of a data file"

    def read(located: LocatedValue) -> Any:
        if isinstance(located.value, str) and not located.value.strip():
            raise located.wrong(words)
        return located.value

    return FieldType(words, read, _path_text, name="table")


def _path_text(table: Any) -> str:
    return str(table) if isinstance(table, str | PathLike) else "a table"
