"""Generalisation hierarchies: the level table, how one is built, edited, read and written.

May import: `data`, `fields` and what is below them.
"""
