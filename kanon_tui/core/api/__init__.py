"""The functions of `import kanon_tui as kn`, which gives them their public names.

May import: every other package of `core`.
"""
