"""Compile all inner loops now, so that no run has to wait for it.

Otherwise the first run of an algorithm compiles what it needs. What is compiled is kept for the
user who calls this; with --all-users beside the package, for everybody who uses this installation,
as in the image of a container. Call it again after installing another Kanon, Python or numba.
"""

from __future__ import annotations

import argparse
import time

from kanon_tui.commands.common import say

__all__ = ["HELP", "arguments", "execute"]

HELP = "compile everything ahead of the first run"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--all-users", action="store_true",
        help="keep it beside the package, for all users of this installation",
    )  # fmt: skip


def execute(args: argparse.Namespace) -> int:
    """Compile what is missing, and say how much that was."""
    from kanon_tui.commands.progress import finish_compiling
    from kanon_tui.core.errors import NotReachedError
    from kanon_tui.core.run.warm_up import compile_all, kernel_folder, kernels_by_name, uncompiled
    from kanon_tui.core.text import count_of

    folder = kernel_folder(args.all_users)
    missing = len(list(uncompiled()))
    if not missing:
        every = count_of(len(kernels_by_name()), "kernel")
        say(f"nothing to do: {every} are compiled, in {folder}")
        return 0
    began = time.perf_counter()
    left = finish_compiling(compile_all(args.all_users), missing)
    if left:
        raise NotReachedError(
            f"{count_of(left, 'kernel')} of {missing:,} could not be kept in {folder}; look "
            f"whether there is space left"
        )
    say(
        f"compiled {count_of(missing, 'kernel')} in {time.perf_counter() - began:.1f} s, "
        f"kept in {folder}"
    )
    return 0
