"""From a grouping to published cells: the only place that knows how a class is printed.

May import: `task` and what is below it.
"""
