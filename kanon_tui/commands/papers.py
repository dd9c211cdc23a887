"""List what the research documents print, repeat it, and try its claims on another table."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from kanon_tui.commands.output import print_json, print_table, show
from kanon_tui.core.analysis.papers.entry import STATES, Entry
from kanon_tui.core.analysis.papers.registry import find_entries, list_entries
from kanon_tui.core.analysis.papers.repeating import (
    ClaimVerdict,
    FigureComparison,
    compare,
    repeat_claim,
    try_claim,
)
from kanon_tui.core.api.tables import make_project
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import PROJECT_ENDINGS
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import samples_folder
from kanon_tui.core.text import count_of, joined, significant, sparkline

_WIDTH = 88
_OF_TABLE = ("quasi", "sensitive")
"""Options that make a project of a data file."""


def execute(args: argparse.Namespace) -> None:
    """List entries, repeat those of a name, or try their claims on a table."""
    if args.on is None:
        for name in _OF_TABLE:
            if getattr(args, name):
                raise InputError(f"--{name} names columns of a table; name the table with --on")
    entries = list_entries() if args.name is None else find_entries(args.name)
    if args.on is not None:
        _try_on(entries, args)
    elif args.name is None or args.name.lower() == entries[0].paper.lower():
        _list(entries, args.json)
    else:
        _repeat(entries, args.json)


def _list(entries: Sequence[Entry], as_json: bool) -> None:
    if as_json:
        print_json([_listed(entry) for entry in entries])
        return
    for paper in dict.fromkeys(entry.paper for entry in entries):
        show("", paper)
        for entry in entries:
            if entry.paper == paper:
                show(f"  {entry.id:<36} {entry.state:<12} {entry.what}")
    states = [entry.state for entry in entries]
    counts = [f"{states.count(state)} {state}" for state in STATES if state in states]
    show("", f"{count_of(len(entries), 'entry', 'entries')}: {joined(counts)}")
    show("'kanon-tui papers NAME' repeats one; --on FILE tries its claims on another table")


def _listed(entry: Entry) -> dict[str, Any]:
    document = entry.listed()
    return document | {"command": _runnable(document["command"])}


def _repeat(entries: Sequence[Entry], as_json: bool) -> None:
    """Print printed figures beside ours, and the curves of claims."""
    documents: list[dict[str, Any]] = []
    for entry in entries:
        if not as_json:
            show(*_heading(entry))
        document = _listed(entry)
        comparisons = list(compare(entry))
        document["figures"] = [_comparison_for_programs(line) for line in comparisons]
        if comparisons and not as_json:
            _print_comparisons(comparisons)
        if entry.claim is not None:
            verdict = repeat_claim(entry.claim)
            document |= _verdict_for_programs(verdict)
            if not as_json:
                _print_verdict(verdict, "on the data of the paper")
        if not as_json:
            show(*_commands(entry))
        documents.append(document)
    if as_json:
        print_json(documents)


def _try_on(entries: Sequence[Entry], args: argparse.Namespace) -> None:
    """Try every claim of some entries on a table; those of one claim are tried once."""
    claims: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        if entry.claim is not None:
            claims.setdefault((entry.claim.says, *entry.claim.methods, entry.claim.measure), entry)
    if args.name is None or not claims:
        raise InputError(
            "--on tries a claim; name one of a figure, like 'sbc-4-2', 'byun-6' or 'cka-8'"
        )
    project = _project_of(args)
    documents: list[dict[str, Any]] = []
    for entry in claims.values():
        if entry.claim is None:
            continue
        if not args.json:
            show("", f"{entry.id}: {entry.paper}, {entry.where}")
        verdict = try_claim(entry.claim, project)
        document = {name: entry.listed()[name] for name in ("id", "paper", "where")}
        documents.append(document | {"on": args.on.name} | _verdict_for_programs(verdict))
        if not args.json:
            _print_verdict(verdict, f"on {args.on.name}")
    if args.json:
        print_json(documents)


def _project_of(args: argparse.Namespace) -> Project:
    """Return the project of the table that --on names."""
    if args.quasi is None and args.on.suffix.lower() not in PROJECT_ENDINGS:
        raise InputError(
            f"{args.on.name}: a claim is about quasi-identifiers; name them with --quasi a,b,c"
        )
    return make_project(args.on, quasi=args.quasi, sensitive=args.sensitive)


def _heading(entry: Entry) -> Iterator[str]:
    yield ""
    yield f"{entry.id}: {entry.paper}, {entry.where}"
    yield f"  {entry.state}: {STATES[entry.state]}"
    for text in (entry.what, entry.why):
        yield from wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")


def _print_comparisons(comparisons: Sequence[FigureComparison]) -> None:
    rows = [
        [f"  {line.what}", _shown(line.printed), _shown(line.ours), _agreement(line)]
        for line in comparisons
    ]
    print_table(("", "printed", "ours", ""), rows)


def _agreement(comparison: FigureComparison) -> str:
    return "equal" if comparison.agrees else ""


def _print_verdict(verdict: ClaimVerdict, place: str) -> None:
    """Print a claim with its curves: a row per method, a column per point, and a picture."""
    columns = (f"  {verdict.axis}", *[f"{point:,}" for point in verdict.points], "")
    highest = max(max(figures) for figures in verdict.series.values())
    rows = [
        [f"  {name}", *map(_shown, figures), sparkline(figures, top=highest)]
        for name, figures in verdict.series.items()
    ]
    print_table(columns, rows)
    for note in verdict.notes:
        show(f"  {note}")
    show(f"  {_ANSWERS[verdict.holds]} {place}: {verdict.claim.says} ({verdict.claim.measure})")


_ANSWERS = {True: "holds", False: "does not hold"}


def _commands(entry: Entry) -> Iterator[str]:
    """Yield the commands that repeat an entry, and where else it is shown."""
    own = f"kanon-tui papers {entry.id}"
    for command in dict.fromkeys(entry.commands):
        if command != own:
            yield f"  {_runnable(command)}"
    if entry.here:
        yield from wrap(f"see {entry.here}", _WIDTH, initial_indent="  ", subsequent_indent="  ")
    if entry.claim is not None:
        yield f"  on another table: {own} --on FILE --quasi a,b,c"


def _runnable(command: str) -> str:
    """Return a command with the place of the bundled samples, if it is not the current folder."""
    if Path("sample_data", "samples.yaml").is_file():
        return command
    return command.replace("sample_data/", f"{samples_folder()}/")


def _shown(figure: float) -> str:
    """Return a figure with four significant digits, whole ones with all."""
    return f"{int(figure):,}" if float(figure).is_integer() else significant(figure)


def _comparison_for_programs(comparison: FigureComparison) -> dict[str, Any]:
    names = ("what", "printed", "ours", "agrees", "command")
    figures = {name: getattr(comparison, name) for name in names}
    return figures | {"command": _runnable(comparison.command)}


def _verdict_for_programs(verdict: ClaimVerdict) -> dict[str, Any]:
    return {
        "claim": verdict.claim.says,
        "measure": verdict.claim.measure,
        verdict.axis: list(verdict.points),
        "series": {name: list(figures) for name, figures in verdict.series.items()},
        "holds": verdict.holds,
        "notes": list(verdict.notes),
    }
