"""The what-if sweep: the same table under several algorithms and values of k.

May import: `pipeline` and what is below it.
"""
