"""A project with single settings replaced, as the command line asks for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.fields.yaml_text import LocatedValue
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.sections import Resources

_OF_PRIVACY = ("max_suppression", "suppress", "ties")


def with_overrides(
    project: Project,
    *,
    algorithm: str | None = None,
    parameters: Iterable[tuple[str, str]] = (),
    k: int | None = None,
    seed: int | None = None,
    levels: str | None = None,
    run: Mapping[str, str | None] | None = None,
) -> Project:
    """Return the project with these settings instead of its own; None keeps the project's.

    `parameters` are names and texts, read as the algorithm declares them, or the settings of
    privacy that have no option. `levels` is a string that a person chose, which `global` publishes.
    `run` has texts for the keys of `run`.
    """
    if levels is not None:
        if algorithm not in (None, "global"):
            raise InputError(
                f"--levels: publishes the levels that you name, so that {algorithm} would not run; "
                f"leave one of the two out"
            )
        algorithm, parameters = "global", [*parameters, ("levels", levels)]
    parameters = list(parameters)
    own = [each for each in parameters if each[0] not in _OF_PRIVACY]
    choice = _choice(project.algorithm, algorithm, own)
    typed = {name: text for name, text in parameters if name in _OF_PRIVACY}
    known = {field.name: field for field in (*fields_of(Privacy), *fields_of(Resources))}
    privacy: dict[str, Any] = {} if k is None else {"k": k}
    privacy |= {name: known[name].parse(text, "--set") for name, text in typed.items()}
    resources = {
        name: known[name].read(LocatedValue(f"--{name}", "", text))
        for name, text in (run or {}).items()
        if text is not None
    }
    return replace(
        project,
        algorithm=choice,
        privacy=replace(project.privacy, **privacy),
        seed=project.seed if seed is None else seed,
        run=replace(project.run, **resources),
    )


def _choice(
    choice: AlgorithmChoice, name: str | None, parameters: Iterable[tuple[str, str]]
) -> AlgorithmChoice:
    if name is not None and name != choice.name:
        choice = AlgorithmChoice(name)  # the old parameters belong to the old algorithm
    algorithm = find_algorithm(choice.name, "--algorithm" if name else "algorithm.name")
    declared = {parameter.name: parameter for parameter in fields_of(algorithm)}
    values = dict(choice.params)
    for parameter, text in parameters:
        unknown = f"--set: {choice.name} has no parameter '{parameter}'"
        check_known(parameter, [*declared, *_OF_PRIVACY], unknown)
        values[parameter] = declared[parameter].parse(text, "--set")
    return replace(choice, params=values)
