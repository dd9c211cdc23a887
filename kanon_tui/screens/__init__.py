"""The screens: a folder for each numbered screen, and what several of them share.

Screens are thin; the logic is in `core`. May import: `services`, `widgets` and `core`; never
`commands` or `app`. A folder imports no other screen's folder.
"""
