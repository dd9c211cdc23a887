"""Objects that the application has: background work, typed keys, counting, pages of files, saving.

Screens reach them through `host.Host`. May import: `widgets` (dialogs among them) and `core`; never
a screen or the application.
"""
