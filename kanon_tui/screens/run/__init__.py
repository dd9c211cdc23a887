"""5 Run: choose an algorithm, set it up, watch it decide.

`screen` has the list of algorithms and the forms, `advice` is what samples of the data say before a
run, `live_view` the run as it happens and as it was, with pictures from `core.teaching` and the
`decision_log`. `race` shows two runs at once.
"""
