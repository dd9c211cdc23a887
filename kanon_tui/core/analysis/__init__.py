"""Questions about a table, a project or its results, beyond making a release.

May import: `pipeline` and what is below it.
"""
