"""3 Hierarchies: the level table and the tree, their editing and the builders.

`view` shows an attribute's hierarchy in the grids of `level_rows`, with figures beside; `editing`
changes it, `screen` adds files and `builder`, the dialog of the builders.
"""
