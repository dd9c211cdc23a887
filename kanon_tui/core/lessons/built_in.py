"""The narrators of the built-in algorithms, registered by being imported."""

from kanon_tui.core.lessons import (
    afterwards,
    class_by_class,
    cutting,
    growing,
    merging,
    narrated,
    similarity,
    splitting,
)

__all__ = [
    "afterwards",
    "class_by_class",
    "cutting",
    "growing",
    "merging",
    "narrated",
    "similarity",
    "splitting",
]
