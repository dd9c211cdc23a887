"""7 What-if: several algorithms and values of k in one picture.

`screen` runs the sweep, `point_rows` is its table, `algorithms_dialog` chooses what to compare.
"""
