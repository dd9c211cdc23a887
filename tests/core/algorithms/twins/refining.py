"""A slow, literal twin of refining: every class is measured anew, for every move and swap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kanon_tui.core.algorithms.twins.merging import TIE, codes_of, ncp
from kanon_tui.core.task.task import Task

Class = list[int]
Judge = Callable[[Class], bool]
"""Whether a class keeps what is required beyond k."""
PARTNERS = 12
REMEMBERED = 4
DISSOLVED = -3


class Refined:
    """Classes of records that exchange records and are split while their NCP falls."""

    def __init__(
        self,
        task: Task,
        classes: Sequence[Class],
        near: dict[int, list[int]],
        holds: Judge,
        more_than_k: bool = False,
    ) -> None:
        self.task = task
        self.near = near
        self.holds = holds
        self.more_than_k = more_than_k
        self.classes = [list(one) for one in classes]
        self.changed = [1] * len(classes)
        self.tried = [0] * len(classes)
        self.refused: list[list[int]] = [[] for _ in classes]

    def run(self, rounds: int = 20) -> list[Class]:
        for batch in range(1, rounds + 1):
            proposals = []
            busy = set()
            for a in range(len(self.classes)):
                idle = a in busy or not self.classes[a]
                found = None if idle else self.best_change(a, busy, batch)
                if found is not None:
                    proposals.append((a, *found))
                    busy |= {a, *(found[1] if found[0] == DISSOLVED else found[:1])}
            for a, b, sides in proposals:
                self.carry_out(a, b, sides, batch)
            if not proposals:
                break
        return [one for one in self.classes if one]

    def cost(self, records: Class) -> float:
        each = (
            attribute.weight * ncp(attribute, codes_of(self.task, x, records))
            for x, attribute in enumerate(self.task.quasi)
        )
        return len(records) * sum(each) if records else 0.0

    def best_change(self, a: int, busy: set[int], batch: int) -> tuple[int, Any] | None:
        own = self.classes[a]
        k = self.task.k
        tried = False
        if len(own) >= 2 * k and self.changed[a] > self.tried[a] and -1 not in self.refused[a]:
            tried = True
            sides = self.seeded(own) if self.cost(own) >= TIE else None
            if sides is not None:
                sides = self.improved(own, sides)
                if self.cost(own) - self.both(sides) > TIE:
                    return -1, sides
        best = TIE
        found = None
        complete = True
        for b in self.partners(a):
            if max(self.changed[a], self.changed[b]) <= self.tried[a]:
                continue
            if b in busy:
                complete = False
                continue
            if b in self.refused[a]:
                continue
            sides, saved = self.shared_out(own, self.classes[b])
            if saved > best + TIE:
                best = saved
                found = (b, sides)
            tried = True
        if found is None and complete:
            self.tried[a] = batch
            if tried and DISSOLVED not in self.refused[a]:
                return self.dissolved(a, busy)
        return found

    def dissolved(self, a: int, busy: set[int]) -> tuple[int, list[int]] | None:
        """The class that each record of one joins, where that costs less than the class."""
        saved = self.cost(self.classes[a])
        into = []
        joined = {b: list(members) for b, members in enumerate(self.classes)}
        for record in self.classes[a]:
            least = float("inf")
            found = -1
            for other in self.near[record]:
                b = next((c for c, members in enumerate(self.classes) if other in members), a)
                growth = self.cost([*joined[b], record]) - self.cost(joined[b])
                if b not in {a, *busy} and growth < least - TIE:
                    least = growth
                    found = b
            saved -= least
            if saved <= TIE:
                return None
            joined[found].append(record)
            into.append(found)
        return DISSOLVED, into

    def partners(self, a: int) -> list[int]:
        votes: dict[int, float] = {}
        for record in self.classes[a]:
            for j, other in enumerate(self.near[record]):
                b = next((c for c, members in enumerate(self.classes) if other in members), a)
                if b != a:
                    votes[b] = votes.get(b, 0.0) + 1 / (1 + j)
        return sorted(votes, key=lambda b: (-round(votes[b], 6), b))[:PARTNERS]

    def both(self, sides: tuple[Class, Class]) -> float:
        return self.cost(sides[0]) + self.cost(sides[1])

    def shared_out(self, one: Class, other: Class) -> tuple[tuple[Class, Class], float]:
        union = [*one, *other]
        sides = (list(one), list(other))
        before = self.both(sides)
        if before < TIE:
            return sides, 0.0
        best = self.improved(union, sides)
        if self.both(best) > TIE:
            seeded = self.seeded(union)
            if seeded is not None:
                seeded = self.improved(union, seeded)
                if self.both(seeded) < self.both(best) - TIE:
                    best = seeded
        return best, before - self.both(best)

    def improved(self, union: Class, sides: tuple[Class, Class]) -> tuple[Class, Class]:
        k = self.task.k
        while True:
            first = set(sides[0])
            now = self.both(sides)
            least = now
            chosen = None
            for i in union if now > TIE else ():
                side = i not in first
                if len(sides[side]) > k:
                    moved = self.parted(union, first ^ {i})
                    if self.both(moved) < least - TIE:
                        least = self.both(moved)
                        chosen = moved
                for j in union:
                    if i in first and j not in first:
                        swapped = self.parted(union, first ^ {i, j})
                        if self.both(swapped) < least - TIE:
                            least = self.both(swapped)
                            chosen = swapped
            if chosen is None:
                return sides
            sides = chosen

    def parted(self, union: Class, first: set[int]) -> tuple[Class, Class]:
        return [i for i in union if i in first], [i for i in union if i not in first]

    def seeded(self, union: Class) -> tuple[Class, Class] | None:
        one = self.furthest(union, union[0])
        other = self.furthest(union, one)
        if one == other:
            return None
        seeds = sorted((one, other), key=union.index)
        sides = ([seeds[0]], [seeds[1]])
        left = [i for i in union if i not in seeds]
        k = self.task.k
        while min(map(len, sides)) < k:
            least = float("inf")
            chosen = (left[0], 0)
            for s in (0, 1):
                for i in left if len(sides[s]) < k else ():
                    growth = self.cost([*sides[s], i]) - self.cost(sides[s])
                    if growth < least - TIE:
                        least = growth
                        chosen = (i, s)
            sides[chosen[1]].append(chosen[0])
            left.remove(chosen[0])
        for i in left:
            growth = [self.cost([*side, i]) - self.cost(side) for side in sides]
            sides[growth[1] < growth[0] - TIE].append(i)
        return self.parted(union, set(sides[0]))

    def furthest(self, union: Class, origin: int) -> int:
        best = TIE
        found = origin
        for i in union:
            away = self.cost([i, origin]) / 2
            if away > best + TIE:
                best = away
                found = i
        return found

    def carry_out(self, a: int, b: int, sides: Any, batch: int) -> None:
        if b == DISSOLVED:
            if self.more_than_k:
                self.refused[a] = [b, *self.refused[a]][:REMEMBERED]
                return
            for record, c in reversed([*zip(self.classes[a], sides, strict=True)]):
                self.classes[c] = [record, *self.classes[c]]
                self.changed[c], self.refused[c] = batch + 1, []
            self.classes[a] = []
            return
        if not all(self.holds(side) for side in sides):
            self.refused[a] = [b, *self.refused[a]][:REMEMBERED]
            return
        before = (self.classes[a], self.classes[b] if b >= 0 else [])
        stay = sum(len(set(old) & set(new)) for old, new in zip(before, sides, strict=True))
        if b >= 0 and 2 * stay < sum(map(len, sides)):
            sides = (sides[1], sides[0])
        if b < 0 and [] in self.classes:
            b = self.classes.index([])
        elif b < 0:
            b = len(self.classes)
            self.classes.append([])
            self.changed.append(0)
            self.tried.append(0)
            self.refused.append([])
        for c, members in zip((a, b), sides, strict=True):
            self.classes[c], self.changed[c], self.refused[c] = members, batch + 1, []
