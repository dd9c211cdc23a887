"""The screens: a folder for each, thin, with all logic in `core`.

What every screen has lies here: the base of numbered screens, the dialogs, the application as
screens see it. What belongs to one screen lies in its folder.

May import: `core` and `widgets`; never `commands` or `app`. A folder imports no other screen's
folder.
"""
