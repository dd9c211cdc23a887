"""A key costs few bytes: the application runs over slow lines."""

from __future__ import annotations

from pathlib import Path

from tests.terminal import application

DOWN = b"\x1b[B"
RIGHT = b"\x1b[C"
KILOBYTE = 1000


def test_an_arrow_key_in_a_table_paints_two_rows(sample, tmp_path: Path) -> None:
    with application(sample("census"), tmp_path / "state") as terminal:
        terminal.wait_for(b"distinct")  # the profile of the first column is there
        pressed = [len(terminal.press(DOWN)) for _ in range(5)]
        # The fewest: what else was painted meanwhile, on a busy machine, is not the key's doing.
        assert 0 < min(pressed) < KILOBYTE
        # The profile of another column is drawn, and the keys that fit it.
        assert min(len(terminal.press(key)) for key in (RIGHT, b"\x1b[D") * 2) < 10 * KILOBYTE
