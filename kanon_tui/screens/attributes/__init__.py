"""2 Attributes: role, kind and weight of every column.

`screen` is the list with its gauge of how much the attributes give away, `association` the matrix
of how much they tell of one another.
"""
