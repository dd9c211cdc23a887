"""What screen 6 says of itself."""

from __future__ import annotations

__all__ = ["RESULTS_HELP"]

RESULTS_HELP = """## 6 Results

Left the records as they stand in the file, right as they are published; both move together. `•`
marks a cell that was generalised, `×` a record that was suppressed. On the right the number is that
of the *class*: records with the same quasi-identifiers. Every class has at least k records.

The line below tells about the cell under the cursor. `w` explains it: what one step finer would
have done, and which change (another k, some suppression, a level, an attribute) would have kept
more.

`b` by attribute, `f` figures, `P` privacy, `d` class sizes, `R` runs: the same key again hides the
pane. In it, move to a figure to read what it means. `E` chooses levels by hand. `L` tries a linking
attack, `B` looks at an earlier release too, `F` asks how many records k needs, `T` grows decision
trees on the release, `U` compares distributions, counts and predictions with the original, `M` says
how likely people are found in a population.

Example: press `s` until *smallest class first* is shown, then `o`: only the records of the class
under the cursor are left. `o` again brings the others back. `+` runs again with k one higher. `R`
also lists the runs of earlier sittings, with their figures: `enter` runs one again.

A table beyond memory has its release in files. They are shown as they were written: `/` finds a
text in them, `#` goes to a row, `o` leaves the rows of its class, `w` tells who looks the same and
`i` which values the records of its class had before. `s` goes on to *as read*: every record of the
data, and beside it the row that was written of it, or `×` where it was left out. Figures are as
always; what needs all records in memory says so, and `esc` stops what looks through all rows.
"""
