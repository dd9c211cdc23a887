"""The analyses by name: ours, one file each in `questions`, and those of other packages.

Other packages add theirs through the entry point group `kanon_tui.analyses`. Commands, the command
palette, the keys of Results, the library and the documentation read this list.
"""

from __future__ import annotations

import re
from dataclasses import is_dataclass

from kanon_tui.core.analysis.analysis import Analysis
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.plug_ins import Registry

GROUP = "kanon_tui.analyses"
"""The entry point group of plug-ins: the name of an analysis and where its class is."""
_BUILT_IN = {
    "attack": "linking:LinkingQuestion",
    "attacks": "attacks:AttacksQuestion",
    "feasibility": "feasibility:FeasibilityQuestion",
    "trees": "trees:TreesQuestion",
    "utility": "utility:UtilityQuestion",
    "rerelease": "rerelease:RereleaseQuestion",
    "risk": "risk:RiskQuestion",
}
"""In the order of the command palette."""
RESERVED = frozenset({"data", "release", "json", "help", "project", "show_values"})
"""Names that no option can have: every command or function has an argument of that name."""


def _check(analysis: type[Analysis], where: str) -> None:
    """Refuse an analysis that its command or its panel could not show."""
    if not is_dataclass(analysis) or not analysis.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise InputError(f"{where} is not a frozen dataclass with a method `run`")
    for word in (analysis.name, analysis.command_name()):
        if word is not None and not re.fullmatch("[a-z][a-z0-9-]*", word):
            raise InputError(f"'{word}' is not made of small letters, digits and hyphens")
    for option in fields_of(analysis):
        if option.name in RESERVED:
            raise InputError(f"an option cannot be called '{option.name}'")


ANALYSES: Registry[type[Analysis]] = Registry(
    GROUP,
    Analysis,
    ("name", "title", "question"),
    {name: f"{__package__}.questions.{place}" for name, place in _BUILT_IN.items()},
    _check,
)


def find_analysis(name: str) -> type[Analysis]:
    """Return the analysis of a name; raise InputError where there is none."""
    check_known(name, ANALYSES, f"there is no analysis '{name}'")
    return ANALYSES[name]
