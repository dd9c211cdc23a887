"""How the attribute under the cursor is published: asked, checked and taken over."""

from __future__ import annotations

from typing import Any

from kanon_tui.core.pipeline.attributes import coded_column
from kanon_tui.core.table.schema import Role
from kanon_tui.core.text import visible
from kanon_tui.screens.attributes.guessing import GuessingScreen
from kanon_tui.screens.attributes.publish_dialog import PublishDialog, can_choose

__all__ = ["PublishingScreen"]


class PublishingScreen(GuessingScreen):
    """The part of the Attributes screen that says how an attribute is published."""

    def action_publish(self) -> None:
        """What a class prints of it, or what becomes of an identifier."""
        session, name = self.session, self.current
        spec = session.attribute(name)
        if not can_choose(spec):
            self.host.say(f"{visible(name)} is {spec.role}: nothing is done to it")
            return

        def chosen(changes: dict[str, Any] | None) -> None:
            if changes is not None:
                said = ", ".join(
                    f"{key} {'as usual' if value is None else value}"
                    for key, value in changes.items()
                    if value != getattr(spec, key)
                )
                self.edit_attributes([name], f"{name}: {said or 'published as before'}", **changes)

        if spec.role is Role.IDENTIFIER or spec.kind is None or not spec.kind.ordered:
            self.ask(PublishDialog(name, spec), chosen)
            return
        self.compute(
            lambda: coded_column(session.table, name, spec),
            lambda column: self.ask(PublishDialog(name, spec, column), chosen),
            group="publish",
            holds_keys=True,
            failed=lambda _: self.ask(PublishDialog(name, spec), chosen),
        )
