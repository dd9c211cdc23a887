"""1 Data: the table as it stands in the file, and how the file is read."""
