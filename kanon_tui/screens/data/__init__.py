"""1 Data: the table as it stands in the file, and how the file is read.

`screen` shows the table with a profile of one column, `reading` is the dialog that changes how the
file is read.
"""
