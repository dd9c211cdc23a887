"""The base class of privacy models: one file per model, listed in `models`.

An instance is a requirement as a project states it: `TCloseness(0.2, "income")`. The class says
which key of `privacy:` it has, how its figure is computed, what a class that misses it shows, and
how reports, forms and the `check` command name it. `requirements` joins a requirement to the
column it is about.

Classes that hold never stop holding when they are merged with each other: distinct values only get
more, and the entropy, the distance and the highest share of a union are no worse than the worst of
its parts. So the whole table, as one class, is the easiest of all: where that fails, no release
without suppression can do. A new model must have this property, too.

With suppression one thing is different. A class that holds may be spoilt by one that does not,
except where more records never hurt (`monotone`). What stays true is this: where more specific
classes hold after some records went, their union holds without the same records. So the least
number of records that must go from each class, or anything smaller (`least_removed`), only falls
when classes are merged.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.declaration import Field, FieldType, optional, plain_number
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.numeric import TIE, Floats, Int64s
from kanon_tui.core.privacy.shares import PeopleValues
from kanon_tui.core.table.column import Column, GroupValues

_ROUNDING = 1e-7
"""How far a figure may be from a round number and still count as it."""


@dataclass(frozen=True)
class PrivacyModel(ABC):
    """A requirement of every class, beyond k."""

    name: ClassVar[str]
    """In reports: `l_distinct`."""
    title: ClassVar[str]
    """For people: `distinct l-diversity`."""
    check_title: ClassVar[str] = ""
    """The line of the `check` command, where the title does not say enough."""
    report_title: ClassVar[str] = ""
    report_meaning: ClassVar[str]
    """The row of a report, where the title is not its name, and what its figure means."""
    at_least: ClassVar[bool] = False
    """Whether a bound is the least that is allowed, not the most."""

    key: ClassVar[str]
    """The key of `privacy:`; models may share one, like the two kinds of l."""
    bound_key: ClassVar[str]
    """The key of the bound below it."""
    bound_type: ClassVar[FieldType]
    """The type of the bound in files and forms."""
    form_name: ClassVar[str] = ""
    help: ClassVar[str]
    """The bound in a form, where its field is not called `name`, and what it asks for."""
    own_keys: ClassVar[Mapping[str, FieldType]] = MappingProxyType({})
    """Further keys beside `attribute` and the bound; each is a field of the same name."""
    condition: ClassVar[str]
    """The requirement as a clause with `{bound}`, `{attribute}` and other `facts`."""
    violation: ClassVar[str]
    """The fault of a class that misses the bound, as such a clause after 'with'."""
    example: ClassVar[float]
    """A bound for error messages."""
    letter: ClassVar[str]
    """The symbol of the bound, for places with little room: `α`."""
    strict: ClassVar[bool] = False
    """Whether the bound itself is too much."""
    monotone: ClassVar[bool] = False
    """Whether more records never hurt a class, as where values are counted."""
    closed_in_people: ClassVar[bool] = False
    """Whether merging stays harmless where people are counted, of whom two classes may share some:
    so it is where they are only ever added, not where shares are taken of them."""
    digits: ClassVar[int] = 3
    """Digits behind the point of a bound that is proposed; 0 where figures are whole numbers."""
    proof: ClassVar[Callable[..., Floats] | None] = None
    """Plug-ins only: the figures of all classes a second time, as a static method. It takes a frame
    with the `records` of every `class` and `rank` of a value (-1: missing) and the `Claim`, and
    must share no code with `figures`."""
    loosest: ClassVar[float] = 1.0
    """The bound that every class keeps: one value, a distance or share of 1; infinite where
    figures have no highest value."""

    bound: float
    attribute: str | None = None
    """None: of every sensitive attribute."""

    # -- project files and forms

    @classmethod
    def read(
        cls,
        bound: LocatedValue,
        attribute: str | None = None,
        own: Mapping[str, LocatedValue] = MappingProxyType({}),
    ) -> Self:
        """Return the requirement that a project file states; `own` holds its own keys."""
        further = {key: cls.own_keys[key].read(value) for key, value in own.items()}
        return cls(cls.bound_type.read(bound), attribute, **further)

    def written(self) -> dict[str, Any]:
        """Return the bound and its own keys where they differ from the default, for a file."""
        further = {
            key: kind.write(getattr(self, key))
            for key, kind in self.own_keys.items()
            if getattr(self, key) != getattr(type(self), key)
        }
        return {self.bound_key: plain_number(self.bound), **further}

    @classmethod
    def form_field(cls) -> Field:
        """Return the bound in a form; nothing typed: it is not required."""
        return Field(cls.form_name or cls.name, optional(cls.bound_type), help=cls.help)

    # -- the columns it is about

    def of_columns(self, sensitive: Sequence[Column], who: str) -> Sequence[tuple[Self, Column]]:
        """Return the requirement for each column that it is about; `who` begins the messages."""
        if not sensitive:
            raise InputError(
                f"{who}: {self.title} is required but no attribute has the role sensitive; give "
                f"it to one, for instance diagnosis: {{role: sensitive}}",
                on_screen=f"{self.title} is required but no attribute is sensitive; on screen 2, "
                f"press s on what must not be tied to a person",
            )
        by_name = {column.name: column for column in sensitive}
        if self.attribute is not None:
            required = f"{who}: {self.title} is required of '{self.attribute}'"
            check_known(self.attribute, by_name, f"{required}, which is no sensitive attribute")
            sensitive = [by_name[self.attribute]]
        return [(self.of_column(column, who), column) for column in sensitive]

    def of_column(self, column: Column, who: str) -> Self:
        """Return the requirement for one column; `who` begins the message where it does not fit."""
        return replace(self, attribute=column.name)

    # -- judging classes

    @abstractmethod
    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the figure of every class, whatever the bound; no class may be empty."""

    def people_figures(self, people: PeopleValues, column: Column) -> Floats:
        """Return the figure of every class by its people.

        `column` counts the whole table in people.
        """
        return self.figures(people.shared, column)

    def gaps(self, figures: Floats) -> Floats:
        """Return by how much figures miss the bound, in shares; 0 where they keep it."""
        if np.isinf(self.loosest):  # f / (1 + f) is a share, whatever the figure f
            slack = TIE * max(self.bound, 1.0)
            beyond = figures > self.bound + (-slack if self.strict else slack)
            over = 1.0 / (1.0 + self.bound) - 1.0 / (1.0 + figures)
            return np.asarray(np.where(beyond, np.maximum(over, 2 * TIE), 0.0), dtype=np.float64)
        missed = figures - self.bound
        if self.at_least:
            missed = -missed / self.bound
        return np.asarray(np.where(missed > TIE, missed, 0.0), dtype=np.float64)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return for every class a lower bound on the records it must lose to hold, 0 if unknown.

        A search prunes by it: 0 is always right, and what is nearer to the truth prunes more.
        """
        if not self.monotone:
            return np.zeros(groups.count, dtype=np.int64)
        missed = self.gaps(self.figures(groups, column)) > 0
        return np.where(missed, groups.sizes, 0)

    def worst(self, figures: Floats) -> float:
        """Return the figure that is furthest from keeping a bound."""
        return float(figures.min() if self.at_least else figures.max())

    def shown(self, figures: Floats) -> float:
        """Return the worst of some figures, as reports have it."""
        figure = self.worst(figures)
        return figure if self.digits else int(figure)

    def kept_by(self, figures: npt.ArrayLike) -> Floats:
        """Return the nearest bounds, with few digits, that classes of these figures keep."""
        scaled = np.asarray(figures, dtype=np.float64) * 10**self.digits
        loose = np.floor(scaled + _ROUNDING) if self.at_least else np.ceil(scaled - _ROUNDING)
        return np.asarray(loose / 10**self.digits, dtype=np.float64)

    # -- sentences

    def facts(self) -> dict[str, Any]:
        """Return the values that the clauses `condition` and `violation` are formatted with."""
        return {"bound": self.bound, "attribute": self.attribute}

    def __str__(self) -> str:
        """Return the requirement as a clause: what every class has."""
        return self.condition.format_map(self.facts())

    @property
    def fault(self) -> str:
        """The fault of a class that misses the bound, as a clause after 'with'."""
        return self.violation.format_map(self.facts())

    @property
    def short(self) -> str:
        """The requirement in a few characters: `l≥3`, `t≤0.2`."""
        return f"{self.letter}{'≥' if self.at_least else '≤'}{self.bound:g}"

    @property
    def long_title(self) -> str:
        """The title with the attribute: `t-closeness of income`."""
        return f"{self.title} of {self.attribute}"

    @property
    def only_values(self) -> tuple[str, ...]:
        """The values that the requirement is limited to; empty where it is about all."""
        return ()

    def claim_fields(self, column: Column) -> dict[str, Any]:
        """Return the further fields of a `Claim`, as plain data."""
        return {}

    def unreachable(self, of_table: float) -> str:
        """Return the message where even the whole table fails; `whole` is its figure."""
        what = f"{self.attribute}: {self.title} of {self.bound:g} is required"
        nearest = float(self.kept_by(of_table))
        if self.at_least:
            return (
                f"{what}, but the whole table has only {of_table:.4g}; require {nearest:g} or less"
            )
        return f"{what}, but the whole table has {of_table:.4g}; allow {nearest:g} or more"

    def loosened(self, bound: float) -> str:
        """Return `t-closeness of income 0.3 instead of 0.2`, or `without …` at the loosest."""
        if bound == self.loosest:
            return f"without {self.long_title}"
        return f"{self.long_title} {bound:g} instead of {self.bound:g}"
