"""Where the work happens: streaming over pieces of a table, on this machine or on a cluster.

A piece is a part of the data that fits into memory. What is done with a piece is a plain function
of it (`jobs.py`); `workers.py` calls such functions here, `cluster.py` on the workers of a Dask
cluster. Everything between (search, recoder, metrics) works on counted rows, in memory, with the
functions that a run in memory uses, so that the release is the same, byte by byte.

May import: `run` and what is below it.
"""
