"""What the full-domain searches share: strings of levels, class counts, pruning, objectives.

May import: `metrics` and below.
"""
