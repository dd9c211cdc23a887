"""What people wait for, in one table each: `make bench`; every timing: `make bench-all`.

    python -m benchmarks [--sizes 100000 1000000] [--first-use] [--renew]
    python -m benchmarks --all

Whole runs against the floor, then how the searches grow on one shape; it ends within minutes.
`--renew` puts the tables into docs/benchmarks.md. `--all` runs every module of this folder, as it
runs alone, which takes much longer.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

import benchmarks
from benchmarks import growth, whole_runs
from benchmarks.pages import markdown_table, renew
from benchmarks.timing import print_table

NOT_ALONE = ("timing", "pages", "peers", "__main__")
SEARCHES = ["global", "incognito", "mondrian", "k-member", "bottom-up", "top-down", "udc"]
SHAPE = "census"


def everything() -> None:
    """Every module, one after the other."""
    for found in pkgutil.iter_modules(benchmarks.__path__):
        if found.name in NOT_ALONE:
            continue
        module = importlib.import_module(f"benchmarks.{found.name}")
        print(f"\n=== {found.name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        sys.argv = [f"benchmarks.{found.name}"]
        module.main()


def how_searches_grow(into_page: bool) -> None:
    """Seconds and exponents of the searches on the generated census."""
    shape = {SHAPE: growth.shapes(None)[SHAPE]}
    found = growth.measure(SEARCHES, shape, growth.SIZES, patience=60.0)
    rows = []
    for name in SEARCHES:
        seconds = found[name, SHAPE]
        missing = ["–"] * (len(growth.SIZES) - len(seconds))
        rows.append((name, *seconds, *missing, growth.grown(growth.SIZES, seconds)))
    heads = ("algorithm", *(f"{size:,}" for size in growth.SIZES), "n to the power of")
    print_table(f"processor seconds of the search, {SHAPE}", heads, rows)
    if into_page:
        renew("growth", markdown_table(heads, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000])
    parser.add_argument("--first-use", action="store_true")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if options.all:
        everything()
        return
    flags = [
        f"--{name}" for name in ("first-use", "renew") if getattr(options, name.replace("-", "_"))
    ]
    sys.argv = ["benchmarks.whole_runs", *flags, "--sizes", *map(str, options.sizes)]
    whole_runs.main()
    how_searches_grow(options.renew)


if __name__ == "__main__":
    main()
