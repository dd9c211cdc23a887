"""6 Results: original and release side by side, figures, runs, why and export.

`screen` puts the panes together. `records_pane` shows the records of `release_records`: as pairs or
class by class in one grid (`record_views`), or as two tables (`twin_grids`). `record_columns` has
the order and widths of columns, `headings` the figures below their names; `figures` has the tables
beside the records. `runs` runs again and compares.
"""
