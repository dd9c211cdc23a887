"""What F1 says of a run that is watched: its keys, and the words of its algorithm."""

from __future__ import annotations

from kanon_tui.core.task.steps import Algorithm
from kanon_tui.core.teaching.glossary import terms_of

__all__ = ["watch_help"]

KEYS = """### Watching

`.` takes one decision, or goes one on where you went back; `,` goes back. `space` plays and pauses
at the speed that the first line shows; `>` and `<` change it. `home` and `end` go to the first and
last decision, the page keys ten at a time. `j` jumps to the next decision of a kind (a cut, a
merge, one that passes …), `/` finds a word in the sentences, `n` and `N` go on with that. `m` sets
a bookmark, `'` goes to the next. In *decisions*, `up` and `down` choose and `enter` unfolds all.

`tab` goes from pane to pane, `z` gives one the whole screen, `v` shows the next picture, arrows
move in it. `e` shows the formula of *why this one* with its numbers. `p` presents: the sentence and
the picture alone; `?` then asks for each decision before `.` shows it.
"""


def watch_help(algorithm: Algorithm) -> str:
    """The keys, and a line for every term that sentences and pictures use."""
    words = [f"- **{term}**: {line}" for term, line in terms_of(algorithm)]
    return "\n".join([KEYS, "### Words", "", *words])
