"""All timings and quality tables, one after the other: `make bench`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

SHARED = ("timing", "__main__")


def main() -> None:
    for found in pkgutil.iter_modules(benchmarks.__path__):
        if found.name in SHARED:
            continue
        module = importlib.import_module(f"benchmarks.{found.name}")
        print(f"\n=== {found.name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        sys.argv = [f"benchmarks.{found.name}"]
        module.main()


if __name__ == "__main__":
    main()
