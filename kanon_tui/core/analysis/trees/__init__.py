"""Decision trees on the original and on the release, side by side.

May import: `run`, `analysis.published` and what is below them.
"""
