"""The narrators of the built-in algorithms, registered by being imported."""

from kanon_tui.core.lessons import cutting, merging, narrated, splitting

__all__ = ["cutting", "merging", "narrated", "splitting"]
