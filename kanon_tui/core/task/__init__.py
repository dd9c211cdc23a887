"""Input and output of algorithms: the `Task` with rules and weights; steps and groupings.

May import: `table`, `hierarchy`, `privacy` and what is below them.
"""
