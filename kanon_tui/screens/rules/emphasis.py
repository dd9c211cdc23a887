"""How much rules count against granularity in research value: asked for, and shown."""

from __future__ import annotations

from dataclasses import replace

from kanon_tui.core.editing.session import Session
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.types import number, optional
from kanon_tui.core.pipeline.attributes import emphasis_of
from kanon_tui.core.task.task import EVEN_EMPHASIS
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import AskText, Choose

__all__ = ["ask_emphasis", "emphasis_text"]

ALL = Field("emphasis", number(0, 1), EVEN_EMPHASIS, "Of rules against granularity")
OWN = replace(ALL, type=optional(number(0, 1)))
_HINT = "From 0 to 1. 0: granularity alone, 0.5: both alike, 1: rules alone."


def emphasis_text(session: Session, name: str) -> str:
    """Return the emphasis for a heading; "" where rules and granularity count alike."""
    emphasis = emphasis_of(session.project, session.attribute(name))
    return "" if emphasis == EVEN_EMPHASIS else f", emphasis {emphasis:g}"


def ask_emphasis(screen: StepScreen, name: str) -> None:
    """Ask whether for one attribute or for all, then how much."""
    session = screen.session

    def asked(which: int | None) -> None:
        if which == 0:
            _ask_own(screen, name)
        elif which == 1:
            _ask_for_all(screen)

    of_all = session.project.rule_emphasis
    own = session.attribute(name).rule_emphasis
    options = [
        f"of {name}: {f'that of all, {of_all:g}' if own is None else f'{own:g}'}",
        f"of all that have none of their own: {of_all:g}",
    ]
    screen.ask(Choose("Emphasis of rules", options, hint="enter: type a number"), asked)


def _ask_own(screen: StepScreen, name: str) -> None:
    own = screen.session.attribute(name).rule_emphasis

    def check(text: str) -> float | None:
        value: float | None = OWN.parse(text, name)
        return value

    def typed(text: str | None) -> None:
        if text is not None:
            screen.edit_attributes([name], f"{name}: rule emphasis", rule_emphasis=check(text))

    screen.ask(
        AskText(
            f"Emphasis of the rules of {name}",
            "" if own is None else f"{own:g}",
            hint=f"{_HINT} Empty: that of all.",
            check=check,
        ),
        typed,
    )


def _ask_for_all(screen: StepScreen) -> None:
    def check(text: str) -> float:
        return float(ALL.parse(text, "all rules"))

    def typed(text: str | None) -> None:
        if text is not None:
            project = replace(screen.session.project, rule_emphasis=check(text))
            screen.edit(project, "rule emphasis")

    now = screen.session.project.rule_emphasis
    screen.ask(AskText("Emphasis of all rules", f"{now:g}", hint=_HINT, check=check), typed)
