"""A hierarchy while it is edited: what there is to show of it, and what a change means.

May import: `run`, `hierarchy` and what is below them.
"""
