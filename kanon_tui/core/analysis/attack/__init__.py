"""The linking attack on a release.

May import: `pipeline`, `published_cells` and what is below them.
"""
