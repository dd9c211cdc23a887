"""The context of a release: who gets it under which controls, and which risk is accepted why.

Presets fill the threshold and say where it comes from. A preset is a starting point that somebody
has to defend, never a legal verdict.

Sources of the numbers: El Emam, Guide to the De-Identification of Personal Health Information, 2013
(cell sizes of 20, 5 and 3 by the controls on the data); EMA, External guidance on the
implementation of Policy 0070, EMA/90915/2016 (0.09); CMS, Cell Size Suppression Policy, as ResDAC
publishes it (no cells of 1 to 10). No number: 45 CFR 164.514(b)(1) and the guidance of HHS of 26
November 2012; Article 29 Working Party, Opinion 05/2014 (WP216), 10 April 2014. The fields follow
ISO/IEC 27559:2022: assessments of context, data and identifiability, governance.
"""

from dataclasses import dataclass
from typing import Literal

from kanon_tui.core.fields.declaration import choice, declared, optional, text


@dataclass(frozen=True)
class Preset:
    """A starting point for the threshold of a release."""

    title: str
    threshold: float | None
    """The highest risk of a person that is accepted; None where the source names no number."""
    source: str


PRESETS = {
    "public": Preset("public use file", 0.05, "classes of 20, for data anybody can get (El Emam)"),
    "scientific": Preset("scientific use file", 0.2, "classes of 5, under contract (El Emam)"),
    "secure": Preset("secure use", 1 / 3, "classes of 3, in a controlled room (El Emam)"),
    "ema-0070": Preset("EMA Policy 0070 style", 0.09, "EMA/90915/2016, for published reports"),
    "hipaa": Preset("HIPAA expert style", None, "45 CFR 164.514(b)(1): 'very small', no number"),
    "wp29": Preset("WP29 checklist", None, "Opinion 05/2014: three questions and no number"),
    "small-cells": Preset("small-cell rule", 1 / 11, "CMS: no cell of 1 to 10 people, so k = 11"),
}
NO_VERDICT = "A preset is a starting point for a decision, not a legal verdict."
_SENTENCE = text("a sentence")


@dataclass(frozen=True)
class ReleaseContext:
    """The recipient of a release, the controls, the accepted risk, and the person who decided."""

    preset: str | None = declared(
        None, "A starting point that fills the threshold", type=optional(choice(PRESETS))
    )
    recipient: Literal["public", "registered", "secure", "internal"] | None = declared(
        None, "Who gets it: anybody, registered researchers, a secure environment, the house"
    )
    purpose: str = declared("", "What the recipients use it for", type=_SENTENCE)
    controls: str = declared("", "Contracts and technical controls", type=_SENTENCE)
    population: str = declared("", "The people that the table is a part of", type=_SENTENCE)
    threshold: float | None = declared(
        None, "The highest risk of a person that is accepted; that of the preset", low=0, high=1
    )
    reason: str = declared("", "Why this threshold", type=_SENTENCE)
    review: str = declared("", "When to evaluate again: 2027-05-01", type=text("a date"))
    decided_by: str = declared("", "Who decided", type=text("a name"))

    @property
    def bound(self) -> float | None:
        """The accepted risk: what was typed, else that of the preset."""
        if self.threshold is not None or self.preset is None:
            return self.threshold
        return PRESETS[self.preset].threshold
