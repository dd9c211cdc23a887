"""Minimality: worlds excluded because the algorithm would have published them more finely.

An attacker knows the algorithm, k and what is required beyond it, and who is in a class (by the
quasi-identifiers), but not who has which of its sensitive values. Every way to hand the values to
the people is a world. Worlds in which the class could have been cut in two, with k people and all
that is required on either side, are excluded: a clustering that generalises no more than it must
would have cut it. In the worlds that are left some people have a value more often than the class
says.

A person is hit where her true value has a higher share in these worlds than any value has in her
class. All worlds are enumerated up to `MOST_WORLDS`, else as many are drawn by the seed. Cuts are
those between two neighbouring numbers and around one label below the common one. Classes whose box
fits more people than they have are passed over, and so are full-domain releases: their levels are
decided for the whole table. k alone does not depend on sensitive values, so that it tells nothing.

Reference: Wong, Fu, Wang, Pei, Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007.
"""

from collections.abc import Iterator
from math import factorial, prod

import numpy as np

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.matching import lists_by_key
from kanon_tui.core.analysis.why.classes import cut_sides
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.table.column import Column, GroupValues
from kanon_tui.core.task.task import Family, Task
from kanon_tui.core.text import count_of

MOST_WORLDS = 2_000
MOST_CLASSES = 2_000
_REMEDY = "ties broken at random, or a stricter requirement (l + 1)"


def minimality(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people of whom excluded worlds tell more than their class."""
    task, title = attacked.task, "Minimality"
    family = find_algorithm(attacked.project.algorithm.name).family
    if family is Family.FULL_DOMAIN or not task.requirements:
        why = (
            "levels are decided for the whole table, not class by class"
            if task.requirements
            else "nothing is required of sensitive attributes, and k does not depend on them"
        )
        sentence = f"Nothing can be learnt from minimality: {why}."
        return [AttackResult(title, task.people, 0, sentences=(sentence,))]
    found = []
    for column in {each.column.name: each.column for each in task.requirements}.values():
        hit, hits, looked_at = np.zeros(task.n, dtype=bool), [], 0
        for row, members in enumerate(_members(attacked)):
            hits.append(0)
            if len(members) and looked_at < MOST_CLASSES:
                exposed = _exposed(task, members, column)
                looked_at += exposed is not None
                if exposed is not None:
                    hit[members[exposed]] = True
                    hits[-1] = int(exposed.sum())
            attacked.check(row + 1, len(attacked.classes.sizes))
        found.append(
            AttackResult(
                f"{title}: {column.name}",
                task.people,
                task.count(hit),
                worst=attacked.worst_class(np.array(hits, dtype=np.int64)),
                sentences=(
                    f"{count_of(looked_at, 'class', 'classes')} could be cut for k alone. The "
                    f"worlds in which nothing forbids the cut are excluded; in the others "
                    f"{count_of(task.count(hit), 'person has', 'people have')} their true "
                    f"{column.name} more often than any value stands in their class.",
                ),
                remedy=_REMEDY,
            )
        )
    return found


def _members(attacked: AttackedRelease) -> Iterator[Int64s]:
    """Yield the records of every class; none where more people fit its box than it has."""
    fit, row_of = attacked.fit, attacked.fit.records.row_of
    records = lists_by_key(row_of, np.arange(len(row_of)), len(fit.records.sizes))
    for distinct, size in zip(fit.neighbours[1], attacked.classes.sizes, strict=True):
        whole = fit.records.sizes[distinct].sum() == size
        yield np.concatenate([np.zeros(0, np.int64), *(records[one] for one in distinct if whole)])


def _exposed(task: Task, members: Int64s, column: Column) -> Flags | None:
    """Return the members of whom consistent worlds tell more; None where no cut keeps k."""
    sides = [
        side
        for attribute in task.quasi
        for side in cut_sides(attribute, attribute.column.codes[members])
    ]
    cuts = [side for side in sides if min(side.sum(), (~side).sum()) >= task.k]
    if not cuts:
        return None
    truth = column.codes[members].astype(np.int64)
    shares = chances(truth, cuts, [each for each in task.requirements if each.column is column])
    if shares is None:
        return np.zeros(len(members), dtype=bool)
    _, own = np.unique(truth, return_inverse=True)
    commonest = np.bincount(own).max() / len(truth)
    return np.asarray(shares[np.arange(len(truth)), own] > commonest + 1e-9, dtype=bool)


def chances(
    truth: Int64s, cuts: list[Flags], requirements: list[ColumnRequirement]
) -> Floats | None:
    """Return members × values: the share of consistent worlds in which a member has a value.

    `truth` are the codes of the members' values, `cuts` one side each. None where no world that was
    looked at is consistent.
    """
    values, counts = np.unique(truth, return_counts=True)
    worlds = _worlds(values, counts)
    open_cut = np.zeros(len(worlds), dtype=bool)
    for side in cuts:
        holds = np.ones(len(worlds), dtype=bool)
        for requirement in requirements:
            for part in (side, ~side):
                number = np.repeat(np.arange(len(worlds)), int(part.sum()))
                groups = GroupValues.from_records(number, worlds[:, part].ravel(), len(worlds))
                holds &= requirement.gaps(groups) <= 0
        open_cut |= holds
    kept = worlds[~open_cut]
    if not len(kept):
        return None
    return np.stack([(kept == value).mean(axis=0) for value in values], axis=1)


def _worlds(values: Int64s, counts: Int64s) -> Int64s:
    """Return worlds × members: every different order of the values, or some drawn by a seed."""
    size = int(counts.sum())
    every = factorial(size) // prod(factorial(int(count)) for count in counts)
    if every <= MOST_WORLDS:
        orders = list(_orders(tuple(counts.tolist()), size))
        return values[np.array(orders, dtype=np.int64)]
    chance = np.random.default_rng(size)
    drawn = chance.permuted(np.tile(np.repeat(values, counts), (MOST_WORLDS, 1)), axis=1)
    return np.asarray(drawn, dtype=np.int64)


def _orders(left: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the different orders of a multiset given by its counts."""
    if not size:
        yield ()
    for place, count in enumerate(left):
        if count:
            fewer = (*left[:place], count - 1, *left[place + 1 :])
            for rest in _orders(fewer, size - 1):
                yield (place, *rest)
