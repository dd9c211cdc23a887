"""What the six full-domain searches share: strings, class counts, pruning, halving.

May import: `metrics`, `task`, `kernels` and what is below them.
"""
