"""Generalisation hierarchies: the level table, how one is built, edited, read and written.

`specification` reads what a project says of one, `typed_specification` what a person typed, and
`build` builds it. `builders` has a file per way to build one, `files` one per format.

May import: `table`, `fields` and what is below them.
"""
