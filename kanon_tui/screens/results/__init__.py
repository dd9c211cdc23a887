"""6 Results: original and release side by side, figures, runs, why and export.

`screen` puts the panes together: `records_pane` with its `twin_grids` and `record_rows`,
`figure_panel` with its `figure_tables`. `runs` runs again and compares.
"""
