"""The parts of `distributed`: which attributes, how many strings, what is done."""

from __future__ import annotations

from typing import ClassVar

from kanon_tui.core.teaching.full_domain_state import FullDomainState, Verdict
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene

__all__ = ["PartTable"]


class PartTable(Drawing):
    """One row per part; before the split, and after the parts are combined, a sentence."""

    name: ClassVar[str] = "parts"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None or not state.parts:
            picture.line("The attributes are not split into parts.", "dim")
            picture.wrap("Where all strings are one part, it is global with a head start.")
            return picture
        lattice = state.lattice
        rows = [
            (", ".join(lattice.names[a] for a in part), part, done)
            for part, done in state.parts.items()
        ]
        label = min(max(len(name) for name, _, _ in rows), max(width - 34, 8))
        picture.line(f"  {'part':<{label}}  passing  strings  tested", "dim")
        for name, part, done in rows:
            working = done is None and part == state.part
            mark = "✓" if done is not None else "▸" if working else "·"
            shown = name if len(name) <= label else name[: label - 1] + "…"
            picture.write(f"{mark} ", "good" if done is not None else "warn")
            picture.write(f"{shown:<{label}}  ", "here" if working else "")
            if done is not None:
                picture.line(f"{done[0]:>7,}  {done[1]:>7,}  {done[2]:>6,}")
            elif working and len(state.verdicts):
                nodes = state.nodes_of(part)
                passing = sum(
                    state.count(v, nodes) for v in (Verdict.PASSES, Verdict.INFERRED_PASS)
                )
                tested = sum(state.count(v, nodes) for v in (Verdict.PASSES, Verdict.FAILS))
                picture.line(f"{passing:>7,}  {len(nodes):>7,}  {tested:>6,}  at work")
            else:
                picture.line("waits", "dim")
        picture.end()
        picture.line("✓ settled   ▸ at work   · waits", "dim")
        if state.best is not None:
            picture.line(f"★ best so far: RV {state.best_rv:.4f}", "best")
        return picture
