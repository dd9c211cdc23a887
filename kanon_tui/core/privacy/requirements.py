"""Privacy beyond k: what every class must keep of a sensitive attribute.

A `Requirement` is what a project says; `Bound` is the same joined to a column, so that it can judge
classes. Classes of a requirement that holds never stop holding when they are merged with each
other: distinct values only get more, and the entropy, the distance and the highest share of a union
are no worse than the worst of its parts. So the whole table, as one class, is the easiest of all:
where that fails, no release without suppression can do.

With suppression one thing is different. A class that holds may be spoilt by one that does not,
except where values are counted (`counts_values`): then the union has at least as many. What stays
true is this: where more specific classes hold after some records went, their union holds without
the same records. So the least number of records that must go from each class, or anything smaller
(`least_removed`), only falls when classes are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kanon_tui.core.data.column import Column
from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.numeric import Flags, Floats
from kanon_tui.core.privacy.spread import distance, equal_values, expected_of_excess, highest_share
from kanon_tui.core.text import plural, quoted_list

__all__ = [
    "Bound",
    "Model",
    "Requirement",
    "bind_all",
    "bounds_of",
    "out_of_reach",
    "with_bounds",
]


_NEARLY = 1e-9
"""Figures that miss a bound by less have reached it."""


class Model(Enum):
    """What is asked of the classes; the names are those of the report."""

    L_DISTINCT = "l_distinct"
    L_ENTROPY = "l_entropy"
    T = "t"
    P = "p"
    ALPHA = "alpha"

    @property
    def title(self) -> str:
        """For people."""
        return _TITLES[self]

    @property
    def counts_values(self) -> bool:
        """Whether it only asks for a number of distinct values."""
        return self in (Model.L_DISTINCT, Model.P)

    @property
    def at_least(self) -> bool:
        """Whether the bound is the least that is allowed, not the most."""
        return self.counts_values or self is Model.L_ENTROPY


_TITLES = {
    Model.L_DISTINCT: "distinct l-diversity",
    Model.L_ENTROPY: "entropy l-diversity",
    Model.T: "t-closeness",
    Model.P: "p-sensitivity",
    Model.ALPHA: "(α, k)-anonymity",
}


@dataclass(frozen=True)
class Requirement:
    """What a project requires of every class."""

    model: Model
    bound: float
    attribute: str | None = None
    """None: of every sensitive attribute."""
    values: tuple[str, ...] = ()
    """(α, k): the values whose share is bounded; none: all."""


@dataclass(frozen=True, eq=False)
class Bound:
    """A requirement of one sensitive column."""

    model: Model
    bound: float
    column: Column
    among: Flags | None = None
    """Per value whether its share is bounded; None: all are."""

    def __str__(self) -> str:
        name, bound = self.column.name, self.bound
        match self.model:
            case Model.L_DISTINCT | Model.P:
                return f"at least {bound:,.0f} distinct {plural(bound, 'value')} of {name}"
            case Model.L_ENTROPY:
                return f"{name} as diverse as {bound:g} equally frequent values"
            case Model.T:
                return f"{name} within {bound:g} of the whole table"
            case Model.ALPHA:
                which = "any value" if self.bounded is None else quoted_list(self.bounded, most=3)
                return f"{which} of {name} in at most {bound:.4g} of the records"

    @property
    def short(self) -> str:
        """For a line with little room: `l≥3`, `t≤0.2`."""
        letter = {Model.L_DISTINCT: "l", Model.L_ENTROPY: "entropy l", Model.ALPHA: "α"}
        sign = "≥" if self.model.at_least else "≤"
        return f"{letter.get(self.model, self.model.value)}{sign}{self.bound:g}"

    @property
    def lack(self) -> str:
        """What is wrong with a class that fails, after 'with'."""
        name, bound = self.column.name, self.bound
        match self.model:
            case Model.L_DISTINCT | Model.P:
                return f"fewer than {bound:,.0f} distinct values of {name}"
            case Model.L_ENTROPY:
                return f"{name} less diverse than {bound:g} equally frequent values"
            case Model.T:
                return f"{name} further than {bound:g} from the whole table"
            case Model.ALPHA:
                which = "one value" if self.bounded is None else quoted_list(self.bounded, most=3)
                return f"{which} of {name} in more than {bound:.4g} of the records"

    @property
    def bounded(self) -> list[str] | None:
        """(α, k): the values whose share is bounded; None: all."""
        if self.among is None:
            return None
        return [self.column.values[code] for code in np.flatnonzero(self.among).tolist()]

    @cached_property
    def _reference(self) -> Floats:
        return np.asarray(self.column.counts / self.column.counts.sum(), dtype=np.float64)

    def figures(self, held: GroupValues) -> Floats:
        """The figure of every class."""
        match self.model:
            case Model.L_DISTINCT | Model.P:
                return held.distinct.astype(np.float64)
            case Model.L_ENTROPY:
                return equal_values(held)
            case Model.T:
                return distance(held, self._reference, self.column.kind.ordered)
            case Model.ALPHA:
                return highest_share(held, self.among)

    def gaps(self, held: GroupValues) -> Floats:
        """How much every class misses the bound by, in shares; 0 where it holds."""
        figures = self.figures(held)
        missed = figures - self.bound
        if self.model.at_least:
            missed = -missed / self.bound
        return np.asarray(np.where(missed > _NEARLY, missed, 0.0), dtype=np.float64)

    def least_removed(self, held: GroupValues) -> npt.NDArray[np.int64]:
        """For every class a number of records without which it cannot hold, 0 where it may.

        The share of a value, or of several, falls fastest when records with such values go. α is a
        highest share, entropy l has one (`_highest_share_at`), and t has one for the values that a
        class has too much of: what these have in the whole table, and t. For ordered values, where
        a distance is no share, it is t alone.
        """
        if self.model.counts_values:
            sizes = held.sizes
            return np.where(self.gaps(held) > 0, sizes, 0)
        if self.model is Model.T:
            most = np.full(held.count, self.bound)
            if not self.column.kind.ordered:
                most += expected_of_excess(held, self._reference)
            over = self.figures(held) - self.bound
        else:
            most = np.full(held.count, self.bound)
            if self.model is Model.L_ENTROPY:
                values, place = np.unique(held.distinct, return_inverse=True)
                most = np.array([_highest_share_at(m, self.bound) for m in values.tolist()])[place]
            over = highest_share(held, self.among) - most
        needed = np.where(most < 1, held.sizes * over / np.maximum(1 - most, _NEARLY), 0.0)
        certain = np.ceil(needed - _NEARLY * held.sizes)
        return np.asarray(np.clip(certain, 0, held.sizes), dtype=np.int64)

    def reached(self, held: GroupValues) -> float:
        """The figure of the worst class."""
        figures = self.figures(held)
        return float(figures.min() if self.model.at_least else figures.max())

    @cached_property
    def whole(self) -> float:
        """The figure of the whole table as one class."""
        return self.reached(self._whole)

    @cached_property
    def whole_holds(self) -> bool:
        """Whether the whole table as one class holds."""
        return not self.gaps(self._whole).any()

    @cached_property
    def _whole(self) -> GroupValues:
        codes = np.flatnonzero(self.column.counts)
        return GroupValues(1, np.zeros_like(codes), codes, self.column.counts[codes])

    def unreachable(self) -> str:
        """What to say where even the whole table fails."""
        what = f"{self.column.name}: {self.model.title} of {self.bound:g} is required"
        if self.model.at_least:
            most = int(self.whole) if self.model.counts_values else np.floor(self.whole * 100) / 100
            return (
                f"{what}, but the whole table has only {self.whole:.4g}; require {most:g} or less"
            )
        least = np.ceil(self.whole * 1000) / 1000
        return f"{what}, but the whole table has {self.whole:.4g}; allow {least:g} or more"


def _highest_share_at(values: int, equal_values: float) -> float:
    """The highest share of one value in a class of so many values with so much entropy.

    With share p for one value the entropy is highest when the others share the rest alike; it
    falls as p rises from 1 / values. 0 where even equal shares are not diverse enough.
    """
    if values < equal_values * (1 - _NEARLY):
        return 0.0
    low, high = 1.0 / values, 1.0
    for _ in range(60):
        p = (low + high) / 2
        rest = (1 - p) * np.log((1 - p) / (values - 1)) if p < 1 and values > 1 else 0.0
        if -p * np.log(p) - rest >= np.log(equal_values):
            low = p
        else:
            high = p
    return high


def bounds_of(requirements: Iterable[Requirement], attribute: str) -> dict[Model, float]:
    """What is required of one sensitive attribute."""
    return {r.model: r.bound for r in requirements if r.attribute in (attribute, None)}


def with_bounds(
    requirements: Sequence[Requirement],
    sensitive: Sequence[str],
    attribute: str,
    bounds: Mapping[Model, float | None],
) -> tuple[Requirement, ...]:
    """The requirements with other bounds for one attribute; None: it is not required any more.

    What is required of every sensitive attribute is then written for each, so that one can differ.
    Values that an (α, k) requirement names stay named.
    """
    each = {
        (requirement.model, name): replace(requirement, attribute=name)
        for requirement in requirements
        for name in ([requirement.attribute] if requirement.attribute else sensitive)
    }
    for model, bound in bounds.items():
        key = (model, attribute)
        if bound is None:
            each.pop(key, None)
        else:
            each[key] = replace(each.get(key, Requirement(model, bound, attribute)), bound=bound)
    models, names = list(Model), list(dict.fromkeys([*sensitive, *(name for _, name in each)]))
    in_order = sorted(each, key=lambda key: (models.index(key[0]), names.index(key[1])))
    return tuple(each[key] for key in in_order)


def out_of_reach(requirements: Iterable[Bound], suppression: bool) -> Bound | None:
    """A requirement that no release can keep, however general it is.

    With suppression only a count of values is proof: the rest of a table may be more diverse.
    """
    for bound in requirements:
        if not bound.whole_holds and (bound.model.counts_values or not suppression):
            return bound
    return None


def bind_all(
    requirements: Iterable[Requirement], sensitive: Sequence[Column], who: str
) -> tuple[Bound, ...]:
    """Join requirements to the sensitive columns; `who` begins the messages."""
    bound = []
    for requirement in requirements:
        for column in _columns_of(requirement, sensitive, who):
            among = _among(requirement, column, who) if requirement.values else None
            bound.append(Bound(requirement.model, requirement.bound, column, among))
    return tuple(bound)


def _columns_of(
    requirement: Requirement, sensitive: Sequence[Column], who: str
) -> Sequence[Column]:
    title = requirement.model.title
    if not sensitive:
        raise InputError(
            f"{who}: {title} is required but no attribute has the role sensitive; tag one, "
            f"for instance diagnosis: {{role: sensitive}}"
        )
    if requirement.attribute is None:
        return sensitive
    named = [column for column in sensitive if column.name == requirement.attribute]
    if not named:
        raise InputError(
            f"{who}: {title} is required of '{requirement.attribute}', which is no sensitive "
            f"attribute; {suggestion(requirement.attribute, [column.name for column in sensitive])}"
        )
    return named


def _among(requirement: Requirement, column: Column, who: str) -> Flags:
    among = np.zeros(len(column.values), dtype=bool)
    for value in requirement.values:
        if value not in column.values:
            raise InputError(
                f"{who}: the share of '{value}' is bounded, but {column.name} has no such value; "
                f"{suggestion(value, column.values)}"
            )
        among[column.values.index(value)] = True
    return among
