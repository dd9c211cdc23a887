"""What a release still tells: distributions, associations, means, counts and predictions.

May import: `published`, `trees`, `run` and what is below it.
"""
