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

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import SeveralKeys, number, whole_number
from kanon_tui.core.fields.yaml_text import exact_number
from kanon_tui.core.privacy.requirements import Model, Requirement

__all__ = ["REQUIREMENTS", "REQUIREMENT_KEYS", "read_requirements", "written_requirements"]


_values = whole_number(low=1).read
_equal_values = number(low=1).read
_distance = number(low=0, high=1, words="a distance from 0 to 1").read
_share = number(above=0, high=1, words="a share above 0, at most 1").read

REQUIREMENT_KEYS: Mapping[str, Mapping[str, tuple[Model, Callable[[LocatedValue], float]]]] = {
    "l": {
        "distinct": (Model.L_DISTINCT, _values),
        "entropy": (Model.L_ENTROPY, _equal_values),
    },
    "t": {"max": (Model.T, _distance)},
    "p": {"min": (Model.P, _values)},
    "alpha": {"max": (Model.ALPHA, _share)},
}
"""Keys of `privacy`, and below each those of its bounds; the first is for a bound without key."""


def read_requirements(key: str, located: LocatedValue) -> Iterator[Requirement]:
    """What stands under one key of `privacy`."""
    if isinstance(located.value, list | tuple):
        for item in located.items("a list of requirements"):
            yield from _read_one(key, item)
    else:
        yield from _read_one(key, located)


def _read_all(entries: Mapping[str, LocatedValue]) -> tuple[Requirement, ...]:
    return tuple(each for key in entries for each in read_requirements(key, entries[key]))


def _read_one(key: str, located: LocatedValue) -> Iterator[Requirement]:
    bounds = REQUIREMENT_KEYS[key]
    if not isinstance(located.value, Mapping):
        model, read = next(iter(bounds.values()))
        yield Requirement(model, read(located))
        return
    more = ("values",) if key == "alpha" else ()
    at = located.entries(("attribute", *bounds, *more))
    if not any(bound in at for bound in bounds):
        first = next(iter(bounds))
        raise located.refuse(
            f"the key {' or '.join(bounds)} is missing; write for instance "
            f"{key}: {{attribute: diagnosis, {first}: {_EXAMPLES[key]}}}"
        )
    name = at["attribute"].text("the name of an attribute") if "attribute" in at else None
    values: tuple[str, ...] = ()
    if "values" in at:
        listed = at["values"].items("a list of values")
        values = tuple(value.text("a value") for value in listed)
        if not values:
            raise at["values"].refuse("an empty list bounds nothing; name a value or leave it out")
    for bound, (model, read) in bounds.items():
        if bound in at:
            yield Requirement(model, read(at[bound]), name, values)


_EXAMPLES = {"l": 3, "t": 0.2, "p": 2, "alpha": 0.5}


def written_requirements(requirements: Iterable[Requirement]) -> dict[str, Any]:
    """The keys of `privacy` that say the same."""
    written: dict[str, list[dict[str, Any]]] = {}
    for requirement in requirements:
        key, bound = _KEY_OF[requirement.model]
        entry: dict[str, Any] = {}
        if requirement.attribute is not None:
            entry["attribute"] = exact_number(requirement.attribute)
        number = requirement.bound
        value = int(number) if float(number).is_integer() else number
        entries = written.setdefault(key, [])
        last = entries[-1] if entries else None
        if (
            last is not None
            and last.get("attribute") == entry.get("attribute")
            and bound not in last
        ):
            last[bound] = value
            continue
        entry[bound] = value
        if requirement.values:
            entry["values"] = [exact_number(value) for value in requirement.values]
        entries.append(entry)
    return {
        key: written[key][0] if len(written[key]) == 1 else written[key]
        for key in REQUIREMENT_KEYS
        if key in written
    }


_KEY_OF = {
    model: (key, bound)
    for key, bounds in REQUIREMENT_KEYS.items()
    for bound, (model, _) in bounds.items()
}

REQUIREMENTS = SeveralKeys(tuple(REQUIREMENT_KEYS), _read_all, written_requirements)
"""All requirements: the keys of `privacy` that ask for more than k."""
