"""What a release must keep: one file per privacy model, and the verifier that stands alone.

May import: `table`, `fields` and what is below them.
"""
