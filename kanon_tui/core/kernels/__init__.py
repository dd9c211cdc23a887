"""Inner loops in C: arrays in, arrays out, without the interpreter lock.

Each module declares the structs and functions of one family of algorithms; the C sources are in
`c/`, compiled when the package is built. A call does one decision of its algorithm, or a bounded
batch, so that a run can be paused or cancelled between calls. `boundary` checks every argument,
`library` loads the compiled code, `header` generates the C header from the declarations.

May import: `numeric`, and nothing else of the package.
"""
