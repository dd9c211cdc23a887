"""Run the pipeline's jobs on a Dask cluster.

Nothing imports it but the choice of an engine. May import: `processes`, `table`, `errors`.
"""
