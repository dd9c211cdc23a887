"""From a data file to coded columns: reading, sniffing, kinds, guesses, profiles, atomic writing.

May import: `errors`, `text`, `numeric`.
"""
