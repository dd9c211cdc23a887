"""3 Hierarchies: the level table and the tree, their editing and the builders.

`view` shows an attribute's hierarchy in the grid of `level_rows`, with figures beside; `screen`
edits it, `builder` is the dialog of the builders.
"""
