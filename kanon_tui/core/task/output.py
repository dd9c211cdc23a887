"""Settings of a project for how a release is written."""

from dataclasses import dataclass
from typing import Literal

from kanon_tui.core.fields.declaration import FieldType, declared, inlined, switch
from kanon_tui.core.table.csv_format import CsvChoice
from kanon_tui.core.text import Note, note

Order = Literal["sorted", "shuffled", "input"]

INPUT_ORDER_WARNING = note(
    "the records stand in the order of the input, and order alone can give people away; "
    "order: sorted reveals nothing that the cells do not"
)

_SHUFFLE = FieldType(
    "true or false", lambda located: "shuffled" if switch().read(located) else "input", name="str"
)
"""Reads `shuffle: true|false`, the former key for the order."""


@dataclass(frozen=True)
class Output:
    """Settings for how the release is written."""

    suppressed: Literal["drop", "star"] = declared(
        "drop", "What becomes of suppressed records: left out, or published with every cell hidden"
    )
    order: Order = declared(
        "sorted",
        "How records are ordered: by all their published cells, by chance (never the seed), or as "
        "in the input, which can give people away",
        formerly=(("shuffle", _SHUFFLE),),
    )
    formulas: Literal["keep", "escape"] = declared(
        "keep",
        "What becomes of cells that a spreadsheet would compute (=, +, -, @): written as they are, "
        "or with an apostrophe before them",
    )
    pseudonym_key: str = declared(
        "pseudonyms.key",
        "The file with the key of pseudonyms, relative to the project file; made when it is not "
        "there, readable by its owner alone, never written over",
        words="the name of a file",
    )
    csv: CsvChoice = declared(factory=CsvChoice, type=inlined(CsvChoice))

    @property
    def warnings(self) -> tuple[Note, ...]:
        """Warnings for the reader of a result."""
        return (INPUT_ORDER_WARNING,) if self.order == "input" else ()
