"""One file per way to build a hierarchy, their keys, and the contents page of all builders.

May import: `table`, `fields` and `level_table` of `hierarchy`.
"""
