"""What people wait for, in one table each: `make bench`; every timing: `make bench-all`.

    python -m benchmarks [--sizes 100000 1000000] [--first-use] [--million] [--renew]
    python -m benchmarks --all

Keys in a terminal, whole runs against the floor, then how the searches grow on six shapes; without
`--million` it ends within ten minutes.
`--renew` puts the tables into docs/benchmarks.md. `--all` runs every module of this folder, as it
runs alone, which takes much longer.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

import benchmarks
from benchmarks import growth, terminal, whole_runs

PATIENCE = 90.0
"""Seconds that one search may take before larger tables are left out."""
NOT_ALONE = ("timing", "pages", "peers", "__main__")


def everything() -> None:
    """Every module, one after the other."""
    for found in pkgutil.iter_modules(benchmarks.__path__):
        if found.name in NOT_ALONE:
            continue
        module = importlib.import_module(f"benchmarks.{found.name}")
        print(f"\n=== {found.name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        sys.argv = [f"benchmarks.{found.name}"]
        module.main()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000])
    parser.add_argument("--first-use", action="store_true")
    parser.add_argument("--million", action="store_true", help="searches of a million records too")
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if options.all:
        everything()
        return
    renewed = ["--renew"] if options.renew else []
    first_use = ["--first-use"] if options.first_use else []
    million = ["--million"] if options.million else []
    sizes = ["--sizes", *map(str, options.sizes)]
    for module, arguments in (
        (terminal, renewed),
        (whole_runs, [*renewed, *first_use, *sizes]),
        (growth, [*renewed, *million, "--patience", str(PATIENCE)]),
    ):
        sys.argv = [module.__name__, *arguments]
        module.main()


if __name__ == "__main__":
    main()
