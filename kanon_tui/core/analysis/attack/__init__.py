"""The linking attack on a release.

May import: `run`, `analysis.published` and what is below them.
"""
