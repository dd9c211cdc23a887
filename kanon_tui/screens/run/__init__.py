"""5 Run: choose an algorithm, set it up, watch it decide.

`screen` is the form, `advice` what samples of the data say before a run, `live_view` the run as it
happens and as it was: `run_header`, pictures from `core.pictures`, the `decision_log` and the
`timeline_bar`.
"""
