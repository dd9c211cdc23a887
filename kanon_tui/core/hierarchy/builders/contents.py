"""Every way to get a hierarchy, with its keys: the contents page of the builders.

Whatever reads, checks, shows or documents a specification goes by these two tables.
"""

from kanon_tui.core.fields.declaration import Field, text
from kanon_tui.core.hierarchy.builders.builder import FLAT, Builder, lists_by_name
from kanon_tui.core.hierarchy.builders.dates import DATE
from kanon_tui.core.hierarchy.builders.groups import GROUPS
from kanon_tui.core.hierarchy.builders.icd10 import ICD10
from kanon_tui.core.hierarchy.builders.intervals import BREAKS, INTERVALS, QUANTILES
from kanon_tui.core.hierarchy.builders.mask import MASK

BUILDERS: dict[str, Builder] = {
    builder.name: builder
    for builder in (INTERVALS, BREAKS, QUANTILES, MASK, ICD10, DATE, GROUPS, FLAT)
}
"""Ways to build a hierarchy from the values of a column."""

_LEVEL_TABLE = "a mapping from every value to the list of its labels"

SOURCES: dict[str, tuple[Field, ...]] = {
    "file": (
        Field(
            "file",
            text("the name of a file", empty=False),
            help="A level table in ARX's form",
            required="file: zip.csv",
        ),
    ),
    "utd": (
        Field(
            "utd",
            text("the name of an XML file", empty=False),
            help="A configuration of the UTD toolbox",
            required="utd: FILE.xml",
        ),
        Field(
            "attribute",
            text("a name", empty=False),
            help="The name (or index) of the attribute in it; the column's name when not given",
        ),
    ),
    "levels": (
        Field(
            "levels",
            lists_by_name(_LEVEL_TABLE),
            help="The labels of every value from level 1 on",
            required="levels: {VALUE: [LABEL, …], …}",
        ),
    ),
}
"""Level tables that are given, not built: each by the key that tells it and all its keys."""
