"""One file per way to build a hierarchy, their keys, and the contents page of all builders.

May import: `data`, `fields` and `hierarchy.level_table`.
"""
