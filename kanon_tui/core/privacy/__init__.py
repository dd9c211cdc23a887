"""Requirements on a release: one file per privacy model, and the verifier that stands alone.

May import: `table`, `fields` and what is below them.
"""
