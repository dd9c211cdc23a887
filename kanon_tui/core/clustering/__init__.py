"""What the ten clusterings share: features, boxes, merging, splitting, and repair of requirements.

May import: `metrics`, `task`, `kernels` and what is below them.
"""
