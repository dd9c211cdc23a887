"""Widgets that several screens share: the grid and its sources, the plot, the form, the step bar.

May import: `core`; never a screen. What only one screen uses lies beside that screen.
"""
