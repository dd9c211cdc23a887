"""The treatment of rows and columns by a run, and the decisions that are only guessed.

A role is an open guess while the project marks it with `guessed: true`, names the column without a
role, or names no role at all. Screens and commands show the same list before a first run. That a
row of a data file is a title or a total is a guess as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from kanon_tui.core.addresses import is_address
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.stray_rows import find_stray_rows
from kanon_tui.core.text import count_of, joined

Treatment = Literal["published as it is", "published as a pseudonym", "generalised", "left out"]
_ORDER: tuple[Treatment, ...] = get_args(Treatment)


@dataclass(frozen=True)
class ColumnPlan:
    """A column, its role, and its treatment in the release."""

    name: str
    role: Role
    treatment: Treatment
    guessed: bool
    """Whether nobody has confirmed the role."""


def planned_columns(project: Project, roles: Mapping[str, Role] | None = None) -> list[ColumnPlan]:
    """Return the treatment of every column by a run, columns published unchanged first.

    `roles` are those of a prepared task; without them the project must be completed.
    """
    if roles is None:
        roles = {name: spec.role for name, spec in project.attributes.items() if spec.role}
    given = project.attributes
    nothing_named = all(spec.role is None for spec in given.values())
    plans = []
    for name, role in roles.items():
        spec = given.get(name)
        coded = spec is not None and spec.identifier == "pseudonym"
        guessed = nothing_named if spec is None else spec.guessed or spec.role is None
        publishes_weight = role is Role.WEIGHT and spec is not None and spec.publish_unique
        plans.append(ColumnPlan(name, role, _treatment(role, coded, publishes_weight), guessed))
    return sorted(plans, key=lambda plan: (_ORDER.index(plan.treatment), not plan.guessed))


def _treatment(role: Role, coded: bool, asked: bool) -> Treatment:
    if role is Role.QUASI:
        return "generalised"
    if role.published or asked:
        return "published as it is"
    return "published as a pseudonym" if coded else "left out"


def plan_lines(plans: list[ColumnPlan]) -> list[str]:
    """Return a line per column: what becomes of it, its name, its role, `?` for a guess."""
    widest = max((len(plan.name) for plan in plans), default=0)
    return [
        f"  {plan.treatment:<24}  {plan.name:<{widest}}  {plan.role}{' ?' if plan.guessed else ''}"
        for plan in plans
    ]


def refuse_guesses(project: Project, plans: list[ColumnPlan]) -> None:
    """Raise `InputError` where a role is only guessed."""
    count = sum(plan.guessed for plan in plans)
    if count:
        guessed = f"{count_of(count, 'role is', 'roles are')} only guessed"
        raise InputError(
            f"{project.title}: {guessed} (marked ?); "
            "name them with --quasi, --sensitive and --identifier (in Python quasi=, sensitive=, "
            "identifier=) or as role: in the project, or accept them with --accept-guesses "
            "(accept_guesses=True)",
            on_screen=f"{guessed}; confirm them",
        )


def without_stray_rows(project: Project, accepted: bool) -> Project:
    """Return the project of a data file, leaving out rows that seem to be no records.

    Raise `InputError` where there are such rows and guesses are not accepted.
    """
    data = project.data
    if is_address(data.path):
        return project
    stray = find_stray_rows(project.data_path, data.read_options)
    if not stray:
        return project
    options = stray.apply(data.read_options)
    if not accepted:
        skip = f"skip: {{first: {options.skip_first}, last: {options.skip_last}}}"
        where = "".join(f", where: {{{name}: '{rule}'}}" for name, rule in stray.where.items())
        raise InputError(
            f"{project.title}: some rows seem to be no records ({joined(stray.reasons)}); leave "
            f"them out in a project (data: {{path: …, {skip}{where}}}) or with --accept-guesses "
            "(in Python accept_guesses=True), or keep them in a project without skip"
        )
    return replace(project, data=replace(data, read_options=options))
