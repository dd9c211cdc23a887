"""6 Results: original and release side by side, figures, runs, why and export.

`screen` puts the panes together. `records_pane` shows `release_records` in one of three views: as
pairs or class by class in one grid (`record_views`), or as two tables. `record_columns` has the
order and widths of columns, `headings` the figures below their names; `figures` has the tables
beside the records. `runs` runs again and compares.
"""
