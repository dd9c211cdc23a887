"""Hierarchies as files: ARX tables, YAML, the XML of the UTD toolbox.

May import: `data`, `fields` and `hierarchy.level_table`.
"""
