"""The treatment of rows and columns by a run, and the decisions that are only guessed.

A role is an open guess while the project marks it with `guessed: true`, names the column without a
role, or names no role at all. Screens and commands show the same list before a first run. That a
row of a data file is a title or a total is a guess as well.

`guessed_project` makes the project of a table and of what was said about it, for the application,
the command line and Python alike. `settle_guesses` accepts or refuses its guesses where no screen
asks about them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from kanon_tui.core.addresses import is_address
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import DataSource
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.column_partners import ColumnPartner, find_partners
from kanon_tui.core.table.profile import SinglingOut, singling_out_columns
from kanon_tui.core.table.role_guesses import guess_attribute
from kanon_tui.core.table.stray_rows import find_stray_rows
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import Note, Quotable, count_of, joined, note

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
    specs = project.attributes
    nothing_named = all(spec.role is None for spec in specs.values())
    unlisted_guessed = nothing_named or project.data.unlisted == "guess"
    plans = []
    for name, role in roles.items():
        spec = specs.get(name)
        coded = spec is not None and spec.identifier == "pseudonym"
        guessed = unlisted_guessed if spec is None else spec.guessed or spec.role is None
        publishes_weight = role is Role.WEIGHT and spec is not None and spec.publish_unique
        plans.append(ColumnPlan(name, role, _treatment(role, coded, publishes_weight), guessed))
    return sorted(plans, key=lambda plan: (_ORDER.index(plan.treatment), not plan.guessed))


def _treatment(role: Role, coded: bool, publishes_weight: bool) -> Treatment:
    if role is Role.QUASI:
        return "generalised"
    if role.published or publishes_weight:
        return "published as it is"
    return "published as a pseudonym" if coded else "left out"


def plan_lines(plans: list[ColumnPlan]) -> list[str]:
    """Return a line per column: what becomes of it, its name, its role, `?` for a guess."""
    widest = max((len(plan.name) for plan in plans), default=0)
    return [
        f"  {plan.treatment:<24}  {plan.name:<{widest}}  {plan.role}{' ?' if plan.guessed else ''}"
        for plan in plans
    ]


class OpenGuessesError(InputError):
    """Roles of a project are only guessed; `plans` say what would become of every column."""

    def __init__(self, project: Project, plans: list[ColumnPlan]) -> None:
        count = sum(plan.guessed for plan in plans)
        guessed = f"{count_of(count, 'role is', 'roles are')} only guessed"
        super().__init__(
            f"{project.title}: {guessed} (marked ?); "
            "name them with --quasi, --sensitive and --identifier (in Python quasi=, sensitive=, "
            "identifier=) or as role: in the project, or accept them with --accept-guesses "
            "(accept_guesses=True)",
            on_screen=f"{guessed}; confirm them",
        )
        self.plans = plans


def project_of_data(data: DataSource) -> Project:
    """Return the project of a data file about which nothing else is known."""
    return Project(data=replace(data, unlisted="guess"))


def guessed_project(project: Project, table: Table) -> Project:
    """Return the project of a table with every column; what is not named is marked as a guess.

    The same table and project have the same guesses on the screen, on the command line and in
    Python.
    """
    completed = project.completed(table)
    roles = {name: spec.role for name, spec in completed.attributes.items() if spec.role}
    guessed = {plan.name for plan in planned_columns(project, roles) if plan.guessed}
    attributes = {
        name: replace(spec, guessed=True) if name in guessed else spec
        for name, spec in completed.attributes.items()
    }
    for name in partners_of_quasi(project, replace(completed, attributes=attributes), table):
        attributes[name] = replace(attributes[name], role=Role.QUASI)
    return replace(completed, attributes=attributes)


def partners_of_quasi(project: Project, guessed: Project, table: Table) -> dict[str, ColumnPartner]:
    """Return the columns that belong to a quasi-identifier and that nobody has looked at.

    These are columns without a role in the project, which are guessed to be harmless. Generalising
    the one and publishing the other as it is would protect nobody.
    """
    quasi = [name for name, spec in guessed.attributes.items() if spec.role is Role.QUASI]
    undecided = []
    for name, spec in guessed.attributes.items():
        named = project.attributes.get(name)
        has_role = named is not None and named.role is not None
        if spec.guessed and spec.role is Role.OTHER and not has_role:
            undecided.append(name)
    return find_partners(table, quasi, undecided)


def guess_reason(project: Project, table: Table, name: str) -> str:
    """Return why a column has the role that is guessed for it."""
    guess = guess_attribute(table, name)
    if guess.role is Role.OTHER and project.attributes[name].role is Role.QUASI:
        quasi_names = [
            quasi_name
            for quasi_name, spec in project.attributes.items()
            if spec.role is Role.QUASI and quasi_name != name
        ]
        partner = find_partners(table, quasi_names, [name]).get(name)
        if partner is not None:
            return partner.reason
    return guess.reason


@dataclass(frozen=True)
class SettledProject:
    """A project without open guesses, and notes on what was decided for the one who accepted."""

    project: Project
    notes: tuple[Note, ...] = ()


def settle_guesses(project: Project, table: Table, accept: bool) -> SettledProject:
    """Return the project with its guesses accepted; raise `OpenGuessesError` if they are not.

    Accepting confirms every role, as a person does on the screen. Nobody answers for a column that
    is guessed to be published as it is and singles people out: it is left out, as the first answer
    of the application's question says, and a note names it.
    """
    if not _has_open_guesses(project):
        return SettledProject(project)
    guessed = guessed_project(project, table)
    if not accept:
        raise OpenGuessesError(project, planned_columns(guessed))
    exposing = exposing_guesses(guessed, table)
    left_out = {column.attribute for column in exposing}
    accepted = {
        name: replace(spec, guessed=False, role=Role.IDENTIFIER if name in left_out else spec.role)
        for name, spec in guessed.attributes.items()
        if spec.guessed
    }
    settled = replace(guessed, attributes={**project.attributes, **accepted})
    return SettledProject(settled, tuple(map(_left_out_note, exposing)))


def _has_open_guesses(project: Project) -> bool:
    """Return whether some role is only guessed; columns are not looked at."""
    specs = project.attributes.values()
    nothing_named = all(spec.role is None for spec in specs)
    by_name = any(spec.guessed or spec.role is None for spec in specs)
    return nothing_named or by_name or project.data.unlisted == "guess"


def exposing_guesses(project: Project, table: Table) -> tuple[SinglingOut, ...]:
    """Return the columns that are only guessed to be published as they are and single people out.

    The project is one that `guessed_project` returned.
    """
    published = (Role.OTHER, Role.SENSITIVE)
    names = [
        name
        for name, spec in project.attributes.items()
        if spec.guessed and spec.role in published and not spec.publish_unique
    ]
    return singling_out_columns(table, names)


def _left_out_note(column: SinglingOut) -> Note:
    return note(
        "{name}: left out, as its role was only guessed and {unique:,} of its {records:,} values "
        "belong to one person each; name its role to publish it",
        name=Quotable(column.attribute),
        unique=column.unique,
        records=column.records,
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
