"""The headless half of the application: session, undo, recovery, readiness.

May import: `analysis`, `pipeline` and what is below them.
"""
