"""Everything that exists to explain a run: pictures, sentences, pseudo-code, glossary, handouts.

May import: `pipeline` and below.
"""
