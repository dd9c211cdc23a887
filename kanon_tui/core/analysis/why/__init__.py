"""Why a cell is published as it is, and which change would have kept more.

May import: `pipeline` and what is below it.
"""
