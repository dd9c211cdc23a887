"""Texts of the set-up face of screen 5: the list of algorithms, and what lies ahead."""

from __future__ import annotations

from textwrap import wrap

from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.pipeline.preflight import Preflight
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.task.steps import Family
from kanon_tui.core.text import visible
from kanon_tui.widgets.drawing import theme_style

__all__ = ["FAMILIES", "RUN_HELP", "algorithm_line", "preflight_text"]

RUN_HELP = """## 5 Run

Choose an **algorithm** on the left and set its parameters on the right.

- *Full-domain* algorithms pick one level of every hierarchy for the whole table. Easy to
  explain, one meaning per column.
- *Clustering* algorithms let every class have its own ranges. They keep more detail.

*Beyond k*: classes of k records may still all have the same illness. Type a bound for a sensitive
attribute (l, t, p, α, β or δ) and every class must keep it: full-domain algorithms test it with
every string, clustering algorithms merge on until it holds. An empty field asks for nothing. *risk*
bounds the release as a whole: `marketer 0.05`, `journalist 0.1 of 5000` (people of the population).

The lines above are recommendations: for what you may want, the algorithm and the loss (NCP) to
expect of it, tried on samples of your data. `A` takes one over.

`E` chooses levels by hand, with a verdict at once. `r` runs, `.` watches decision by decision. `c`
cancels and keeps the best found so far, where there is one. Example: choose *mondrian*, press `.`:
the first cut is explained. Press `.` again.
"""

FAMILIES = {Family.FULL_DOMAIN: "full-domain", Family.CLUSTERING: "clustering"}

NAME_WIDTH, TITLE_WIDTH = 13, 27
"""Cells of an algorithm's name and of its title in the list."""


def algorithm_line(name: str, title: str) -> Text:
    """Name and title of an algorithm; a long title goes on below, never cut off."""
    lines = wrap(title, TITLE_WIDTH)
    line = Text.assemble((f"{name:<{NAME_WIDTH}}", "bold"), (lines[0], "dim"))
    for more in lines[1:]:
        line.append(f"\n{'':<{NAME_WIDTH}}{more}", "dim")
    return line


def preflight_text(found: Preflight, name: str, privacy: Privacy, widget: Widget) -> Text:
    """One line (two with warnings): ready or not, and how large."""
    if found.problem:
        return Text.assemble(
            ("✗ ", theme_style(widget, "error", bold=True)), visible(found.problem)
        )
    text = Text.assemble(
        ("✓ ready ", theme_style(widget, "success", bold=True)),
        (name, "bold"),
        f" k={privacy.k} · ",
    )
    text.append(visible(" · ".join(found.facts)))
    if found.warnings:
        more = f" (and {len(found.warnings) - 1} more)" if len(found.warnings) > 1 else ""
        text.append(f"\n! {visible(found.warnings[0])}{more}", theme_style(widget, "warning"))
    return text
