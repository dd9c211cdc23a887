"""A field is declared once: how it is read from YAML, typed in a form, written back and explained.

May import: `errors`, `text`.
"""
