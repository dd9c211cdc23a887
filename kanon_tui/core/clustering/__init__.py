"""Shared by the clusterings: features, boxes, merging, splitting, and repair of requirements.

May import: `metrics`, `task`, `kernels` and the packages below them.
"""
