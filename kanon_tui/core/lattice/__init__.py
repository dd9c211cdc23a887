"""Shared by the full-domain searches: strings of levels, class counts, pruning, objectives.

May import: `metrics` and below.
"""
