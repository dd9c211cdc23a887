"""What is required beyond k of a sensitive attribute: a form below the others of screen 5."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rich.text import Text
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.editing.session import Session
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.table.schema import Role
from kanon_tui.core.text import visible
from kanon_tui.screens.run.setup_forms import of_requirements
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.form import Form

__all__ = ["BeyondK"]


class BeyondK(Hosted, Vertical):
    """The bounds of one sensitive attribute, and which one that is."""

    DEFAULT_CSS = """
    BeyondK { height: auto; }
    BeyondK #beyond-title { height: auto; margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._of = ""

    def compose(self) -> Iterable[Widget]:
        yield Static(id="beyond-title")
        yield Form(id="beyond")

    def show(self, session: Session) -> None:
        """What the project requires of the attribute that is looked at."""
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
        bounds = {name: values[model.form_name] for name, model in MODELS.items()}
        sensitive = session.names(Role.SENSITIVE)
        privacy = project.privacy.with_bounds(sensitive, attribute, bounds)
        self.host.edit(replace(project, privacy=privacy), f"required of {attribute}")
        return False
