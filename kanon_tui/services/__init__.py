"""Objects that the application has: background work, keys typed ahead, counting, reading of pages, saving.

Screens reach them through `host.Host`. May import: `widgets` (dialogs among them) and `core`; never
a screen or the application.
"""
