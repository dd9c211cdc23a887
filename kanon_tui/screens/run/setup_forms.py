"""The forms of screen 5: which fields they have, and what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.fields.declaration import Field, fields_of
from kanon_tui.core.fields.types import choice
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.risk import RISK_IN_WORDS
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.steps import Family

__all__ = ["Filled", "of_algorithm", "of_privacy", "of_requirements"]

Filled = tuple[tuple[Field, ...], dict[str, Any]]
"""Fields, and the values that differ from their defaults or are known."""

_OF_PRIVACY = tuple(
    replace(each, type=RISK_IN_WORDS) if each.name == "risk" else each
    for each in fields_of(Privacy)
)
"""The risk is a mapping in a file and a few words in a form."""
OF_PROJECT = {each.name: each for each in fields_of(Project)}


def of_privacy(project: Project) -> Filled:
    """What a release must have, and the seed."""
    values = {**project.privacy.__dict__, "seed": project.seed}
    return (*_OF_PRIVACY, OF_PROJECT["seed"]), values


def of_algorithm(project: Project) -> Filled:
    """The parameters of the algorithm; a clustering's ranges may overlap or not."""
    algorithm = ALGORITHMS[project.algorithm.name]
    clusters = algorithm.family is Family.CLUSTERING
    fields = (*fields_of(algorithm), *([OF_PROJECT["overlap"]] if clusters else []))
    return fields, {**project.algorithm.params, "overlap": project.overlap}


def of_requirements(project: Project, attributes: Sequence[str], attribute: str) -> Filled:
    """What is required beyond k of one of the sensitive attributes, and which one it is."""
    which = Field(
        "attribute",
        choice(attributes),
        attributes[0],
        "The sensitive attribute that must stay diverse",
    )
    bounds = project.privacy.bounds_of(attribute)
    fields = (
        *([which] if len(attributes) > 1 else []),
        *(model.form_field() for model in MODELS.values()),
    )
    given = {MODELS[name].form_name: bound for name, bound in bounds.items()}
    return fields, {"attribute": attribute, **given}
