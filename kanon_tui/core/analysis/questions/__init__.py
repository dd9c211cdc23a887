"""The analyses of Kanon, one file each: what is asked, with which options, and what is found.

These files import nothing heavy before an analysis runs: help pages read them.
"""
