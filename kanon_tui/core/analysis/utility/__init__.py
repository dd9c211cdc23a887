"""Measure what a release keeps: distributions, associations, means, counts and predictions.

May import: `trees`, `pipeline` and what is below it.
"""
