"""The functions of analyses: signature and documentation follow from the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, Signature, getdoc
from pathlib import Path
from textwrap import fill
from typing import Any

from kanon_tui.core.analysis.analysis import (
    Analysis,
    LooksAt,
    Progress,
    option_help,
    required_options,
)
from kanon_tui.core.analysis.registry import ANALYSES
from kanon_tui.core.analysis.subject import Subject
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, fields_of
from kanon_tui.core.pipeline.prepare import as_project
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun

_WIDTH = 100
_DATA = {
    LooksAt.TABLE: ("path, Project or Release", "A project, or a release of one."),
    LooksAt.RELEASE: (
        "Release, path or Project",
        "What `anonymize` or `stream` returned, or a project, of which `release` is one.",
    ),
}
_RELEASE = "A release of the project that is a file or a frame."
_TYPES = {"int": "int", "float": "float", "bool": "bool", "column": "str"}
_LISTS = {"columns": "list of str", "table": "frame or path"}


def function_named(name: str) -> Callable[..., Any] | None:
    """Return the function of an analysis, None where there is none of this name."""
    by_function = {ANALYSES[key].function_name(): key for key in ANALYSES.built_in}
    if name not in by_function:
        by_function = {ANALYSES[key].function_name(): key for key in ANALYSES}
    return function_of(ANALYSES[by_function[name]]) if name in by_function else None


@cache
def function_of(analysis: type[Analysis]) -> Callable[..., Any]:
    """Return the function that asks an analysis.

    It takes what the analysis looks at and its options, and returns what is found.
    """
    signature = _signature(analysis)

    def ask(*positional: Any, **named: Any) -> Any:
        bound = signature.bind(*positional, **named)
        options = {
            option.name: bound.arguments[option.name]
            for option in fields_of(analysis)
            if option.name in bound.arguments
        }
        question = analysis(**options)
        findings = question.run(_subject(analysis, bound.arguments), Progress())
        return findings if findings.answer is None else findings.answer

    ask.__name__ = ask.__qualname__ = analysis.function_name() or analysis.name
    ask.__doc__ = _documentation(analysis)
    ask.__signature__ = signature  # type: ignore[attr-defined]
    return ask


def _subject(analysis: type[Analysis], arguments: Mapping[str, Any]) -> Subject:
    """Return what the arguments of a function name."""
    if analysis.looks_at is LooksAt.NOTHING:
        return Subject()
    data = arguments["data"]
    release = arguments.get("release")
    if isinstance(data, FinishedRun):
        if release is not None:
            raise InputError("data is a release already; leave out release=")
        if data.project is None:
            raise InputError("the release has no project; make it with one")
        return Subject(data.project, result=data)
    if not isinstance(data, str | Path | Project):
        raise InputError(
            f"data is a {type(data).__name__}; give what anonymize returned, or a project"
        )
    if analysis.looks_at is LooksAt.RELEASE and release is None:
        raise InputError("name a release of the project: release=")
    return Subject(as_project(data), published=release)


def _signature(analysis: type[Analysis]) -> Signature:
    """Return the parameters: the data, the options, those without a default first."""
    any_place = Parameter.POSITIONAL_OR_KEYWORD
    by_name = Parameter.KEYWORD_ONLY
    parameters = []
    if analysis.looks_at is not LooksAt.NOTHING:
        parameters.append(Parameter("data", any_place))
    required = required_options(analysis)
    parameters += [Parameter(name, any_place) for name in required]
    parameters += [
        Parameter(option.name, any_place, default=option.default)
        for option in fields_of(analysis)
        if option.name not in required
    ]
    if analysis.looks_at is LooksAt.RELEASE:
        parameters.append(Parameter("release", by_name, default=None))
    return Signature(parameters)


def _documentation(analysis: type[Analysis]) -> str:
    """Return the docstring: the help page, the parameters, what is returned, an example."""
    text = (getdoc(analysis) or analysis.question).replace("--", "")
    lines = [text, "", "Parameters", "----------"]
    if analysis.looks_at is not LooksAt.NOTHING:
        kind, meaning = _DATA[analysis.looks_at]
        lines += [f"data : {kind}", f"    {meaning}"]
    required = required_options(analysis)
    for option in sorted(fields_of(analysis), key=lambda option: option.name not in required):
        sentence = option_help(option, is_required=True)
        lines += [
            f"{option.name} : {_type_words(option)}",
            _indented(f"{sentence[:1].upper()}{sentence[1:]}."),
        ]
    if analysis.looks_at is LooksAt.RELEASE:
        lines += ["release : frame or path, optional", f"    {_RELEASE}"]
    lines += [
        *("", "Returns", "-------", analysis.returns, _indented(analysis.returns_help)),
        *("", "Raises", "------", "InputError", "    If the options do not fit the data."),
    ]
    if analysis.example:
        lines += ["", "Examples", "--------", analysis.example.strip()]
    return "\n".join(lines)


def _type_words(option: Field) -> str:
    words = (_TYPES | _LISTS).get(option.type.name, "str")
    if option.type.choices:
        words = "{" + ", ".join(f'"{choice}"' for choice in option.type.choices) + "}"
    return f"{words}, optional" if option.type.optional else words


def _indented(sentence: str) -> str:
    return fill(sentence, _WIDTH, initial_indent="    ", subsequent_indent="    ")
