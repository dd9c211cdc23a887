"""Requirements as a project file writes them.

    privacy:
      k: 5
      l: {attribute: diagnosis, distinct: 3, entropy: 2.5}
      t: {attribute: income, max: 0.2}
      p: {attribute: diagnosis, min: 2}
      alpha: {attribute: diagnosis, max: 0.5, values: [HIV]}

Without `attribute` it is asked of every sensitive attribute, and then the bound alone will do:
`t: 0.2`. For several attributes there is a list: `t: [{attribute: income, max: 0.2}, …]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import SeveralKeys
from kanon_tui.core.fields.yaml_text import exact_number
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.models import MODELS

__all__ = ["REQUIREMENTS", "requirements_type"]


def requirements_type() -> SeveralKeys:
    """How all requirements are read and written: each model has a key of `privacy`."""
    return SeveralKeys(tuple(_models_by_key()), _read, _write)


def _models_by_key() -> dict[str, list[type[PrivacyModel]]]:
    """The first model of each key is for a bound that stands alone."""
    found: dict[str, list[type[PrivacyModel]]] = {}
    for model in MODELS.values():
        found.setdefault(model.key, []).append(model)
    return found


# -- reading


def _read(entries: Mapping[str, LocatedValue]) -> tuple[PrivacyModel, ...]:
    models = _models_by_key()
    return tuple(
        requirement
        for key, located in entries.items()
        for requirement in _read_key(key, models[key], located)
    )


def _read_key(
    key: str, models: Sequence[type[PrivacyModel]], located: LocatedValue
) -> Iterator[PrivacyModel]:
    if isinstance(located.value, list | tuple):
        for item in located.items("a list of requirements"):
            yield from _read_one(key, models, item)
    else:
        yield from _read_one(key, models, located)


def _read_one(
    key: str, models: Sequence[type[PrivacyModel]], located: LocatedValue
) -> Iterator[PrivacyModel]:
    if not isinstance(located.value, Mapping):
        yield models[0].read(located)
        return
    bounds = [model.bound_key for model in models]
    own_keys = [own for model in models for own in model.own_keys]
    at = located.entries(("attribute", *bounds, *own_keys))
    if not any(bound in at for bound in bounds):
        *others, last = bounds
        known = f"{', '.join(others)} or {last}" if others else last
        raise located.refuse(
            f"the key {known} is missing; write for instance "
            f"{key}: {{attribute: diagnosis, {bounds[0]}: {models[0].example}}}"
        )
    name = at["attribute"].text("the name of an attribute") if "attribute" in at else None
    for model in models:
        if model.bound_key in at:
            own = {key: at[key] for key in model.own_keys if key in at}
            yield model.read(at[model.bound_key], name, own)


# -- writing


def _write(requirements: Iterable[PrivacyModel]) -> dict[str, Any]:
    """The keys of `privacy` that say the same; bounds of one attribute stand together."""
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
