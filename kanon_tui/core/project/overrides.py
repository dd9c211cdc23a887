"""A project with single settings replaced, as the command line asks for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

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
    privacy = project.privacy if k is None else replace(project.privacy, k=k)
    for field in fields_of(Privacy):
        for text in (text for name, text in parameters if name == field.name in _OF_PRIVACY):
            privacy = replace(privacy, **{field.name: field.parse(text, "--set")})
    return replace(
        project,
        algorithm=choice,
        privacy=privacy,
        seed=project.seed if seed is None else seed,
        run=_resources(project.run, run or {}),
    )


def _resources(own: Resources, given: Mapping[str, str | None]) -> Resources:
    texts = {name: text for name, text in given.items() if text is not None}
    for field in fields_of(Resources):
        if field.name in texts:
            located = LocatedValue("--" + field.name, "", texts[field.name])
            own = replace(own, **{field.name: field.read(located)})
    return own


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
