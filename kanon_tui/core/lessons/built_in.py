"""The narrators of the built-in algorithms, registered by being imported."""

from kanon_tui.core.lessons import cutting, growing, merging, narrated, similarity, splitting

__all__ = ["cutting", "growing", "merging", "narrated", "similarity", "splitting"]
