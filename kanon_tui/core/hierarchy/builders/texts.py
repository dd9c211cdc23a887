"""Hierarchies of texts: `mask`, `groups` and `flat`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from kanon_tui.core.data.column import Column
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.hierarchy.builders.keys import misread, text_of
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.text import plural, quoted_list

__all__ = ["build_flat", "build_groups", "build_mask", "refuse_misread"]


def build_flat(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Every value directly below `*`."""
    return Hierarchy.flat(_present(column))


def build_mask(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Level j hides the last (or first) j characters: 46201, 4620*, 462**, …, and `*` for all.

    Values of different lengths are lined up first: a short one counts as if `*` filled it up to
    the longest at the end that is masked. So `E11` next to `E11.90` is `E11***` from the first
    level on and meets the longer code at the third, where that is `E11***` too. What level j shows
    is thus the first (or last) `longest - j` places, and each level follows from the one below. A
    character is one place whatever its width on the screen.
    """
    values = _present(column)
    longest = max(map(len, values))
    from_right = options["from"] == "right"
    filled = [v.ljust(longest, HIDDEN) if from_right else v.rjust(longest, HIDDEN) for v in values]
    masked = longest - 1 if options["levels"] is None else min(options["levels"], longest - 1)
    levels = [
        [v[: longest - j] + HIDDEN * j if from_right else HIDDEN * j + v[j:] for v in filled]
        for j in range(1, masked + 1)
    ]
    return Hierarchy.of(zip(values, *levels, [HIDDEN] * len(values), strict=True), column.name)


def build_groups(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Named groups of values, then named groups of groups.

    The rows stand in the order in which values are named, which is the order of the tree. Values
    and groups that a level does not name go to the group `other`, or are refused without it.
    """
    who, other = column.name, options["other"]
    levels = [_parents(level, number, who) for number, level in enumerate(options["levels"], 1)]
    for number, (below, above) in enumerate(pairwise(levels), start=2):
        _check_named(below, above, number, other, who)

    def path(value: str) -> list[str]:
        labels = [value]
        for parents in levels:
            labels.append(parents.get(labels[-1], other))
        return labels

    named = Hierarchy.of([path(value) for value in levels[0]], who)
    lost = named.uncovered(column)
    if not lost:
        return named
    refuse_misread(chain.from_iterable(options["levels"][0].values()), lost, who)
    if other is None:
        verb, group = plural(len(lost), "is", "are"), plural(len(lost), "it", "them")
        raise InputError(
            f"{who}: {quoted_list(lost, most=20)} {verb} in no group of level 1; name {group}, or "
            f"say other: NAME for the group of all values not named"
        )
    return Hierarchy.of([path(value) for value in (*levels[0], *lost)], who)


def refuse_misread(written: Iterable[Any], lost: Sequence[str], who: str) -> None:
    """Where values lack a row because YAML read them as numbers, say so."""
    found = misread(written, set(lost))
    if found:
        raise InputError(
            f"{who}: YAML reads {found[0]} without quotes as the number {found[1]}; quote it"
        )


def _parents(level: Mapping[Any, Sequence[Any]], number: int, who: str) -> dict[str, str]:
    """The group of every member of a level."""
    parents: dict[str, str] = {}
    for written, members in level.items():
        group = text_of(written, f"{who}: level {number} of builder groups")
        for member in members:
            text = text_of(member, f"{who}: group '{group}' of level {number}")
            if text in parents:
                raise InputError(
                    f"{who}: level {number} names '{text}' in the group '{parents[text]}' and "
                    f"again in '{group}'; name it once"
                )
            parents[text] = group
    return parents


def _check_named(
    below: Mapping[str, str], above: Mapping[str, str], number: int, other: str | None, who: str
) -> None:
    """The members of a level must be the groups of the level below, all of them."""
    groups = {*below.values(), *([other] if other is not None else [])}
    for member in above:
        if member not in groups:
            raise InputError(
                f"{who}: level {number} names '{member}', which is not a group of level "
                f"{number - 1}; {suggestion(member, groups)}"
            )
    left_out = [group for group in dict.fromkeys(below.values()) if group not in above]
    if left_out and other is None:
        verb, them = plural(len(left_out), "is", "are"), plural(len(left_out), "it", "them")
        raise InputError(
            f"{who}: {quoted_list(left_out, most=20)} of level {number - 1} {verb} in no group of "
            f"level {number}; name {them}, or say other: NAME for the group of all not named"
        )


def _present(column: Column) -> Sequence[str]:
    return column.values[: len(column.values) - (column.missing is not None)]
