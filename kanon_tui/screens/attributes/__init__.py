"""2 Attributes: role, kind and weight of every column."""
