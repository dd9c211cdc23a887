"""How much privacy a release must have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Literal

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.numeric import TIE
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.requirements_file import REQUIREMENTS
from kanon_tui.core.privacy.risk import RISK, RiskBound

__all__ = ["Privacy"]


@dataclass(frozen=True)
class Privacy:
    """The privacy that a release must have."""

    k: int = declared(
        5, "Every published record looks like at least k−1 others", low=1, always=True
    )
    max_suppression: float = declared(
        0.0,
        "Share of the records that full-domain algorithms may leave out",
        low=0,
        high=1,
        words="a share of the records, from 0 to 1",
    )
    suppress: Literal["records", "cells"] = declared(
        "records",
        "What full-domain algorithms hide of records in small classes: all of them, or single "
        "cells, the fewest by weight that are found",
    )
    requirements: tuple[PrivacyModel, ...] = declared((), type=REQUIREMENTS)
    """Beyond k: what every class must keep of sensitive attributes."""
    personal_k: str | None = declared(
        None, "Column with the k that each person asks for; it need not be published"
    )

    risk: RiskBound | None = declared(
        None, "What the whole release may be at risk of, by a model of the attacker", type=RISK
    )

    def allowed_suppressed(self, records: int) -> int:
        """How many of so many records `max_suppression` lets go."""
        return floor(self.max_suppression * records + TIE)

    def bounds_of(self, attribute: str) -> dict[str, float]:
        """What is required of one sensitive attribute, by the names of the models."""
        return {r.name: r.bound for r in self.requirements if r.attribute in (attribute, None)}

    def with_bounds(
        self, sensitive: Sequence[str], attribute: str, bounds: Mapping[str, float | None]
    ) -> Privacy:
        """With other bounds for one attribute; None: it is not required any more.

        What is required of every sensitive attribute is then written for each: one can differ.
        What else a requirement says, like the values that α is for, stays.
        """
        each = {
            (requirement.name, name): replace(requirement, attribute=name)
            for requirement in self.requirements
            for name in ([requirement.attribute] if requirement.attribute else sensitive)
        }
        for model, bound in bounds.items():
            key = (model, attribute)
            if bound is None:
                each.pop(key, None)
            else:
                now = each.get(key) or MODELS[model](bound, attribute)
                each[key] = replace(now, bound=bound)
        models = list(MODELS)
        names = list(dict.fromkeys([*sensitive, *(name for _, name in each)]))
        in_order = sorted(each, key=lambda key: (models.index(key[0]), names.index(key[1])))
        return replace(self, requirements=tuple(each[key] for key in in_order))
