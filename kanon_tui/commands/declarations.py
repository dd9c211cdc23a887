"""The commands that are no analyses: the help page and the arguments of each.

A command is a class here, whose docstring describes it, and a module of the same name with the
function `execute(args)`. That module is imported when the command is executed, so that help pages
answer at once. To add a command, declare it here and write its module. The command of an analysis
follows from its declaration (`analysis`).
"""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
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
    table_place,
    whole_number,
)
from kanon_tui.core.table.formats import FORMAT_CHOICES, TABLE_ENDINGS

_SHORT_FORMS = {"--k": "-k", "--out": "-o", "--quiet": "-q", "--force": "-f"}
"""The letters of the options used most, the same in every command."""
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


def name_list(name: str, metavar: str, help: str, **settings: Any) -> Argument:
    """Return an option with names between commas; where it is repeated, it adds to them."""
    return argument(name, metavar, help, names, action="extend", **settings)


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
        short_forms = [_SHORT_FORMS[each.name]] if each.name in _SHORT_FORMS else []
        parser.add_argument(*short_forms, each.name, **each.settings)


INPUT_FORMAT = choice("--format", FORMAT_CHOICES, "what a pipe holds, where its bytes do not tell")
PROJECT = file_argument("project", "a project file (.yaml)", "PROJECT")
MADE_BY = file_argument("project", "the project (.yaml) that made the release", "PROJECT")
RELEASE = file_argument("--release", "the release", required=True)
SHOW_VALUES = "--show-values"
JSON = flag("--json", "print JSON instead of text")
FORCE = flag("--force", "replace existing files")
COUNT = whole_number(1)
OVERRIDES = (
    argument("--algorithm", "NAME", "the algorithm (the project's; see 'kanon-tui algorithms')"),
    argument("--k", "N", "k (the project's)", COUNT),
    argument("--seed", "N", "the seed (the project's)", whole_number(0)),
)
CONSENT = (
    flag("--trust", "use the Dask scheduler and environment variables that the project names"),
    flag("--insecure", "allow a scheduler without TLS: whoever reaches it can run code as you"),
)
"""Flags that no project can set."""


ATTACKS = (
    "singling-out", "downcoding", "linkability", "composition", "inference", "refinement",
    "minimality", "all",
)  # fmt: skip


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
    def description(cls) -> str:
        """Return the text of the help page."""
        return getdoc(cls) or ""

    @classmethod
    def execute(cls, args: argparse.Namespace) -> int:
        """Import the module of the command and run it; return the exit code, 0 for None."""
        module = import_module(f"{__package__}.{cls.name().replace('-', '_')}")
        return module.execute(args) or 0


