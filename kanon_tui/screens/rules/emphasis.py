"""How much rules count against granularity in research value: asked for, and shown."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kanon_tui.core.editing.session import Session
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.types import number, optional
from kanon_tui.core.pipeline.attributes import emphasis_of
from kanon_tui.core.task.task import EVEN_EMPHASIS
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import ask_text, choose

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

    of_all = session.project.rule_emphasis
    own = session.attribute(name).rule_emphasis
    now = f"that of all, {of_all:g}" if own is None else f"{own:g}"
    options = [
        (f"of {name}: {now}", lambda: _ask_own(screen, name)),
        (f"of all that have none of their own: {of_all:g}", lambda: _ask_for_all(screen)),
    ]
    choose(screen, "Emphasis of rules", options, hint="enter: type a number")


def _ask_own(screen: StepScreen, name: str) -> None:
    own = screen.session.attribute(name).rule_emphasis

    def take(emphasis: float | None) -> None:
        screen.edit_attributes([name], f"{name}: rule emphasis", rule_emphasis=emphasis)

    title, hint = f"Emphasis of the rules of {name}", f"{_HINT} Empty: that of all."
    ask_text(screen, title, take, partial(OWN.parse, who=name), OWN.text(own), hint)


def _ask_for_all(screen: StepScreen) -> None:
    def take(emphasis: float) -> None:
        screen.edit(replace(screen.session.project, rule_emphasis=emphasis), "rule emphasis")

    now = ALL.text(screen.session.project.rule_emphasis)
    parse = partial(ALL.parse, who="all rules")
    ask_text(screen, "Emphasis of all rules", take, parse, now, _HINT)
