"""The panels that the command palette opens: linking attack, feasibility, decision trees.

`base` is what the panels share.
"""
