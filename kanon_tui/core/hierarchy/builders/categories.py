"""Builders for categories: `flat`, `mask`, `icd10` and `groups`.

flat      every value directly below `*`
mask      hides one character more at every level, `4620*`, `462**`, …
icd10     diagnoses by category and chapter, E11.90 → E11 → `E00-E90 endocrine` → `*`
groups    named groups of values, and groups of groups
"""

import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

from kanon_tui.core.errors import InputError, Values, check_known
from kanon_tui.core.fields.declaration import Field, choice, list_of, text, whole_number
from kanon_tui.core.hierarchy.builders.builder import Builder, lists_by_name
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy, refuse_misread, text_of
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.role_guesses import DIAGNOSES, words_of
from kanon_tui.core.text import plural, quoted_list

FLAT = Builder(
    "flat",
    "Every value directly below *",
    tuple(Kind),
    (),
    lambda column, options: Hierarchy.flat(column.values[: column.present]),
)


_MOST_CHARACTERS = 500_000_000
"""The most characters of all labels together."""


def _build_masks(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build levels that hide the last (or first) j characters: 46201, 4620*, 462**, … and `*`.

    Values of different lengths are lined up first: a short one counts as if `*` filled it up to
    the longest at the end that is masked. So `E11` next to `E11.90` is `E11***` from the first
    level on and meets the longer code at the third, where that is `E11***` too. What level j shows
    is thus the first (or last) `longest - j` places, and each level follows from the one below. A
    character is one place whatever its width on the screen.
    """
    values = column.values[: column.present]
    longest = max(map(len, values))
    if options["length"] is not None:
        if longest > options["length"]:
            raise InputError(
                f"{column.name}: its longest value has {longest:,} characters, length says "
                f"{options['length']:,}; raise length or leave it out"
            )
        longest = options["length"]
    from_right = options["from"] == "right"
    masked = longest - 1 if options["levels"] is None else min(options["levels"], longest - 1)
    if masked * longest * len(values) > _MOST_CHARACTERS:
        most = max(1, _MOST_CHARACTERS // (longest * len(values)))
        raise InputError(
            f"{column.name}: its longest value has {longest:,} characters, and to hide them one by "
            f"one takes {masked:,} levels of that length, more than the memory is asked for; set "
            f"levels to at most {most:,}, or use another builder"
        )
    filled = [v.ljust(longest, HIDDEN) if from_right else v.rjust(longest, HIDDEN) for v in values]
    levels = [
        [v[: longest - j] + HIDDEN * j if from_right else HIDDEN * j + v[j:] for v in filled]
        for j in range(1, masked + 1)
    ]
    return Hierarchy.from_rows(
        zip(values, *levels, [HIDDEN] * len(values), strict=True), column.name
    )


MASK = Builder(
    "mask",
    "Hides one character more at every level: 4620*, 462**, …",
    tuple(Kind),
    (
        Field("from", choice(("right", "left")), "right", "The end at which hiding begins"),
        Field(
            "levels",
            whole_number(low=1),
            help="How many characters are hidden one by one before all are; all when not given",
        ),
        Field(
            "length",
            whole_number(low=1),
            help="The places that values are lined up to; those of the longest when not given",
        ),
    ),
    _build_masks,
)


_CHAPTERS = (
    "A00-B99 infectious", "C00-D48 neoplasms", "D50-D89 blood", "E00-E90 endocrine",
    "F00-F99 mental", "G00-G99 nervous", "H00-H59 eye", "H60-H95 ear", "I00-I99 circulatory",
    "J00-J99 respiratory", "K00-K93 digestive", "L00-L99 skin", "M00-M99 musculoskeletal",
    "N00-N99 genitourinary", "O00-O99 pregnancy", "P00-P96 perinatal", "Q00-Q99 congenital",
    "R00-R99 symptoms", "S00-T98 injury", "U00-U99 special", "V01-Y98 external", "Z00-Z99 factors",
)  # fmt: skip
"""The 22 chapters of the WHO; national editions add codes at their ends, such as D49 or Y99."""
_FIRST = [chapter[:3] for chapter in _CHAPTERS]
_CODE = re.compile(r"[A-Z][0-9][0-9A-Z](?:(\.)?[0-9A-Z-]{0,4})[*+!]?(?: ?[AGVZ])?", re.IGNORECASE)
OTHER = "other"
"""The chapter of what is no code."""


def icd10_codes(column: Column) -> bool:
    """Return whether nearly all values are ICD-10 codes, judged by the column name or the dots."""
    values = column.values[: column.present]
    codes = [code for code in map(_CODE.fullmatch, values) if code]
    dotted = sum(code[1] is not None for code in codes)
    looks_like_codes = bool(DIAGNOSES.find(words_of(column.name))) or dotted * 2 >= len(values)
    return looks_like_codes and len(values) > 1 and len(codes) >= 0.9 * len(values)


def _path(value: str) -> tuple[str, ...]:
    """Return a code, its category (the first three characters), its chapter and `*`.

    They depend on the code alone, so that later records get the same labels. A value that is no
    code stays itself among the categories and belongs to the chapter `other`.
    """
    if not _CODE.fullmatch(value):
        return value, value, OTHER, HIDDEN
    category = value[:3].upper()
    return value, category, _CHAPTERS[max(bisect(_FIRST, category) - 1, 0)], HIDDEN


ICD10 = Builder(
    "icd10",
    "Diagnoses by category and chapter: E11, E00-E90 …",
    (Kind.CATEGORICAL,),
    (),
    lambda column, options: Hierarchy.from_rows(
        map(_path, column.values[: column.present]), column.name
    ),
)


_LEVELS = "a list of mappings from groups to members, such as [{Europe: [France, Italy]}]"


def _build_groups(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build levels of named groups of values, then of named groups of groups.

    The rows stand in the order in which values are named, which is the order of the tree. Values
    and groups that a level does not name go to the group `other`, or are refused without it.
    """
    who = column.name
    other_group = options["other"]
    levels = parents_of_members(options["levels"], who)
    for number, (below, above) in enumerate(pairwise(levels), start=2):
        _check_named(below, above, number, other_group, who)
    named = Hierarchy.from_rows(
        [group_labels(value, levels, other_group) for value in levels[0]], who
    )
    uncovered = named.uncovered(column)
    if not uncovered:
        return named
    refuse_misread(chain.from_iterable(options["levels"][0].values()), uncovered, who)
    if other_group is None:
        verb = plural(len(uncovered), "is", "are")
        group = plural(len(uncovered), "it", "them")
        raise InputError(
            f"{who}: {Values(uncovered, most=20)} {verb} in no group of level 1; name {group}"
            f", or say other: NAME for the group of all values not named"
        )
    every = (*levels[0], *uncovered)
    return Hierarchy.from_rows([group_labels(value, levels, other_group) for value in every], who)


def group_labels(value: str, levels: Iterable[Mapping[str, str]], other_group: Any) -> list[str]:
    """Return a value and its group at every level, `other` where a level does not name it."""
    labels = [value]
    for parents in levels:
        labels.append(parents.get(labels[-1], other_group))
    return labels


def parents_of_members(levels: Iterable[Mapping[Any, Any]], who: str) -> list[dict[str, str]]:
    """Return per level the group of every member that it names."""
    return [_parents(level, number, who) for number, level in enumerate(levels, 1)]


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
    below: Mapping[str, str],
    above: Mapping[str, str],
    number: int,
    other_group: str | None,
    who: str,
) -> None:
    """Refuse a level whose members are not all the groups of the level below."""
    groups = {*below.values(), *([other_group] if other_group is not None else [])}
    for member in above:
        names = f"{who}: level {number} names '{member}'"
        check_known(member, groups, f"{names}, which is not a group of level {number - 1}")
    left_out = [group for group in dict.fromkeys(below.values()) if group not in above]
    if left_out and other_group is None:
        verb = plural(len(left_out), "is", "are")
        them = plural(len(left_out), "it", "them")
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
    _build_groups,
)