class Run(Command):
    """Anonymise a table or a project without the screen.

    FILE is a project (.yaml), a configuration of the UTD toolbox (.xml), a data file, a pipe, or -
    for standard input. --quasi, --sensitive and --identifier name the roles of a data file. With
    --quasi, columns that are not named are left out; without it their roles are guessed as in the
    application, and need --accept-guesses. A column that is guessed to be published as it is, but
    singles people out, is left out.

    The release is verified before anything is written. Without --out and --report a summary is
    printed and nothing is written; --out - prints the release as CSV, --json prints the report. If
    columns that are published as they are leave people unique, a warning counts them, and --strict
    writes nothing.
    Exit code 1 if no release was found, 2 for bad input, 3 if a scheduler, database or disk failed.

    The report is a dossier to sign. A public report says nothing about records outside the release;
    HTML reports are public unless --internal or --attacks is given. With --earlier nothing is
    written if both releases together leave a person fewer than k candidates. --engine dask starts a
    cluster on this machine unless --scheduler names another.
    """

    arguments = (
        argument("project", "FILE", "a project, a data file, or - (standard input)", table_place),
        INPUT_FORMAT,
        name_list("--quasi", "a,b", "the quasi-identifiers of a data file"),
        name_list("--sensitive", "a,b", "the sensitive attributes of a data file"),
        name_list("--identifier", "a,b", "the columns of a data file that identify people"),
        flag("--accept-guesses", "accept guessed roles, leave out guessed titles and totals"),
        *OVERRIDES,
        assignments(
            "--set",
            "PARAM=VALUE",
            "a parameter of the algorithm, max_suppression, suppress or ties; may be repeated",
        ),
        argument(
            "--preset",
            "NAME",
            "options of the algorithm as a research document ran it: sbc-thesis, utd-toolbox, "
            "byun-2007, cka or morton; --set overrides them",
        ),
        argument("--levels", "NAME=N,...", "publish these levels if they pass (others: the root)"),
        argument(
            "--out",
            "FILE",
            f"the release: {', '.join(TABLE_ENDINGS)}, a folder, - (standard output), or a table "
            "of a database (sqlite:///FILE#TABLE, postgresql+psycopg://HOST/DATABASE#TABLE), or an "
            "object (s3://, gs://, az://)",
            release_place,
        ),
        name_list("--partition-by", "a,b", "with --out FOLDER/: a folder per published value"),
        file_argument("--mapping", "the mapping (.json), for 'kanon-tui apply' and new records"),
        file_argument("--report", "the report: .json, .md, .html or .pdf"),
        file_argument(
            "--annex", "internal annex: hash of the input, seed, command (.md, .html, .pdf)"
        ),
        file_argument("--events", "what the algorithm did, one event a line (.jsonl); internal"),
        flag("--public", "leave out of the report what depends on records outside the release"),
        flag("--internal", "write the full report in HTML as well"),
        flag("--json", "print the report as JSON instead of a summary"),
        flag("--quiet", "print no summary"),
        flag("--dry-run", "print what would happen; write nothing"),
        flag("--progress", "print the progress to stderr every few seconds, as plain lines"),
        file_argument("--earlier", "an earlier release of the same people to check against"),
        argument("--hold-out", "SHARE", "the share of records to keep aside before the run", share),
        file_argument(
            "--control", "where --hold-out writes these records (.csv); never publish them"
        ),
        flag("--attacks", "put the results of all attacks into the report, which is then internal"),
        flag("--repair", "with --earlier: generalise further instead of refusing"),
        flag("--strict", "write nothing if a warning speaks against a release that verifies"),
        FORCE,
        flag("--timings", "print the wall time of every phase and the processor time to stderr"),
        argument("--memory", "SIZE", "the memory limit, like 4GB; a file is used if needed"),
        choice(
            "--engine",
            ("auto", "memory", "stream", "dask"),
            "where the run computes; auto: in memory if the table fits",
        ),
        argument("--scheduler", "ADDRESS", "the scheduler of a Dask cluster, like tls://host:8786"),
        *CONSENT,
    )


