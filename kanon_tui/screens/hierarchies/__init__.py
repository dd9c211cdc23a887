"""3 Hierarchies: the level table and the tree, their editing and the builders.

`view` shows an attribute's hierarchy in the grid of `level_rows`, with figures beside, and has
the dialog of the builders; `screen` edits it.
"""
