"""Reports of a result: a mapping for programs, Markdown and HTML for people.

May import: `metrics`, `project` and what is below them.
"""
