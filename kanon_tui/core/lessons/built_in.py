"""The narrators of the built-in algorithms, registered by being imported."""

from kanon_tui.core.lessons import (
    afterwards,
    bounding,
    class_by_class,
    cutting,
    growing,
    merging,
    parts_of_strings,
    raising,
    searching,
    similarity,
    splitting,
)

__all__ = [
    "afterwards",
    "bounding",
    "class_by_class",
    "cutting",
    "growing",
    "merging",
    "parts_of_strings",
    "raising",
    "searching",
    "similarity",
    "splitting",
]
