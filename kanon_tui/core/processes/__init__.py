"""Child processes, workers, memory limits, and the handling of interruptions.

May import: `errors`, `text`.
"""
