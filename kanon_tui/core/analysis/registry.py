"""The analyses: one entry per question, found by name and imported on demand.

Commands, the command palette, the keys of Results and the documentation read this list. To add an
analysis, write its module and add an entry.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from kanon_tui.core.errors import check_known


@dataclass(frozen=True)
class Analysis:
    """One question about a table, a project or a release, and where its answer is computed."""

    name: str
    title: str
    summary: str
    function: str
    """`module:function`, below `kanon_tui.core.analysis`."""
    command: str = ""
    """The command that asks it; empty where there is none."""
    key: str = ""
    """The key on Results; empty where no panel asks it."""
    screen: str = ""
    """`module:class` of its panel, below `kanon_tui.screens.analyses`."""

    def load(self) -> Callable[..., Any]:
        """Import and return the function that answers the question."""
        module, function = self.function.split(":")
        found: Callable[..., Any]
        found = getattr(import_module(f"kanon_tui.core.analysis.{module}"), function)
        return found


ANALYSES = (
    Analysis(
        "attack", "Linking attack", "Who can be found with an outsider's table",
        "attack.linking:linking_attack", "attack", "L", "attack:AttackScreen",
    ),
    Analysis(
        "attacks", "Attacks", "What outsiders could learn, in people",
        "attack.suite:attack_release", "attack", "S", "attack:AttacksScreen",
    ),
    Analysis(
        "feasibility", "k feasibility", "How many records k needs",
        "feasibility:feasibility", "simulate", "F", "feasibility:FeasibilityScreen",
    ),
    Analysis(
        "trees", "Decision trees", "What trees learn from the release",
        "trees.partition:partition", "partition", "T", "utility:PartitionScreen",
    ),
    Analysis(
        "utility", "Utility", "Results of analyses before and after",
        "utility.utility:measure_utility", "utility", "U", "utility:UtilityScreen",
    ),
    Analysis(
        "rerelease", "Earlier release", "Whom two releases expose together",
        "attack.two_releases:two_releases", "rerelease", "B", "attack:RereleaseScreen",
    ),
    Analysis(
        "risk", "Risk models", "Risk by knowledge of the population",
        "population_risk:release_risk", "risk", "M", "risk_models:RiskModelsScreen",
    ),
    Analysis(
        "uniques", "Minimal uniques", "Which combinations of attributes single people out",
        "minimal_uniques:minimal_uniques", "uniques",
    ),
    Analysis(
        "sweep", "What-if sweep", "The same table under several algorithms and values of k",
        "sweep.sweep:sweep", "sweep",
    ),
    Analysis(
        "apply", "Apply a mapping", "An earlier release's recoding on new records",
        "applying.apply:apply_mapping", "apply",
    ),
)  # fmt: skip
"""In the order of the command palette."""


def find_analysis(name: str) -> Analysis:
    """Return the analysis of a name; raise InputError where there is none."""
    known = {analysis.name: analysis for analysis in ANALYSES}
    check_known(name, known, f"there is no analysis '{name}'")
    return known[name]
