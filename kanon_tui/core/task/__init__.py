"""What an algorithm gets and gives: the `Task`, its rules and weights; steps and groupings.

May import: `data`, `hierarchy`, `privacy` and what is below them.
"""
