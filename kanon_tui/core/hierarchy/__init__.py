"""Generalisation hierarchies: the level table, how one is built, edited, read and written.

`specification` reads what a project, a person or a file says of one and builds it, `builders` has
the ways to build one, `utd_files` the format of the UTD toolbox.

May import: `table`, `fields` and what is below them.
"""
