"""6 Results: original and release side by side, figures, runs, why and export.

`screen` puts the panes together. `records_pane` shows `release_records`
in two grids; `figures` has the tables beside it. `runs` runs again and
compares.
"""
