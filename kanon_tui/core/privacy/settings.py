"""Requirements as a project file writes them.

    privacy:
      k: 5
      l: {attribute: diagnosis, distinct: 3, entropy: 2.5}
      t: {attribute: income, max: 0.2}
      p: {attribute: diagnosis, min: 2}
      alpha: {attribute: diagnosis, max: 0.5, values: [HIV]}

Without `attribute` it is asked of every sensitive attribute, and then the bound alone will do:
`t: 0.2`. For several attributes there is a list: `t: [{attribute: income, max: 0.2}, …]`.

How much privacy a release must have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Any, Literal

from kanon_tui.core.fields.declaration import Checked, SeveralKeys, declared
from kanon_tui.core.fields.located import LocatedValue, exact_number
from kanon_tui.core.numeric import TIE
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.models import MODELS, PLUG_INS
from kanon_tui.core.privacy.risk import RISK, RiskBound


def requirements_type() -> SeveralKeys:
    """Return the field type of all requirements: each model has a key of `privacy`."""
    return SeveralKeys((*_models_by_key(), *PLUG_INS.broken), _read, _write)


def _models_by_key() -> dict[str, list[type[PrivacyModel]]]:
    """Return the models of each key; the first is for a bound that stands alone."""
    models_by_key: dict[str, list[type[PrivacyModel]]] = {}
    for model in MODELS.values():
        models_by_key.setdefault(model.key, []).append(model)
    return models_by_key


# -- reading


def _read(entries: Mapping[str, LocatedValue]) -> tuple[PrivacyModel, ...]:
    models = _models_by_key()
    requirements: list[PrivacyModel] = []
    for key, located in entries.items():
        if key in PLUG_INS.broken:
            raise located.refuse(PLUG_INS.broken[key])
        listed = isinstance(located.value, list | tuple)
        for item in located.items("a list of requirements") if listed else [located]:
            requirements += _read_one(key, models[key], item)
    return tuple(requirements)


def _read_one(
    key: str, models: Sequence[type[PrivacyModel]], located: LocatedValue
) -> Iterator[PrivacyModel]:
    if not isinstance(located.value, Mapping):
        yield models[0].read(located)
        return
    bounds = [model.bound_key for model in models]
    own_keys = [own_key for model in models for own_key in model.own_keys]
    at = located.entries(("attribute", *bounds, *own_keys))
    if not any(bound in at for bound in bounds):
        *first_keys, last = bounds
        allowed_keys = f"{', '.join(first_keys)} or {last}" if first_keys else last
        raise located.refuse(
            f"the key {allowed_keys} is missing; write for instance "
            f"{key}: {{attribute: diagnosis, {bounds[0]}: {models[0].example}}}"
        )
    name = at["attribute"].text("the name of an attribute") if "attribute" in at else None
    for model in models:
        if model.bound_key in at:
            own_key = {own_key: at[own_key] for own_key in model.own_keys if own_key in at}
            yield model.read(at[model.bound_key], name, own_key)


# -- writing


def _write(requirements: Iterable[PrivacyModel]) -> dict[str, Any]:
    """Return the keys of `privacy` for requirements; bounds of one attribute stand together."""
    written: dict[str, list[dict[str, Any]]] = {key: [] for key in _models_by_key()}
    for requirement in requirements:
        entry: dict[str, Any] = {}
        if requirement.attribute is not None:
            entry["attribute"] = exact_number(requirement.attribute)
        entries = written[requirement.key]
        last = entries[-1] if entries else {requirement.bound_key: None}
        if last.get("attribute") == entry.get("attribute") and requirement.bound_key not in last:
            last |= requirement.written()
        else:
            entries.append(entry | requirement.written())
    return {
        key: entries[0] if len(entries) == 1 else entries
        for key, entries in written.items()
        if entries
    }


REQUIREMENTS = requirements_type()
"""All requirements, as the class of privacy settings declares them."""


@dataclass(frozen=True)
class Privacy(Checked):
    """The privacy that a release must have."""

    k: int = declared(
        5, "Every published record looks like at least k−1 others", low=1, always=True
    )
    max_suppression: float = declared(
        0.0,
        "Largest share of the records that full-domain algorithms may leave out",
        low=0,
        high=1,
        words="a share of the records, from 0 to 1",
    )
    suppress: Literal["records", "cells"] = declared(
        "records",
        "What full-domain algorithms hide in small classes: whole records, or single cells, as few "
        "by weight as they find",
    )
    requirements: tuple[PrivacyModel, ...] = declared((), type=REQUIREMENTS)
    """Beyond k: what every class must keep of sensitive attributes."""
    personal_k: str | None = declared(
        None, "Column with the k that each person requests; it need not be published"
    )
    ties: Literal["first", "random"] = declared(
        "first",
        "Which of equally good records a clustering takes: the first of the file, or one by the "
        "operating system's randomness, so that nobody can run it again to exclude originals",
    )
    risk: RiskBound | None = declared(
        None, "A bound on the risk of the whole release, by a model of the attacker", type=RISK
    )

    subset_k: int | None = declared(
        None, "Least records that share any combination of subset_size quasi-identifiers", low=2
    )
    subset_size: int = declared(2, "Quasi-identifiers in a combination for subset_k", low=1)

    def allowed_suppressed(self, records: int) -> int:
        """Return how many of `records` records `max_suppression` lets go."""
        return floor(self.max_suppression * records + TIE)

    @property
    def short(self) -> str:
        """Requirements beyond k as a short text, `l≥2 risk≤0.1 any 2: 20`; empty without any."""
        models = dict.fromkeys(requirement.short for requirement in self.requirements)
        risk = [] if self.risk is None else [f"risk≤{self.risk.max:g}"]
        subsets = [f"any {self.subset_size}: {self.subset_k:,}"] if self.subset_k else []
        return " ".join([*models, *risk, *subsets])

    def bounds_of(self, attribute: str) -> dict[str, float]:
        """Return the bounds of one sensitive attribute, by the names of the models."""
        return {r.name: r.bound for r in self.requirements if r.attribute in (attribute, None)}

    def with_bounds(
        self, sensitive: Sequence[str], attribute: str, bounds: Mapping[str, float | None]
    ) -> Privacy:
        """Return these settings with other bounds for one attribute; None removes one.

        What is required of every sensitive attribute is then written for each: one can differ.
        What else a requirement says, like the values that α is for, stays.
        """
        by_attribute = {
            (requirement.name, name): replace(requirement, attribute=name)
            for requirement in self.requirements
            for name in ([requirement.attribute] if requirement.attribute else sensitive)
        }
        for model, bound in bounds.items():
            key = (model, attribute)
            if bound is None:
                by_attribute.pop(key, None)
            else:
                requirement_now = by_attribute.get(key) or MODELS[model](bound, attribute)
                by_attribute[key] = replace(requirement_now, bound=bound)
        models = list(MODELS)
        names = list(dict.fromkeys([*sensitive, *(name for _, name in by_attribute)]))
        in_order = sorted(by_attribute, key=lambda key: (models.index(key[0]), names.index(key[1])))
        return replace(self, requirements=tuple(by_attribute[key] for key in in_order))
