"""The ways to build a hierarchy, with their keys: for categories, and for numbers and dates.

May import: `table`, `fields` and `level_table` of `hierarchy`.
"""
