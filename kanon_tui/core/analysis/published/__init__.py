"""What a published cell may stand for.

May import: `run` and what is below it.
"""
