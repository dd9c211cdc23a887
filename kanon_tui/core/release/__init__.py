"""Recoding: from a grouping to the published cells of a release.

May import: `task` and what is below it.
"""
