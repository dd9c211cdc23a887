"""The tables, figures and claims of the research documents, and how each is repeated.

`entries/` has a file of declarations per document: add an entry there, or a file with entries of
your own, and the command, the page of the documentation and the tests follow. `entry` says what an
entry declares, `registry` finds entries, `relations` has the statements that a claim can make of
curves, `repeating` runs what an entry names.

May import: everything in `core` except `editing` and `api`.
"""
