"""Explanations of runs: pictures, sentences, pseudo-code, glossary, handouts.

May import: `pipeline` and below.
"""
