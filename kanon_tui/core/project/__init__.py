"""The project: which data, attributes, privacy and algorithm; its YAML file; the bundled samples.

May import: `algorithms` (for their parameters) and what is below them.
"""
