"""Generalisation hierarchies: the level table, how one is built, edited, read and written.

`specification` reads what a project says of one, `typed` what a person typed, `build` builds it;
`builders` has a file per way to build one, `files` one per format.

May import: `data`, `fields` and what is below them.
"""
