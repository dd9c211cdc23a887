"""The fields of privacy as screen 5 asks for them."""

from __future__ import annotations

from dataclasses import replace

from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.privacy.risk import RISK_IN_WORDS
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project

__all__ = ["PRIVACY"]

PRIVACY = (
    *(
        replace(each, type=RISK_IN_WORDS) if each.name == "risk" else each
        for each in fields_of(Privacy)
    ),
    *(each for each in fields_of(Project) if each.name == "seed"),
)
"""The risk is a mapping in a file and a few words in a form."""
