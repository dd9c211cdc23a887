"""Pre-pruning: which levels fail alone, and why the others cannot pass.

A string cannot pass where one of its levels does not pass alone, because every further attribute
only divides the classes. Counting single attributes is cheap (it needs the counts of the values,
not the records), so this is done first; and it tells a person why little or nothing is left.

Reference: Morton, pre-pruning (figure 3).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.privacy.requirements import out_of_reach
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import Note, Quotable, count_of, note


@dataclass(frozen=True, eq=False)
class LevelAlone:
    """One level of one attribute, as if it were the only one published."""

    attribute: str
    level: int
    sizes: npt.NDArray[np.int64]
    """Records per label."""
    k: int
    allowed: int

    @property
    def small(self) -> int:
        """Records in groups smaller than k."""
        return int(self.sizes[self.sizes < self.k].sum())

    @property
    def passes(self) -> bool:
        """Whether it is k-anonymous but for the records that may be suppressed."""
        return self.small <= self.allowed


def levels_alone(attribute: QuasiIdentifier, task: Task) -> Iterator[LevelAlone]:
    """Yield every level of an attribute alone, from its values to the root."""
    allowed = min(task.allowed_suppressed, task.n - 1)  # a release of no records is none
    for level, mapping in enumerate(attribute.hierarchy.maps):
        sizes = np.bincount(mapping, weights=attribute.column.counts).astype(np.int64)
        yield LevelAlone(attribute.name, level, sizes, task.k, allowed)


def highest_levels(task: Task, limits: str = "levels") -> tuple[int, ...]:
    """Return the level of every attribute above which no search goes.

    That is its `max_level`, or else its root. With the limits `magvals` it is also the lowest level
    of a MAGVal above one of its values, so that no value is generalised beyond its own.
    """
    highest = []
    for attribute in task.quasi:
        hierarchy = attribute.hierarchy
        most = attribute.max_level
        top = hierarchy.height if most is None else most
        if limits == "magvals" and hierarchy.marks:
            top = min(top, int(hierarchy.mark_levels[attribute.column.counts > 0].min()))
        highest.append(top)
    return tuple(highest)


def lowest_levels(
    task: Task, highest: Sequence[int] = ()
) -> tuple[tuple[int, ...], tuple[LevelAlone, ...]]:
    """Return per attribute the lowest level that passes alone, and the levels that are dropped.

    The levels above a passing one pass too, and the root is one class of all records. Where none up
    to the highest level passes, that one is kept: then nothing passes.
    """
    refuse_if_hopeless(task, task.allowed_suppressed)
    lowest = []
    dropped = []
    limits = zip(task.quasi, least_levels(task), highest or highest_levels(task), strict=True)
    for attribute, least, most in limits:
        for alone in levels_alone(attribute, task):
            if alone.level < min(least, most):
                continue
            if alone.passes or alone.level == most:
                lowest.append(alone.level)
                break
            dropped.append(alone)
    return tuple(lowest), tuple(dropped)


def least_levels(task: Task) -> tuple[int, ...]:
    """Return the levels at which a search begins."""
    return task.least_levels or (0,) * len(task.quasi)


def string_figures(task: Task) -> dict[str, Any]:
    """Return the number of strings before and after pre-pruning, and the RV of both ends.

    The ends are the string of roots and the most specific one (Morton's tables 5 and 6).
    """
    tops = zip(task.quasi, highest_levels(task), strict=True)
    levels_left = [
        sum(alone.passes and alone.level <= top for alone in levels_alone(attribute, task))
        for attribute, top in tops
    ]
    values = [level_research_values(attribute) for attribute in task.quasi]
    return {
        "all": count_strings(task),
        "after_pre_pruning": prod(levels_left),
        "rv_roots": float(sum(level_values[-1] for level_values in values)),
        "rv_most_specific": float(sum(level_values[0] for level_values in values)),
    }


def count_strings(task: Task) -> int:
    """Return the number of strings of the whole lattice."""
    return prod(top + 1 for top in highest_levels(task))


def refuse_if_hopeless(task: Task, allowed: int) -> None:
    """Say why nothing passes where even the most general string fails, whatever may be let go."""
    beyond = out_of_reach(task.requirements, suppression=allowed > 0)
    if beyond is not None:
        raise NotReachedError(beyond.unreachable())
    if task.n >= task.k:
        return
    names = ", ".join(attribute.name for attribute in task.quasi)
    raise NotReachedError(
        f"no string passes: with every attribute at its root all {task.n:,} records are one class, "
        f"which k = {task.k:,} does not allow, and {names} fail alone at every level; "
        f"choose k of at most {task.n:,} or add records; max_suppression would leave nothing"
    )


def beyond_limits(names: Sequence[str], heights: Sequence[int], suppressed: int | None) -> str:
    """Return the sentence for limits within which no string passes."""
    highest = ", ".join(f"{name} {top}" for name, top in zip(names, heights, strict=True))
    records = "too many" if suppressed is None else f"{suppressed:,}"
    return (
        f"no string passes within the limits: at the highest levels allowed ({highest}) {records} "
        f"records would have to be suppressed; raise max_level, allow more suppression, lower k, "
        f"or set limits to levels where MAGVals are the limit"
    )


def no_string(task: Task) -> str:
    """Return the sentence for a search that found no passing string."""
    missed = "; ".join(
        requirement.unreachable()
        for requirement in task.requirements
        if not requirement.whole_table_holds
    )
    return (
        f"no string passes: with every attribute at its root all records are one class, which "
        f"fails ({missed}), and below it more than {task.allowed_suppressed:,} records would have "
        f"to be suppressed; require less or raise max_suppression"
    )


def hidden_note(task: Task) -> Note:
    """Return the note on a release that hides everything: the level nearest to passing."""
    return note(
        "every quasi-identifier is at its root, so the release says nothing about them{nearest}",
        nearest=_nearest_level(task),
    )


def only_roots(task: Task) -> str:
    """Return the sentence for `local` where only the string of roots passes."""
    return (
        "none found: of the strings that local met only that of roots passes, which says nothing "
        f"of the quasi-identifiers{_nearest_level(task)}; lower k, choose another algorithm, or "
        f"set accept_root to publish the roots"
    )


def _nearest_level(task: Task) -> Quotable:
    """Return the level below the roots that came nearest to passing, and the change it needs."""
    below = [
        [
            level_alone
            for level_alone in levels_alone(a, task)
            if level_alone.level < a.hierarchy.height
        ][-1]
        for a in task.quasi
        if a.hierarchy.height > 0
    ]
    if not below:
        return Quotable()
    nearest = min(below, key=lambda level_alone: level_alone.small)
    if nearest.passes:
        return Quotable(
            f", though level {nearest.level} of {nearest.attribute} passes alone: global and "
            f"hybrid look at all strings"
        )
    share = np.ceil(nearest.small / task.n * 1e4) / 1e4
    smallest = int(nearest.sizes.min())
    fails = [level_alone.attribute for level_alone in below if not level_alone.passes]
    alone = f"; {', '.join(fails)} fail alone below their root" if fails else ""
    return Quotable(
        f"{alone}; nearest is level {nearest.level} of {nearest.attribute}, where "
        f"{count_of(nearest.small, 'record stands', 'records stand')} in the "
        f"way alone: it would pass alone with "
        f"max_suppression {share:g} or k = {smallest:,}"
    )
