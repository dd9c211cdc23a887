"""Builder `icd10`: diagnoses by category and chapter, E11.90 → E11 → `E00-E90 endocrine` → `*`."""

import re
from bisect import bisect
from collections.abc import Mapping
from typing import Any

from kanon_tui.core.hierarchy.builders.builder import Builder, present_values
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.personal_patterns import DIAGNOSES, words_of

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
    values = present_values(column)
    codes = [code for code in map(_CODE.fullmatch, values) if code]
    dotted = sum(code[1] is not None for code in codes)
    looks_like_codes = bool(DIAGNOSES.find(words_of(column.name))) or dotted * 2 >= len(values)
    return looks_like_codes and len(values) > 1 and len(codes) >= 0.9 * len(values)


def _path(value: str) -> tuple[str, ...]:
    if not _CODE.fullmatch(value):
        return value, value, OTHER, HIDDEN
    category = value[:3].upper()
    return value, category, _CHAPTERS[max(bisect(_FIRST, category) - 1, 0)], HIDDEN


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Build the levels category (the first three characters), chapter and `*`.

    They depend on a code alone, so that later records get the same labels. A value that is no code
    stays itself among the categories and belongs to the chapter `other`.
    """
    return Hierarchy.from_rows(map(_path, present_values(column)), column.name)


ICD10 = Builder(
    "icd10", "Diagnoses by category and chapter: E11, E00-E90 …", (Kind.CATEGORICAL,), (), _build
)
