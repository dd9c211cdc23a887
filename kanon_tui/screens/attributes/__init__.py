"""2 Attributes: role, kind and weight of every column.

`screen` is the list with its gauge of risk, `figures` what is measured for them, `dialogs` what is
asked.
"""
