"""Every figure of a release, from its published cells, for all algorithms alike.

May import: `release`, `task` and what is below them.
"""
