"""The commands: the help page and the arguments of each, in the order of the general help page.

A command is a class here, whose docstring describes it, and a module of the same name with the
function `execute(args)`. That module is imported when the command is executed, so that help pages
answer at once. To add a command, declare it here and write its module.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar

from kanon_tui.commands.readers import (
    a_file,
    assignment,
    file_name,
    k_values,
    names,
    port,
    release_place,
    share,
    whole_number,
)
from kanon_tui.core.table.data_files import TABLE_ENDINGS

_SHORT = 40
"""Characters of a list of choices that a usage line has room for."""


@dataclass(frozen=True)
class Argument:
    """An argument of a command, as argparse takes it."""

    name: str
    settings: dict[str, Any]


def argument(
    name: str,
    metavar: str | None,
    help: str,
    read: Callable[[str], Any] | None = None,
    **settings: Any,
) -> Argument:
    """Return an argument whose text `read` turns into a value; without dashes it is a position."""
    return Argument(name, {"metavar": metavar, "help": help, "type": read, **settings})


def file_argument(name: str, help: str, metavar: str = "FILE", **settings: Any) -> Argument:
    """Return an argument that names a file."""
    return argument(name, metavar, help, a_file, **settings)


def choice(name: str, choices: Sequence[str], help: str, default: str | None = None) -> Argument:
    """Return an option with one of these values."""
    settings: dict[str, Any] = {"choices": choices, "help": help, "default": default}
    if len(",".join(choices)) > _SHORT:
        settings |= {"metavar": name.strip("-").upper(), "help": f"{help}: {', '.join(choices)}"}
    return Argument(name, settings)


def assignments(name: str, metavar: str, help: str) -> Argument:
    """Return an option `NAME=VALUE` that may be repeated."""
    return argument(name, metavar, help, assignment, action="append", default=[])


def flag(name: str, help: str) -> Argument:
    """Return an option without a value."""
    return Argument(name, {"action": "store_true", "help": help})


def add_arguments(parser: argparse.ArgumentParser, arguments: Iterable[Argument]) -> None:
    """Add arguments to a parser."""
    for each in arguments:
        parser.add_argument(each.name, **each.settings)


PROJECT = file_argument("project", "a project file (.yaml)", "PROJECT")
MADE_BY = file_argument("project", "the project (.yaml) that made the release", "PROJECT")
RELEASE = file_argument("--release", "what was published", required=True)
JSON = flag("--json", "print JSON instead of text")
FORCE = flag("--force", "replace existing files")
COUNT = whole_number(1)
OVERRIDES = (
    argument("--algorithm", "NAME", "instead of the project's; see 'kanon-tui algorithms'"),
    argument("--k", "N", "instead of the project's k", COUNT),
    argument("--seed", "N", "instead of the project's seed", whole_number(0)),
)
CONSENT = (
    flag("--trust", "use the Dask scheduler and environment variables that the project names"),
    flag("--insecure", "allow a scheduler without TLS: whoever reaches it can run code as you"),
)
"""Flags that no project can set."""


class Command:
    """A command of the command line; the docstring of its class is its help page."""

    arguments: ClassVar[tuple[Argument, ...]] = ()
    parts: ClassVar[Mapping[str, tuple[str, tuple[Argument, ...]]]] = MappingProxyType({})
    """Words that follow its name, each with a line of help and arguments of its own."""

    @classmethod
    def name(cls) -> str:
        """Return the name that is typed: `export-mapping`."""
        return re.sub("(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def execute(cls, args: argparse.Namespace) -> int:
        """Import the module of the command and run it; return the exit code, 0 for None."""
        module = import_module(f"{__package__}.{cls.name().replace('-', '_')}")
        return module.execute(args) or 0


class Run(Command):
    """Anonymise a table or a project without the screen.

    FILE is a project (.yaml), a configuration of the UTD toolbox (.xml) or a data file; - is
    standard input. Of a data file --quasi, --sensitive and --identifier name the roles, and columns
    that are not named are left out. Roles that are only guessed need --accept-guesses.

    The release is verified before anything is written. Without --out and --report nothing is
    written and a summary is printed; --out - prints the release as CSV, --json the report. Exit
    code 1 when no release was found, 2 for bad input, 3 when a scheduler, database or disk failed.

    The report is a dossier to sign. The public report tells nothing about records that are not in
    the release; HTML is public unless --internal is given. With --earlier nothing is written where
    both releases together leave somebody fewer than k candidates. Without --scheduler, --engine
    dask starts a cluster on this machine.
    """

    arguments = (
        argument(
            "project", "FILE", "a project (.yaml), a data file, or - (standard input)", file_name
        ),
        argument("--quasi", "a,b", "the quasi-identifiers of a data file", names),
        argument("--sensitive", "a,b", "its sensitive attributes", names),
        argument("--identifier", "a,b", "its columns that identify people", names),
        flag("--accept-guesses", "run although roles and rows to skip are only guessed"),
        *OVERRIDES,
        assignments(
            "--set",
            "PARAM=VALUE",
            "a parameter of the algorithm, max_suppression, suppress or ties; may be repeated",
        ),
        argument("--levels", "NAME=N,...", "publish these levels if they pass (others: the root)"),
        argument(
            "--out",
            "FILE",
            f"the release: {', '.join(TABLE_ENDINGS)}, a folder, - (standard output), or a table "
            "of a database (sqlite:///FILE#TABLE, postgresql+psycopg://HOST/DATABASE#TABLE)",
            release_place,
        ),
        argument("--partition-by", "a,b", "with --out FOLDER/: folders by published cells", names),
        file_argument("--mapping", "the mapping as .json, for 'kanon-tui apply' and new records"),
        file_argument("--report", "the report: .json, .md, .html or .pdf"),
        file_argument(
            "--annex", "what stays inside: hash of the input, seed, command; .md, .html, .pdf"
        ),
        flag("--public", "report nothing that depends on records outside the release"),
        flag("--internal", "report everything in HTML, too"),
        flag("--json", "print the report as JSON instead of a summary"),
        flag("--quiet", "print no summary"),
        flag("--dry-run", "print what would happen, and do nothing"),
        flag("--progress", "print the progress to stderr every few seconds, as plain lines"),
        file_argument("--earlier", "an earlier release of the same people, to be counted together"),
        argument(
            "--hold-out", "SHARE", "the share of records to keep aside first, in --control", share
        ),
        file_argument(
            "--control", "with --hold-out: the records kept aside (.csv), never to publish"
        ),
        flag("--attacks", "put the results of all attacks into the internal report"),
        flag("--repair", "with --earlier: generalise further instead of refusing"),
        FORCE,
        flag("--timings", "print to stderr the wall time of every phase, and the processor time"),
        argument("--memory", "SIZE", "the most memory to take, like 4GB; streams where needed"),
        choice(
            "--engine",
            ("auto", "memory", "stream", "dask"),
            "where the work happens; auto: in memory where that fits",
        ),
        argument("--scheduler", "ADDRESS", "of a Dask cluster, like tls://host:8786"),
        *CONSENT,
    )


class Sweep(Command):
    """Compare algorithms and values of k on one table.

    Every point is a whole run whose release is verified and measured. Points run side by side on
    all cores; full-domain searches share what they have counted. A point without a release says
    why. Exit code 1 when no point has one.
    """

    arguments = (
        PROJECT,
        argument("--k", "K,K,...", "values of k, 2,3,5,10,25,50,100 where not given", k_values),
        argument("--algorithms", "A,B,...", "names, the project's own where not given", names),
        argument(
            "--attributes",
            "A,B,...",
            "quasi-identifiers to use, the others are left out; repeat it for several subsets",
            names,
            action="append",
        ),
        file_argument("--out", "the table or its plots: .csv, .json or .svg"),
        FORCE,
        *CONSENT,
        JSON,
    )


class Check(Command):
    """Measure a table that is already anonymised, whoever made it.

    Exit code 1 when its smallest class has fewer than k records, or people where --person says
    whose each row is.
    """

    arguments = (
        file_argument("file", "csv, tsv or parquet"),
        argument("--quasi", "a,b,c", "the quasi-identifiers", names, required=True),
        argument("--k", "N", "the smallest class allowed", COUNT, required=True),
        argument("--subset-size", "M", "ask k of any M quasi-identifiers, not of all", COUNT),
        argument("--sensitive", "NAME", "a sensitive attribute to measure"),
        argument("--person", "NAME", "whose each row is: people are counted, not rows"),
        JSON,
    )


class Risk(Command):
    """How likely people are found: three models of risk, uniques, k-map and δ-presence.

    FILE is a table, whose quasi-identifiers --quasi names, or a project (.yaml): then its data as
    they are, or a release of it. The population is known by its size, by survey weights or by a
    table. Exit code 1 where --k-map is not reached.
    """

    arguments = (
        file_argument("file", "a table, or a project (.yaml)"),
        argument("--quasi", "a,b,c", "the quasi-identifiers of a table", names),
        argument("--person", "NAME", "whose each row is: people are counted, not rows"),
        file_argument("--release", "a release of the project, not its data"),
        argument("--population", "N", "people of the population", COUNT),
        argument("--weights", "NAME", "a column of survey weights"),
        file_argument("--population-table", "the people of the population"),
        argument("--k-map", "K", "people that every row must fit", COUNT),
        argument("--threshold", "SHARE", "a risk that is too high", share, default=0.2),
        JSON,
    )


class Levels(Command):
    """Show the levels of every attribute: labels, smallest group, whether k is kept, RV and NCP."""

    arguments = (PROJECT, JSON)


class Explain(Command):
    """Tell a run in numbered plain sentences, decision by decision, or as a handout with pictures.

    WHAT is a project file, a bundled sample, or an algorithm, which is told on the sample that
    shows it best. Meant for small tables. Exit code 1 when no release was found.
    """

    arguments = (
        argument("what", "WHAT", "a project (.yaml), a sample or an algorithm", file_name),
        *OVERRIDES,
        argument("--from", "N", "first step", COUNT, default=1, dest="first"),
        argument("--to", "N", "last step", COUNT, dest="last"),
        argument("--most", "N", "the most decisions to print (200)", COUNT, default=200),
        file_argument("--out", "write a handout with pictures: .html or .md"),
        FORCE,
    )


class Uniques(Command):
    """Show which combinations of attributes give people away.

    Every set of up to --most quasi-identifiers is counted: the fewest records that share their
    values (its k), and the records that it singles out although no smaller part of it does (minimal
    sample uniques, as in special unique detection). Columns that are published as they are and
    still single many people out are named too. No value of the table is printed, but with
    --remedies: then the project is run, people whom k does not protect are counted, the values and
    records with the highest scores are named, and remedies are tried by running again with each.
    """

    arguments = (
        PROJECT,
        argument("--most", "N", "the largest sets (3)", COUNT, default=3),
        argument("--attributes", "a,b", "columns instead of the quasi-identifiers", names),
        flag("--remedies", "run the project, and try what would help"),
        file_argument("--scores", "write the score of every record (.csv)"),
        FORCE,
        JSON,
    )


class Simulate(Command):
    """Estimate how likely a table of some shape is k-anonymous as it stands.

    Random tables are drawn, every attribute with the same number of equally frequent values; the
    success rate is the share of them in which no class has fewer than k records.
    """

    arguments = (
        argument("--attributes", "M", "number of attributes", COUNT, required=True),
        argument("--k", "K", "the smallest class allowed", COUNT, required=True),
        argument("--records", "N", "number of records", COUNT, required=True),
        argument("--values", "V", "values per attribute (2)", COUNT, default=2),
        argument("--repeats", "R", "tables that are drawn (200)", COUNT, default=200),
        argument("--seed", "S", "of the random numbers (0)", whole_number(0), default=0),
        JSON,
    )


class Attack(Command):
    """Attack a release: what could an outsider learn from it?

    With --external and --on, people of an outsider's table are looked up in the original and in the
    release; a published range, set, label or mask matches what it covers. With --kind, the attacks
    of the suite are tried on the people of the data; --control names people who were not in the
    data, on whom the same attack shows what holds for everybody. --with makes a release of the same
    data with a counter-measure and shows the attacks on both side by side. A release of 'run
    --algorithm NAME' is attacked with the same options. Counts and published cells are printed,
    nothing about any person.
    """

    kinds = (
        "singling-out", "downcoding", "linkability", "composition", "inference", "refinement",
        "minimality", "all",
    )  # fmt: skip
    arguments = (
        MADE_BY,
        RELEASE,
        file_argument("--external", "the linking attack: what an outsider has"),
        argument(
            "--on", "a,b", "the attributes both have, or the first of two parties knows", names
        ),
        choice("--kind", kinds, "an attack of the suite, or all of them"),
        file_argument("--control", "people who were not in the data"),
        argument(
            "--with",
            "PARAM=VALUE",
            "release again with a counter-measure, and attack that too; l=2, "
            "publish=rounded (repeatable; several joined by a comma)",
            action="append",
            default=[],
        ),
        file_argument("--earlier", "composition: an earlier release of the same people"),
        *OVERRIDES,
        JSON,
    )


class Partition(Command):
    """Grow a decision tree for an attribute on the original and on a release, side by side.

    Accuracy and AUC are cross-validated on each table's own cells. `kept` is the release's accuracy
    divided by the original's; the baseline is the accuracy of always guessing the commonest value.
    Where published cells reach to the other side of a split, every group is counted without them,
    too. Without --attributes the trees may ask about all that is published, except what tells the
    target by itself without being generalised.

    With --rows clusters the release has one row per cluster. With --overlap nodes a cell overlaps
    when it shares a value with any cell of the other side of a split, and ranges are asked for
    where they begin: Morton's reading.
    """

    arguments = (
        MADE_BY,
        RELEASE,
        argument("--target", "NAME", "the attribute to predict", required=True),
        argument("--attributes", "a,b", "what the trees may ask about (see above)", names),
        argument("--leaves", "N", "the most leaves (8)", whole_number(2), default=8),
        argument("--smallest", "N", "the fewest records of a leaf (one in a hundred)", COUNT),
        choice(
            "--rows", ("records", "clusters"), "what a row of the release is (records)", "records"
        ),
        choice(
            "--overlap",
            ("straddling", "nodes"),
            "what overlaps at a split (straddling)",
            "straddling",
        ),
        JSON,
    )


class Utility(Command):
    """Compare what analyses find in the original and in a release.

    Published ranges, labels and sets are spread over the values of the original that they cover.
    Distances are total variation (0 the same, 1 nothing in common), associations Cramer's V. With
    --target, models for that attribute are cross-validated on each table's own cells.
    """

    arguments = (
        MADE_BY,
        RELEASE,
        argument("--target", "NAME", "what models predict; of a number, means are compared too"),
        JSON,
    )


class Rerelease(Command):
    """Check a release against an earlier one of the same people: do the two single somebody out?

    Everybody must keep k candidates when both are joined. Only counts are printed, nothing about
    any person. Exit code 1 where somebody has fewer.
    """

    arguments = (
        MADE_BY,
        file_argument("--release", "what is to be published", required=True),
        file_argument("--earlier", "what was published before", required=True),
        JSON,
    )


class Verify(Command):
    """Prove a release from the original data, the project and the release alone.

    Nothing is taken from the run that made it. It is checked that the release has the columns of
    the project and no other, that every row stands for a record of the data, and that all the
    privacy that the project asks for is there. Where people have several records and classes
    overlap, something may stay undecided; it is marked with '?'. Exit code 1 where something
    does not hold or is undecided.
    """

    arguments = (
        file_argument("release", "what was published", "RELEASE"),
        file_argument("--project", "the project (.yaml) that made the release", required=True),
        file_argument("--data", "the original data, instead of the file that the project names"),
        JSON,
    )


class Apply(Command):
    """Publish new records as an earlier release published its own.

    MAPPING is what 'run --mapping FILE.json' or the application exported: levels and hierarchies of
    a full-domain run, or the classes of a clustering. Records with values that it does not cover
    and records in classes below k are left out, or nothing is written, as chosen. Titles and totals
    of the file are left out with the values that are not covered, and counted. The new release
    reaches k by itself; with --earlier the two are counted together, too. Exit code 1 when it is
    refused.
    """

    how = ("suppress", "refuse")
    arguments = (
        file_argument("mapping", "the exported mapping (.json)", "MAPPING"),
        file_argument("file", "the new records"),
        file_argument("--out", f"the new release: {', '.join(TABLE_ENDINGS)}"),
        choice("--uncovered", how, "records with values that it does not cover (suppress)", how[0]),
        choice(
            "--below-k", how, "records in classes that miss what is required (suppress)", how[0]
        ),
        file_argument("--earlier", "the earlier release; both together must reach k as well"),
        FORCE,
        JSON,
    )


class ExportMapping(Command):
    """Write the recoding of a release as SQL that a database or Spark applies to its rows itself.

    MAPPING is what 'run --mapping FILE.json' or the application exported. The query publishes the
    rows of a table as the release was published; what the release does not cover and what falls
    into a class below k is left out. A mapping that asks for more than k is refused: SQL could not
    prove it.
    """

    arguments = (
        file_argument("mapping", "the exported mapping (.json)", "MAPPING"),
        choice("--format", ("sql", "spark"), "PostgreSQL and DuckDB (sql), or Spark SQL", "sql"),
        argument("--table", "NAME", "the table with the rows (records)", default="records"),
        argument("--publish", "a,b", "further columns to publish as they are", names),
        file_argument("--out", "the query as a file (.sql); printed without it"),
        FORCE,
    )


class Hierarchy(Command):
    """Build, check and convert generalisation hierarchies.

    The format goes by the ending: .csv (ARX's form: one row per value, separated by semicolons),
    .yaml (a level table as in projects), .xml (a configuration of the UTD toolbox).
    """

    parts = MappingProxyType(
        {
            "build": (
                "from the values of a column",
                (
                    file_argument("data", "a data file or a project", "DATA"),
                    argument("--attribute", "NAME", "the column", required=True),
                    argument("--builder", "NAME", "intervals, mask, date, …", required=True),
                    assignments(
                        "--set",
                        "KEY=VALUE",
                        "a key of the builder, such as widths=5,10; may be repeated",
                    ),
                    choice("--kind", ("numeric", "date", "categorical"), "of the column"),
                    file_argument("--out", "the new file", required=True),
                    FORCE,
                ),
            ),
            "validate": (
                "check a hierarchy file",
                (
                    file_argument("file", "the hierarchy: .csv, .yaml or .xml"),
                    file_argument("--data", "whose values it must cover", "DATA"),
                    argument("--attribute", "NAME", "the column (and the one in .xml)"),
                ),
            ),
            "convert": (
                "from one format to another",
                (
                    file_argument("source", "the hierarchy to read", "IN"),
                    file_argument("out", "the file to write", "OUT"),
                    file_argument("--data", "the values, for .xml of ranges", "DATA"),
                    argument("--attribute", "NAME", "its name in .xml; default: of the file"),
                    FORCE,
                ),
            ),
        }
    )


class Algorithms(Command):
    """List the algorithms: names, families, what they do, parameters with defaults."""

    arguments = (JSON,)


class Demo(Command):
    """Open a bundled sample project in the application; without NAME, the start screen has them."""

    arguments = (
        argument("name", "NAME", "the name of a sample", nargs="?"),
        flag("--present", "run it step by step, large, for a class to read"),
        flag("--list", "print the samples and what each teaches, and end"),
        flag("--no-mouse", "leave the mouse to the terminal, to select text"),
    )


class Serve(Command):
    """Open the application in a web browser, on this machine unless told otherwise.

    Every tab is a session of its own and can do what you can do: read, write and replace files. The
    printed address holds a random token; whoever has the address has these sessions, nobody else
    does. Nothing is fetched from anywhere else. Ctrl-C ends the server and all its sessions.
    """

    arguments = (
        file_argument("file", "a data file or a project (.yaml)", nargs="?"),
        argument(
            "--host",
            "ADDRESS",
            "where to listen (127.0.0.1: only this machine)",
            default="127.0.0.1",
        ),
        argument("--port", "N", "the port (8000); 0 takes any that is free", port, default=8000),
        argument("--sessions", "N", "how many tabs may be open at a time (4)", COUNT, default=4),
    )


class Warmup(Command):
    """No longer needed: everything is compiled when Kanon is installed.

    The command stays for scripts that call it and goes with version 0.4.
    """

    arguments = (flag("--all-users", "no longer needed"),)


class Completion(Command):
    """Print what a shell needs to complete commands, options, algorithms, samples and file names.

    bash   kanon-tui completion bash > ~/.local/share/bash-completion/completions/kanon-tui
    zsh    kanon-tui completion zsh > ~/.zfunc/_kanon-tui    (a folder of your fpath)
    fish   kanon-tui completion fish > ~/.config/fish/completions/kanon-tui.fish
    """

    shells = ("bash", "zsh", "fish")
    arguments = (argument("shell", "SHELL", ", ".join(shells), choices=shells),)


COMMANDS = {command.name(): command for command in Command.__subclasses__()}
"""The commands by name, in the order of the help page."""
