"""The set-up of screen 5: the list of algorithms, the forms, and the line about what lies ahead."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from rich.text import Text
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.session import Session
from kanon_tui.core.fields.declaration import Field, choice, fields_of
from kanon_tui.core.pipeline.preflight import Preflight
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.risk import RISK_IN_WORDS
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import Family
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.form import Form

Filled = tuple[tuple[Field, ...], dict[str, Any]]
"""Fields, and their values by name."""

_OF_PRIVACY = tuple(
    replace(each, type=RISK_IN_WORDS) if each.name == "risk" else each
    for each in fields_of(Privacy)
)
"""The fields of privacy; the risk, a mapping in a file, is a few words in the form."""
OF_PROJECT = {each.name: each for each in fields_of(Project)}


def of_privacy(project: Project) -> Filled:
    """Return the fields of the privacy form, and the seed."""
    values = {**project.privacy.__dict__, "seed": project.seed}
    return (*_OF_PRIVACY, OF_PROJECT["seed"]), values


def of_algorithm(project: Project) -> Filled:
    """Return the parameters of the algorithm; for a clustering also whether ranges may overlap."""
    algorithm = ALGORITHMS[project.algorithm.name]
    clusters = algorithm.family is Family.CLUSTERING
    fields = (*fields_of(algorithm), *([OF_PROJECT["overlap"]] if clusters else []))
    return fields, {**project.algorithm.params, "overlap": project.overlap}


def of_requirements(project: Project, attributes: Sequence[str], attribute: str) -> Filled:
    """Return the requirements beyond k on one sensitive attribute, and which one it is."""
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
    given = {MODELS[name].form_field().name: bound for name, bound in bounds.items()}
    return fields, {"attribute": attribute, **given}


NAME_WIDTH, TITLE_WIDTH = 13, 27
"""Widths of an algorithm's name and of its title in the list."""


def algorithm_line(name: str, title: str) -> Text:
    """Name and title of an algorithm; a long title goes on below, never cut off."""
    lines = wrap(title, TITLE_WIDTH)
    line = Text.assemble((f"{name:<{NAME_WIDTH}}", "bold"), (lines[0], "dim"))
    for more in lines[1:]:
        line.append(f"\n{'':<{NAME_WIDTH}}{more}", "dim")
    return line


def preflight_text(found: Preflight, name: str, privacy: Privacy, widget: Widget) -> Text:
    """Return whether the run can start and how large it is, then a line per warning."""
    if found.problem:
        return Text.assemble(
            ("✗ ", theme_style(widget, "error", bold=True)), visible(found.problem)
        )
    text = Text.assemble(
        ("✓ ready ", theme_style(widget, "success", bold=True)),
        (name, "bold"),
        f" k={privacy.k} · ",
    )
    text.append(visible(" · ".join(found.facts)))
    for warning in found.warnings:
        text.append(f"\n! {visible(warning)}", theme_style(widget, "warning"))
    return text


class BeyondK(Hosted, Vertical):
    """The form of the requirements on one sensitive attribute."""

    def __init__(self) -> None:
        super().__init__()
        self._of = ""

    def compose(self) -> Iterable[Widget]:
        yield Static(id="beyond-title")
        yield Form(id="beyond")

    def show(self, session: Session) -> None:
        """Show the project's requirements on the chosen attribute."""
        requirements = session.project.privacy.requirements
        named = [r.attribute for r in requirements if r.attribute is not None]
        attributes = list(dict.fromkeys([*session.names(Role.SENSITIVE), *named]))
        title, form = self.query_one("#beyond-title", Static), self.query_one(Form)
        title.display = form.display = bool(attributes)
        if not attributes:
            return
        if self._of not in attributes:
            self._of = attributes[0]
        alone = f" for {visible(attributes[0])}" if len(attributes) == 1 else ""
        title.update(Text.assemble(("beyond k", "bold"), alone))
        form.show(*of_requirements(session.project, attributes, self._of))

    def take_over(self, values: dict[str, Any]) -> bool:
        """Take over bounds, or turn to another attribute, which is then to be shown (True)."""
        session, project = self.session, self.session.project
        attribute = values.get("attribute", self._of)
        if attribute != self._of:
            self._of = attribute
            return True
        bounds = {name: values[model.form_field().name] for name, model in MODELS.items()}
        sensitive = session.names(Role.SENSITIVE)
        privacy = project.privacy.with_bounds(sensitive, attribute, bounds)
        self.host.edit(replace(project, privacy=privacy), f"required of {attribute}")
        return False
