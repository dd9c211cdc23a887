"""What is declared of a table, a figure or a claim of a research document."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanon_tui.core.analysis.papers.relations import RELATIONS
from kanon_tui.core.fields.declaration import (
    choice,
    declared,
    list_of,
    mapping_of,
    number,
    optional,
    section,
    text,
    whole_number,
)

PAPERS = {
    "morton": "Morton",
    "byun": "Byun",
    "sbc": "SBC",
    "sd": "SD",
    "cka": "CKA",
}
"""Short names of the documents as `sample_data/SOURCES.md` explains them, by the start of an id."""

STATES = {
    "equal": "a run gives what is printed",
    "holds": "what is claimed is true at every point of our series",
    "differs": "a run gives something else, and why is said",
    "constructed": "the result is printed but not its data or method; ours were chosen to give it",
    "drawing": "explains an idea, has no figures to repeat",
    "not public": "the data was never published",
}
NEED_REASONS = ("differs", "constructed", "not public")
"""States that say why."""

_ID = re.compile(rf"({'|'.join(PAPERS)})(-[a-z0-9]+)+")
_TEXT = text(empty=False)
_FIGURES = list_of(number(), "a list of numbers", empty=False)
_COUNTS = list_of(whole_number(1), "a list of whole numbers", empty=False)
_PARAMETERS = mapping_of(text(), "a mapping of parameters")


@dataclass(frozen=True)
class Method:
    """An algorithm as a document ran it."""

    algorithm: str = declared(help="Its name", required="algorithm: NAME")
    parameters: Mapping[str, str] = declared(
        help="Parameters that differ from their defaults",
        type=_PARAMETERS,
        key="set",
        factory=dict,
    )

    @property
    def words(self) -> str:
        """The options of a command that choose it."""
        options = [f"--set {name}={value}" for name, value in self.parameters.items()]
        return " ".join([f"--algorithm {self.algorithm}", *options])


@dataclass(frozen=True)
class PrintedFigures:
    """Figures that a document prints and a run of a bundled project gives."""

    what: str = declared(help="What is counted", required="what: TEXT")
    project: str = declared(help="A project below sample_data", required="project: FILE")
    measure: str = declared(help="Its keys in the report", required="measure: metrics.ncp")
    printed: tuple[float, ...] = declared(
        help="The printed figures", type=_FIGURES, required="printed: [1]"
    )
    ours: tuple[float, ...] = declared(help="What runs give", type=_FIGURES, required="ours: [1]")
    k: tuple[int, ...] = declared((), "Values of k; those of the project", type=_COUNTS)
    method: Method | None = declared(
        None, "The algorithm; that of the project", type=optional(section(Method))
    )

    def commands(self) -> list[str]:
        """Return the command for each figure."""
        words = "" if self.method is None else f" {self.method.words}"
        start = f"kanon-tui run sample_data/{self.project}{words}"
        return [f"{start} --k {k}" for k in self.k] or [start]


@dataclass(frozen=True)
class Simulation:
    """A success rate that a document prints and `kanon-tui simulate` gives."""

    attributes: int = declared(help="How many attributes", required="attributes: 3")
    k: int = declared(help="k", required="k: 3")
    records: int = declared(help="Records of a table", required="records: 50")
    repeats: int = declared(help="Tables", required="repeats: 50")
    printed: float = declared(help="The printed rate in percent", required="printed: 68")
    ours: float = declared(help="Our rate in percent", required="ours: 72")

    def command(self) -> str:
        """Return the command that gives the rate."""
        settings = f"--attributes {self.attributes} --k {self.k} --records {self.records}"
        return f"kanon-tui simulate {settings} --repeats {self.repeats}"


@dataclass(frozen=True)
class CurveClaim:
    """A claim of a document about curves whose points it does not print."""

    says: str = declared(help="The claim in a sentence", required="says: TEXT")
    relation: str = declared(
        help="What has to be true of the series",
        type=choice(tuple(RELATIONS)),
        required=f"relation: {', '.join(RELATIONS)}",
    )
    measure: str = declared(help="Its keys in the report", required="measure: metrics.ncp")
    project: str = declared(help="A project below sample_data", required="project: FILE")
    methods: Mapping[str, Method] = declared(
        help="What is compared, the one that the claim is about first",
        type=mapping_of(section(Method), "a mapping of methods"),
        required="methods: {sbc: {algorithm: sbc}}",
    )
    k: tuple[int, ...] = declared(
        help="Values of k", type=_COUNTS, required="k: [2, 5, 10, 20, 50, 100]"
    )
    records: tuple[int, ...] = declared(
        (), "First records of the table; all of them if not given", type=_COUNTS
    )

    @property
    def is_about_limits(self) -> bool:
        """Whether it compares a release with limits to one without, or counts violations."""
        algorithms = {method.algorithm for method in self.methods.values()}
        return "gcka" in algorithms or self.measure.startswith("privacy.violat")

    @property
    def over_records(self) -> bool:
        """Whether its curves are drawn over the size of the table."""
        return len(self.records) > 1


@dataclass(frozen=True)
class Entry:
    """A table, a figure or a claim of a document, and its state."""

    id: str = declared(
        help="A short name: the document, table or figure, number, and what of it",
        type=text("letters, digits and dashes", fits=lambda word: bool(_ID.fullmatch(word))),
        required="id: sbc-table-4-1",
    )
    where: str = declared(help="Where it stands", type=_TEXT, required="where: table 4-1")
    what: str = declared(help="What it shows", type=_TEXT, required="what: TEXT")
    state: str = declared(
        help="How far it is repeated", type=choice(tuple(STATES)), required="state: equal"
    )
    why: str = declared("", "Why it differs, or what else to know")
    here: str = declared("", "How it is repeated: a sample, an option, a test")
    command: str = declared("", "A command that shows it")
    figures: tuple[PrintedFigures, ...] = declared(
        (), "Figures that runs give", type=list_of(section(PrintedFigures), "a list of figures")
    )
    simulation: Simulation | None = declared(
        None, "A rate that a simulation gives", type=optional(section(Simulation))
    )
    claim: CurveClaim | None = declared(
        None, "What is said of curves", type=optional(section(CurveClaim))
    )

    @property
    def paper(self) -> str:
        """The short name of its document."""
        return PAPERS[self.id.partition("-")[0]]

    @property
    def commands(self) -> list[str]:
        """The commands that repeat it; none for a drawing."""
        commands = [command for figures in self.figures for command in figures.commands()]
        if self.simulation is not None:
            commands.append(self.simulation.command())
        if self.claim is not None:
            commands.append(f"kanon-tui papers {self.id}")
        if self.command:
            commands.append(self.command)
        return commands

    @property
    def short_name(self) -> str:
        """Its name without the words table and figure: `sbc-4-1`."""
        return re.sub("-(table|figure)-", "-", self.id, count=1)

    def listed(self) -> dict[str, Any]:
        """Return the entry as the list for programs has it."""
        names = ("id", "paper", "where", "what", "state", "why")
        return {name: getattr(self, name) for name in names} | {"command": "; ".join(self.commands)}


ENTRIES = list_of(section(Entry), "a list of entries")
