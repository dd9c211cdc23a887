"""6 Results: original and release side by side, figures, runs, why and export.

`screen` puts the panes together. `records_pane` shows a `record_source`, which is `memory_records`
or `file_records`, in its `twin_grids`; `figures` has the tables beside it. `runs` runs again and
compares.
"""
