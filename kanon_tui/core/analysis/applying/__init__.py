"""A release's recoding on new records: the mapping as a file, and what becomes of a new table.

May import: `attack.matching`, `pipeline`, `published_cells` and what is below them.
"""
