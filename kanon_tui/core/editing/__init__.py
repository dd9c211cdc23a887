"""The headless half of the application: session, undo, recovery, readiness.

May import: `analysis`, `run` and what is below them.
"""
