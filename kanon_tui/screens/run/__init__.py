"""5 Run: choose an algorithm, set it up, watch it decide.

`screen` is the form, `live_view` the run as it happens.
"""
