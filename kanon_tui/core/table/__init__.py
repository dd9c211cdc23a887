"""Read, profile and write tables: sniffing, kinds, guesses, the table in memory and in files.

May import: `fields`, `kernels`, `processes`, `errors`, `text`, `numeric`.
"""
