"""Child processes, workers, memory limits, and what happens when a program is interrupted.

May import: `errors`, `text`.
"""
