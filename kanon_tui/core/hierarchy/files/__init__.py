"""Hierarchies as files: ARX tables, YAML, the XML of the UTD toolbox.

May import: `data`, `fields` and `level_table`, `decimals`, `yaml_misreadings` of `hierarchy`.
"""
