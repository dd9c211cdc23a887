"""Inner loops, compiled by numba: plain arrays in, plain arrays out, without the interpreter lock.

A kernel does one decision of its algorithm, or a bounded batch, per call, so that whoever runs the
algorithm can pause or cancel between calls. Importing a kernel's module imports numba: algorithms
do so inside `steps`, and `warmup` compiles everything ahead of time.

Kernels should see few types, because each combination is compiled on its own: int32 codes, float64
numbers, C-contiguous arrays that may be written to.

May import: `numeric`, and nothing else of the house.
"""

from __future__ import annotations

from kanon_tui.core.kernels.compiling import Function, kernel, part_of_kernel

__all__ = ["Function", "kernel", "part_of_kernel"]
