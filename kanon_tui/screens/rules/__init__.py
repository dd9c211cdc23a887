"""4 Rules: what a group must not mix, and how much it matters.

`screen` lists the rules with what they do to every level, `dialog` is the form for one rule.
"""
