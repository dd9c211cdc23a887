"""Random files, projects, command lines, tables and keys, for as long as one likes.

`make fuzz SECONDS=600` tries all targets in turn with fresh seeds and prints what it tried; a
failure prints its target and seed, and `make fuzz SEED=17 TARGET=readers` repeats it. Each target
is a file with a function `try_once(random, folder)`: it raises when something is wrong and gives
the name of what came out when all is well. A short run is part of the tests (`test_fuzz.py`).
"""
