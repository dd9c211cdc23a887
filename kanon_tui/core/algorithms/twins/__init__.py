"""Naive twins of the algorithms: lists of record numbers, every definition as it is written.

They are what the manual prints and what the tests compare with, on hundreds of random tables. Each
is slow and easy to check by eye: no arrays that are kept up to date, no bounds, no kernels.
`Algorithm.twin` names the function that takes a task and returns the classes, or the levels; a
record in no class is suppressed. May import: what `algorithms` may, and no algorithm.
"""
