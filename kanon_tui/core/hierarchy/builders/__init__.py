"""One file per way to build a hierarchy, their keys, and the contents page of all builders.

May import: `data`, `fields` and `level_table`, `decimals`, `yaml_misreadings` of `hierarchy`.
"""
