"""Questions about a table, a project or its results, beyond making a release.

May import: `run` and what is below it.
"""
