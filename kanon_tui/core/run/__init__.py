"""From a project to a verified release: prepare, run, watch, conclude.

May import: `project`, `algorithms`, `report` and what is below them.
"""
