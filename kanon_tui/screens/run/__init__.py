"""5 Run: choose an algorithm, set it up, watch it decide.

`screen` has the form with its parts in `setup`, `advice` is what samples of the data say before a
run, `live_view` the run as it happens and as it was, with pictures from `core.teaching` and the
`decision_log`. `passes_view` shows a run over a file larger than memory, `race` two runs at once.
"""