class Sweep(Command):
    """Compare algorithms and values of k on one table.

    Every point is a run whose release is verified and measured. Points run in parallel on all
    cores; full-domain searches share their counts. A point without a release gives the reason. Exit
    code 1 if no point has a release.
    """

    arguments = (
        PROJECT,
        argument("--k", "K,K,...", "values of k (2,3,5,10,25,50,100)", k_values),
        argument("--algorithms", "A,B,...", "names of algorithms (the project's)", names),
        argument(
            "--attributes",
            "A,B,...",
            "use these quasi-identifiers alone; repeat it to compare subsets",
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

    Exit code 1 if its smallest class has fewer than k records, or fewer than k people with
    --person.
    """

    arguments = (
        argument("file", "FILE", "the table in any format, or - (standard input)", table_place),
        INPUT_FORMAT,
        name_list("--quasi", "a,b,c", "the quasi-identifiers", required=True),
        argument("--k", "N", "the smallest class allowed", COUNT, required=True),
        argument("--subset-size", "M", "require k for any M quasi-identifiers, not all", COUNT),
        argument("--sensitive", "NAME", "a sensitive attribute to measure"),
        argument("--person", "NAME", "the column that identifies a person: count people, not rows"),
        JSON,
    )


class Risk(Command):
    """Estimate how likely people are found: three risk models, uniques, k-map and δ-presence.

    FILE is a table with the quasi-identifiers --quasi, or a project (.yaml), whose original data or
    --release is measured. The population is given by its size, by survey weights or by a table.
    Exit code 1 if --k-map is not reached.
    """

    arguments = (
        file_argument("file", "a table, or a project (.yaml)"),
        name_list("--quasi", "a,b,c", "the quasi-identifiers of a table"),
        argument("--person", "NAME", "the column that identifies a person: count people, not rows"),
        file_argument("--release", "measure this release of the project instead of its data"),
        argument("--population", "N", "the number of people in the population", COUNT),
        argument("--weights", "NAME", "a column of survey weights"),
        file_argument("--population-table", "a table of everybody in the population"),
        argument("--k-map", "K", "the least number of people that every row must fit", COUNT),
        argument("--threshold", "SHARE", "the risk that is too high (0.2)", share, default=0.2),
        JSON,
    )


class Levels(Command):
    """Show the levels of every attribute: labels, smallest group, whether k is kept, RV and NCP."""

    arguments = (PROJECT, JSON)


class Explain(Command):
    """Explain an algorithm, or a run decision by decision, in sentences or with pictures.

    WHAT is an algorithm, a project file or a bundled sample. Of an algorithm its page of the manual
    is printed: idea, pseudo-code, the same in plain Python, a picture, cost, departures, and the
    sample that shows it best, decision by decision. With an option that says what to run, or which
    decisions to print (--from, --to, --out, --k …), only these are. Runs are meant for small
    tables. Exit code 1 if no release was found.
    """

    arguments = (
        argument("what", "WHAT", "an algorithm, a project (.yaml) or a sample", file_name),
        *OVERRIDES,
        argument("--from", "N", "first step", COUNT, default=1, dest="first"),
        argument("--to", "N", "last step", COUNT, dest="last"),
        argument("--most", "N", "print at most N decisions (200)", COUNT, default=200),
        file_argument("--out", "write a handout with pictures: .html or .md"),
        FORCE,
    )


class Uniques(Command):
    """Show which combinations of attributes give people away.

    For every set of up to --most quasi-identifiers this prints the fewest records that share their
    values (its k), and the records that the set singles out while no part of it does (minimal
    sample uniques, as in special unique detection). Columns that are published unchanged and single
    many people out are named too. Values of the table are not printed.

    --remedies runs the project, counts the people whom k does not protect, names the values and
    records with the highest scores, and tries remedies by running again with each.
    """

    arguments = (
        PROJECT,
        argument("--most", "N", "the largest size of a set (3)", COUNT, default=3),
        name_list("--attributes", "a,b", "columns instead of the quasi-identifiers"),
        flag("--remedies", "run the project and try remedies; prints values"),
        file_argument("--scores", "write the score of every record (.csv)"),
        FORCE,
        JSON,
    )


class Attack(Command):
    """Attack a release: what could an outsider learn from it?

    --external and --on: the linking attack. People of an outsider's table are looked up in the
    original and in the release; a published range, set, label or mask matches what it covers.

    --kind: attacks on the people of the data. --control names people who were not in the data; only
    success beyond theirs is due to the release. --with releases the data again with a
    counter-measure and attacks both. Give the --algorithm, --k and --seed with which the release
    was made. Counts and published cells are printed, nothing about any person.
    """

    arguments = (
        MADE_BY,
        RELEASE,
        file_argument("--external", "the table of an outsider, for the linking attack"),
        argument(
            "--on", "a,b", "attributes of both tables, or (linkability) of the first party", names
        ),
        choice("--kind", ATTACKS, "the attack to try, or all"),
        file_argument("--control", "people who were not in the data"),
        argument(
            "--with",
            "PARAM=VALUE",
            "a counter-measure to compare, such as l=2 or publish=rounded; several joined by a "
            "comma; may be repeated",
            action="append",
            default=[],
        ),
        file_argument("--earlier", "composition: an earlier release of the same people"),
        *OVERRIDES,
        JSON,
    )


class Verify(Command):
    """Prove a release from the original data, the project and the release alone.

    Nothing is taken from the run that made it. The proof checks that the release has exactly the
    columns of the project, that every row stands for a record of the data, that the rows are sorted
    unless the project says otherwise, and that all required privacy holds. If people have several
    records and classes overlap, a check may be undecided, marked '?'. Exit code 1 if something does
    not hold or is undecided.
    """

    arguments = (
        file_argument("release", "the release", "RELEASE"),
        file_argument("--project", "the project (.yaml) that made the release", required=True),
        file_argument("--data", "the original data, instead of the file that the project names"),
        JSON,
    )


class Apply(Command):
    """Publish new records in the same way as an earlier release.

    MAPPING is the file of 'run --mapping FILE.json' or of the export on Results: the levels and
    hierarchies of a full-domain run, or the classes of a clustering. Records with values that it
    does not cover, titles and totals of the file, and records in classes below k are left out and
    counted, or the release is refused. The new release reaches k by itself; with --earlier k is
    also counted in both together. Exit code 1 if the release is refused.
    """

    how = ("suppress", "refuse")
    arguments = (
        file_argument("mapping", "the exported mapping (.json)", "MAPPING"),
        file_argument("file", "the new records"),
        file_argument("--out", f"the new release: {', '.join(TABLE_ENDINGS)}"),
        choice("--uncovered", how, "records with values not in the mapping (suppress)", how[0]),
        choice("--below-k", how, "records of classes below k (suppress)", how[0]),
        file_argument("--earlier", "the earlier release; both together must reach k as well"),
        FORCE,
        JSON,
    )


class ExportMapping(Command):
    """Write the recoding of a release as an SQL query for a database or Spark.

    MAPPING is the file of 'run --mapping FILE.json' or of the export on Results. The query
    publishes the rows of a table in the same way as the release; it leaves out rows that the
    release does not cover and classes below k. A mapping that requires more than k is refused,
    because SQL cannot prove it.
    """

    arguments = (
        file_argument("mapping", "the exported mapping (.json)", "MAPPING"),
        choice("--format", ("sql", "spark"), "PostgreSQL and DuckDB (sql), or Spark SQL", "sql"),
        argument("--table", "NAME", "the table with the rows (records)", default="records"),
        argument("--publish", "a,b", "further columns to publish as they are", names),
        file_argument("--out", "the file to write (.sql); the query is printed without it"),
        FORCE,
    )


class Hierarchy(Command):
    """Build, check and convert generalisation hierarchies.

    The ending of the name decides the format: .csv (ARX's form: one row per value, separated by
    semicolons), .yaml (a level table as in projects), .xml (a configuration of the UTD toolbox).
    """

    parts = MappingProxyType(
        {
            "build": (
                "build a hierarchy from the values of a column",
                (
                    file_argument("data", "a data file or a project", "DATA"),
                    argument("--attribute", "NAME", "the column", required=True),
                    argument("--builder", "NAME", "intervals, mask, date, …", required=True),
                    assignments(
                        "--set",
                        "KEY=VALUE",
                        "a key of the builder, such as widths=5,10; may be repeated",
                    ),
                    choice("--kind", ("numeric", "date", "categorical"), "the kind of the column"),
                    file_argument("--out", "the new file", required=True),
                    FORCE,
                ),
            ),
            "validate": (
                "check a hierarchy file",
                (
                    file_argument("file", "the hierarchy: .csv, .yaml or .xml"),
                    file_argument("--data", "a data file whose values it must cover", "DATA"),
                    argument("--attribute", "NAME", "the column (and the attribute in .xml)"),
                ),
            ),
            "convert": (
                "convert a hierarchy file to another format",
                (
                    file_argument("source", "the hierarchy to read", "IN"),
                    file_argument("out", "the file to write", "OUT"),
                    file_argument("--data", "the values, for an .xml with ranges", "DATA"),
                    argument("--attribute", "NAME", "its name in .xml (the name of the file)"),
                    FORCE,
                ),
            ),
        }
    )


class Algorithms(Command):
    """List the algorithms: names, families, what they do, parameters with defaults."""

    arguments = (JSON,)


class Papers(Command):
    """List every table, figure and claim of the research documents, and how far it is repeated.

    NAME is a document (sbc), a table or figure (sbc-4-1) or an entry of the list. Its printed
    figures are shown beside ours with the command for each, and what is claimed of curves is tried.

    --on tries the claims of NAME on a table of yours: whether similarity-based clustering loses
    less than the three others (sbc-4-2), k-member least of all (byun-6), limits less than a fifth
    (cka-8). FILE is a project, or a data file with --quasi.
    """

    arguments = (
        argument("name", "NAME", "a document, a table or figure, or an entry", nargs="?"),
        file_argument("--on", "a table or a project to try the claims of NAME on"),
        argument("--quasi", "a,b", "the quasi-identifiers of a data file", names),
        argument("--sensitive", "a,b", "the sensitive attributes of a data file", names),
        JSON,
    )


class Demo(Command):
    """Open a bundled sample in the application; without NAME, the start screen lists them."""

    arguments = (
        argument("name", "NAME", "the name of a sample", nargs="?"),
        flag("--present", "run it step by step in large letters, for a class"),
        flag("--list", "print the samples and what each teaches, and end"),
        flag("--no-mouse", "leave the mouse to the terminal, to select text"),
    )


class Serve(Command):
    """Open the application in a web browser, on this machine unless told otherwise.

    Every tab is a session of its own with your rights: it can read, write and replace files. The
    printed address contains a random token; only those who have the address can open a session. The
    page loads nothing from other servers. Ctrl-C ends the server and all its sessions.
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

    The command is kept for scripts that call it and will be removed in version 0.4.
    """

    arguments = (flag("--all-users", "no longer needed"),)


class Completion(Command):
    """Print a script with which a shell completes commands, options, algorithms, samples and files.

    bash   kanon-tui completion bash > ~/.local/share/bash-completion/completions/kanon-tui
    zsh    kanon-tui completion zsh > ~/.zfunc/_kanon-tui    (a folder of your fpath)
    fish   kanon-tui completion fish > ~/.config/fish/completions/kanon-tui.fish
    """

    shells = ("bash", "zsh", "fish")
    arguments = (argument("shell", "SHELL", ", ".join(shells), choices=shells),)


WRITTEN = {command.name(): command for command in Command.__subclasses__()}
"""These commands by name, in the order of the help page."""
