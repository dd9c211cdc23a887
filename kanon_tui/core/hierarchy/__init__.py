"""Generalisation hierarchies: the level table, how one is built, edited, read and written.

`specification` reads what a project or a person writes of one, `build` builds it, `builders` has
the ways to build one, `files` and `utd_files` the formats.

May import: `table`, `fields` and what is below them.
"""
