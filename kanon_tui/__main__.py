"""`python -P -m kanon_tui`, and the command `kanon-tui`."""

import os
import signal
import sys
from typing import Any


def main() -> None:
    """Run the command line and leave with its exit code."""
    # A signal may come while modules are still being imported: nothing can have been written yet.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end_early)
    os.environ["PYTHONSAFEPATH"] = "1"  # no process we start imports from the current folder
    _open_closed_streams()
    from kanon_tui.signals import end_at_signals

    end_at_signals()
    from kanon_tui.cli import main as run_command_line

    sys.exit(run_command_line(sys.argv[1:]))


def _end_early(number: int, frame: Any) -> None:
    try:
        os.write(2, b"kanon-tui: interrupted; nothing was written\n")
    finally:
        os._exit(128 + number)


def _open_closed_streams() -> None:
    """Open the null device for closed standard streams, so that no file gets their number.

    Nothing can be written to the number of a closed output, which tells it from `> /dev/null`.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            mode = os.O_RDONLY if name == "stdout" else os.O_RDWR
            os.open(os.devnull, mode)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if number == 0 else "w"))  # noqa: SIM115


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the current folder, which -m puts first and child processes would inherit
    main()
