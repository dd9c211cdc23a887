"""What the screens cost a person who waits in front of them, over a slow line.

    python -m benchmarks.terminal                      one key in a table of people, and the start
    python -m benchmarks.terminal --records 1000000    and how soon Attributes answers

The application runs in a pseudo-terminal of 120 by 40 signs. Bytes are those that a line would have
to carry; processor milliseconds are the application's own, from the key to the last byte it paints.
`--renew` puts the table into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

import polars as pl

from benchmarks.pages import markdown_table, renew
from benchmarks.timing import SAMPLES, census_maker, print_table
from tests.terminal import Terminal, application

DOWN = b"\x1b[B"
PRESSES = 20
RECORDS = 1_000_000
TICKS = os.sysconf("SC_CLK_TCK")
KILOBYTE = 1000
BUSY = 0.05
"""Processor seconds within a look that say that work is going on."""
LOOK = 3.0
"""Seconds; what is loaded behind the first picture begins a little later."""
FIELDS_BEFORE_TIMES = 11
"""Of /proc/PID/stat, behind the name of the process."""


def processor_seconds(process: int) -> float:
    """What a process has used so far (Linux)."""
    said = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    user, system = said[FIELDS_BEFORE_TIMES : FIELDS_BEFORE_TIMES + 2]
    return (int(user) + int(system)) / TICKS


def wait_until_idle(process: int) -> None:
    """Wait for what the application does behind its first picture, such as loading kernels."""
    used = -1.0
    while (now := processor_seconds(process)) > used + BUSY:
        used = now
        time.sleep(LOOK)


def one_key(terminal: Terminal) -> tuple[float, float]:
    """Kilobytes and processor milliseconds of an arrow key in a table."""
    before = processor_seconds(terminal.process)
    painted = [len(terminal.press(DOWN)) for _ in range(PRESSES)]
    used = processor_seconds(terminal.process) - before
    return median(painted) / KILOBYTE, used / PRESSES * 1000


def held_key(terminal: Terminal) -> tuple[float, float]:
    """The same for a key that is held down: many presses before the first is painted."""
    before = processor_seconds(terminal.process)
    painted = len(terminal.press(DOWN * PRESSES))
    used = processor_seconds(terminal.process) - before
    return painted / PRESSES / KILOBYTE, used / PRESSES * 1000


def people(folder: Path, records: int) -> Path:
    """A file of generated people."""
    made = census_maker().people(records, 1790)
    path = folder / "people.csv"
    pl.DataFrame({name: values.astype(str) for name, values in made.items()}).write_csv(path)
    return path


def attributes_of(file: Path, state: Path) -> tuple[float, float]:
    """Seconds from the key to the screen of attributes, and to the last of its figures."""
    with application(file, state) as terminal:
        terminal.wait_for(b"distinct")
        began = time.monotonic()
        terminal.send(b"2")
        times: list[float] = []
        for _ in terminal.pieces():
            times.append(time.monotonic() - began)
    return times[0], times[-1]


def rows(records: int) -> list[tuple[object, ...]]:
    """Every figure beside what is aimed at."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        began = time.monotonic()
        with application(SAMPLES / "census" / "project.yaml", folder / "state") as terminal:
            terminal.wait_for(b"distinct")
            start = time.monotonic() - began
            wait_until_idle(terminal.process)
            bytes_of_one, work_of_one = one_key(terminal)
            bytes_held, work_held = held_key(terminal)
        first, last = attributes_of(people(folder, records), folder / "state")
    return [
        ("start on the census sample, until nothing moves", f"{start:.1f} s", "–"),
        ("one arrow key in a table", f"{bytes_of_one:.2f} KB, {work_of_one:.0f} ms", "2 KB, 15 ms"),
        ("an arrow key held down", f"{bytes_held:.2f} KB, {work_held:.0f} ms", "2 KB, 15 ms"),
        (f"Attributes of {records:,} records, first picture", f"{first:.2f} s", "0.3 s"),
        (f"Attributes of {records:,} records, last figure", f"{last:.2f} s", "–"),
    ]


def measure(records: int, into_page: bool) -> None:
    heads = ("a person waits for", "now", "aim")
    found = rows(records)
    print_table("in a terminal of 120 by 40", heads, found)
    if into_page:
        renew("terminal", markdown_table(heads, found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--renew", action="store_true", help="put the table into the page")
    options = parser.parse_args()
    measure(options.records, options.renew)


if __name__ == "__main__":
    main()
