"""What a release must keep: one file per privacy model, and the verifier that stands alone.

May import: `data`, `fields` and what is below them.
"""
