"""`python -m kanon_tui`, and the command `kanon-tui`."""

from __future__ import annotations

import sys

from kanon_tui.cli import main as run_command_line

__all__ = ["main"]


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run_command_line(sys.argv[1:]))


if __name__ == "__main__":
    main()
