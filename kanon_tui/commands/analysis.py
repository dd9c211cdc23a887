"""The commands of analyses: arguments, help and output follow from the declaration."""

import argparse
from collections.abc import Mapping
from functools import partial
from inspect import getdoc
from types import MappingProxyType
from typing import Any, ClassVar

from kanon_tui.commands.declarations import JSON, MADE_BY, PROJECT, RELEASE, Argument
from kanon_tui.commands.readers import a_file, names
from kanon_tui.core.analysis.analysis import (
    Analysis,
    LooksAt,
    Progress,
    option_help,
    required_options,
)
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import Field, fields_of

_SUBJECTS: Mapping[LooksAt, tuple[Argument, ...]] = MappingProxyType(
    {
        LooksAt.NOTHING: (),
        LooksAt.TABLE: (PROJECT,),
        LooksAt.RELEASE: (MADE_BY, RELEASE),
    }
)
"""The arguments that name what an analysis looks at."""
_METAVARS = MappingProxyType(
    {"int": "N", "float": "X", "column": "NAME", "columns": "a,b", "table": "FILE"}
)
"""The words that stand for a value, by the name of its type; another one is a TEXT."""


class AnalysisCommand:
    """The command of an analysis."""

    parts: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def __init__(self, analysis: type[Analysis]) -> None:
        self.analysis = analysis
        required = required_options(analysis)
        options = (_argument(each, each.name in required) for each in fields_of(analysis))
        self.arguments = (*_SUBJECTS[analysis.looks_at], *options, JSON)

    def description(self) -> str:
        """Return the text of the help page."""
        return getdoc(self.analysis) or self.analysis.question

    def execute(self, args: argparse.Namespace) -> int:
        """Ask the analysis, and print what it finds; return the exit code."""
        from kanon_tui.commands.output import print_findings
        from kanon_tui.core.analysis.subject import Subject

        options = {field.name: getattr(args, field.name) for field in fields_of(self.analysis)}
        analysis = self.analysis(**options)
        findings = analysis.run(_subject(self.analysis, args, Subject), Progress())
        print_findings(findings, as_json=args.json)
        if findings.refusal:
            raise NotReachedError(findings.refusal)
        return 0


def _subject(analysis: type[Analysis], args: argparse.Namespace, subject: type[Any]) -> Any:
    """Return what the arguments of an analysis name."""
    if analysis.looks_at is LooksAt.NOTHING:
        return subject()
    from kanon_tui.core.project.project import Project

    project = Project.load(args.project)
    if analysis.looks_at is LooksAt.TABLE:
        return subject(project)
    return subject(project, published=args.release)


def _argument(option: Field, is_required: bool) -> Argument:
    """Return an option of an analysis as argparse takes it."""
    word = f"--{option.name.replace('_', '-')}"
    sentence = option_help(option, is_required)
    if option.type.name == "bool":
        if option.default:
            return Argument(
                f"--no-{word[2:]}",
                {"action": "store_false", "dest": option.name, "help": f"not: {sentence}"},
            )
        return Argument(word, {"action": "store_true", "help": sentence})
    settings: dict[str, Any] = {"help": sentence, "default": option.default}
    if is_required:
        settings["required"] = True
    if option.type.choices:
        return Argument(word, {"choices": option.type.choices, **settings})
    settings["metavar"] = _METAVARS.get(option.type.name, "TEXT")
    return Argument(word, {"type": _reader(option), **settings})


def _reader(option: Field) -> Any:
    """Return the function that reads the text of an option."""
    if option.type.name == "table":
        return a_file
    if option.type.name == "columns":
        return names
    return partial(_read, option)


def _read(option: Field, text: str) -> Any:
    try:
        return option.parse(text, option.name)
    except InputError:
        raise argparse.ArgumentTypeError(f"'{text}' is not {option.allowed}") from None
