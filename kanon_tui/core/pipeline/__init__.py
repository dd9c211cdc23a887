"""Turn a project and its table into a verified release: prepare, search, recode, verify, measure.

May import everything below `analysis`, but not `dask`, which only the choice of an engine imports.
"""
