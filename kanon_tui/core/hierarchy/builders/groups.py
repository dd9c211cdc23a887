"""Builder `groups`: named groups of values, and groups of groups."""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.declaration import Field, list_of, text
from kanon_tui.core.hierarchy.builders.builder import Builder, lists_by_name
from kanon_tui.core.hierarchy.level_table import Hierarchy, refuse_misread, text_of
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.text import plural, quoted_list

_LEVELS = "a list of mappings from groups to members, such as [{Europe: [France, Italy]}]"


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build levels of named groups of values, then of named groups of groups.

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

    named = Hierarchy.from_rows([path(value) for value in levels[0]], who)
    uncovered = named.uncovered(column)
    if not uncovered:
        return named
    refuse_misread(chain.from_iterable(options["levels"][0].values()), uncovered, who)
    if other is None:
        verb, group = plural(len(uncovered), "is", "are"), plural(len(uncovered), "it", "them")
        raise InputError(
            f"{who}: {quoted_list(uncovered, most=20)} {verb} in no group of level 1; name {group}"
            f", or say other: NAME for the group of all values not named"
        )
    return Hierarchy.from_rows([path(value) for value in (*levels[0], *uncovered)], who)


def _parents(level: Mapping[Any, Sequence[Any]], number: int, who: str) -> dict[str, str]:
    """Return the group of every member of a level."""
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
    """Refuse a level whose members are not all the groups of the level below."""
    groups = {*below.values(), *([other] if other is not None else [])}
    for member in above:
        names = f"{who}: level {number} names '{member}'"
        check_known(member, groups, f"{names}, which is not a group of level {number - 1}")
    left_out = [group for group in dict.fromkeys(below.values()) if group not in above]
    if left_out and other is None:
        verb, them = plural(len(left_out), "is", "are"), plural(len(left_out), "it", "them")
        raise InputError(
            f"{who}: {quoted_list(left_out, most=20)} of level {number - 1} {verb} in no group of "
            f"level {number}; name {them}, or say other: NAME for the group of all not named"
        )


GROUPS = Builder(
    "groups",
    "Named groups of values, and groups of groups",
    tuple(Kind),
    (
        Field(
            "levels",
            list_of(lists_by_name(_LEVELS, empty=False), _LEVELS, empty=False),
            help="Per level the groups with their members: values, then groups of the level below",
            required="levels: [{Europe: [France, Italy]}]",
        ),
        Field(
            "other",
            text("the name of a group", empty=False),
            help="The group of whatever a level does not name; without it that is an error",
        ),
    ),
    _build,
)
