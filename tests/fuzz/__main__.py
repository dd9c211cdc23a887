"""`python -m tests.fuzz`: tries until the time is over, then says what it tried."""

from __future__ import annotations

import argparse
import secrets
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from kanon_tui.core.kernels import library
from tests.fuzz.targets import TARGETS, try_seed

FAILED = "FAILED"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to try")
    parser.add_argument("--seed", type=int, help="try this one alone")
    parser.add_argument("--target", choices=TARGETS, help="try this one alone")
    parser.add_argument("--kernels", type=Path, help="use this build of the kernels")
    args = parser.parse_args()
    if args.kernels:
        library.use_library(args.kernels.resolve())
    targets = [args.target] if args.target else list(TARGETS)
    seen: Counter[tuple[str, str]] = Counter()
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        seed = secrets.randbelow(2**32) if args.seed is None else args.seed
        for target in targets:
            # A quick target is tried as long as a slow one takes.
            until = time.monotonic() + 1
            while True:
                try:
                    seen[target, try_seed(target, seed)] += 1
                except KeyboardInterrupt:
                    return _report(seen)
                except BaseException:  # a panic of a library is no Exception
                    seen[target, FAILED] += 1
                    traceback.print_exc()
                if args.seed is not None or time.monotonic() > until:
                    break
                seed += 1
        if args.seed is not None:
            break
    return _report(seen)


def _report(seen: Counter[tuple[str, str]]) -> int:
    for (target, outcome), count in sorted(seen.items()):
        sys.stdout.write(f"{target:<14} {outcome:<40} {count:>9,}\n")
    failures = sum(count for (_, outcome), count in seen.items() if outcome == FAILED)
    sys.stdout.write(f"{sum(seen.values()):,} tried, {failures:,} failed\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
