"""Inner loops, compiled by numba: plain arrays in, plain arrays out, without the interpreter lock.

A kernel does one decision of its algorithm, or a bounded batch, per call: whoever runs the
algorithm can pause or cancel between calls. numba is imported only when something is compiled:
`run.warm_up` does that ahead of time, and `loading` calls what is on disk without numba.

Kernels should see few types, because each combination is compiled on its own: int32 codes, float64
numbers, C-contiguous arrays that may be written to. Arrays that belong together travel as a
NamedTuple. What only kernels call is an `inner_kernel`; `linking` says why that saves time. Arrays
are copied into a part of another by a loop: numba compiles much for the sentence that it would say
if they did not fit. There are no functions inside functions, and comprehensions are such: numba's
step for them is left out. A kernel never returns a NamedTuple to Python: Ctrl-C while it is put
together ends the process. Nor should it return an array where it can fill one: for that, and to
raise an error, machine code imports numba.

Several searches go through a tree of boxes and leave out what cannot win. The two in the tree of a
<<<<<<< HEAD
group share one (`splitting_search`). The others keep their own loop, because they agree on little
more than a stack of nodes: `k_member` finds score and row in one pass and breaks ties by
record, `nearest_records` looks for the k nearest, `partner_search` sums a bound for four objectives
and gives up as soon as it is too high.
=======
group share one (`c/splitting_search.c`). The others keep their own loop, because they agree on
little more than a stack of nodes: `k_member_search` finds score and row in one pass and breaks ties
by record, `nearest_records` looks for the k nearest, `partner_search` sums a bound for four
objectives and gives up as soon as it is too high.
>>>>>>> k-split

May import: `numeric`, and nothing else of the house.
"""

from __future__ import annotations

from kanon_tui.core.kernels.compiling import (
    Function,
    called_by_kernels,
    inner_kernel,
    interpreted,
    kernel,
    part_of_kernel,
)

__all__ = [
    "Function",
    "called_by_kernels",
    "inner_kernel",
    "interpreted",
    "kernel",
    "part_of_kernel",
]
