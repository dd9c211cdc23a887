"""Widgets that several screens use: dialogs, grid, plot, form, lists, step bar, key bar.

May import: `core`; never a service or a screen. A widget of one screen is in its folder.
"""
