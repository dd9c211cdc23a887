"""Decision trees on the original and on the release, side by side.

May import: `pipeline`, `published_cells` and what is below them.
"""
