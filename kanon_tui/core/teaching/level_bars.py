"""Attributes with their levels: the pointers of `local`, and the distinct counts of `datafly`."""

from __future__ import annotations

from typing import ClassVar

from kanon_tui.core.teaching.full_domain_state import FullDomainState
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene
from kanon_tui.core.text import visible

__all__ = ["DistinctCounts", "PointerBars"]


class PointerBars(Drawing):
    """Per attribute the levels that are left, and the one half-way."""

    name: ClassVar[str] = "pointers"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            picture.line("The pointers are drawn with the first decision.", "dim")
            return picture
        lattice, pointers = state.lattice, state.pointers
        label = _label_room(lattice.names, width)
        picture.line(f"{'':<{label}}  levels, general → specific", "dim")
        for a, name in enumerate(lattice.names):
            picture.write(f"{visible(name)[:label]:<{label}}  ")
            for level in range(lattice.heights[a], -1, -1):
                if level < lattice.lowest[a]:
                    picture.write(f" ░{level} ", "dim")
                elif pointers is None:
                    picture.write(f" ·{level} ")
                elif level == pointers.middle[a]:
                    picture.write(f"▸{level}◂ ", "here")
                elif pointers.specific[a] <= level <= pointers.general[a]:
                    picture.write(f" ·{level} ", "strong")
                else:
                    picture.write(f" −{level} ", "dim")
            picture.end()
        picture.end()
        marks = ("▸ half-way, tested now", "· left", "− ruled out", "░ fails alone")
        picture.entries((mark, "dim") for mark in marks)
        if state.best is not None:
            levels = ", ".join(
                f"{name} {level}" for name, level in zip(lattice.names, state.best, strict=True)
            )
            picture.wrap(f"★ best so far ⟨{levels}⟩  RV {state.best_rv:.4f}", "best")
        for number, test in list(state.tests.values())[-max(height - picture.used - 1, 1) :]:
            picture.write(f"{number:>5} ", "dim")
            picture.write("✓ " if test.passes else "✗ ", "good" if test.passes else "bad")
            picture.line(" ".join(str(level) for level in test.levels))
        return picture


class DistinctCounts(Drawing):
    """The table of distinct values per attribute and level, with what is raised."""

    name: ClassVar[str] = "distinct values"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        quasi = scene.task.quasi
        at = [0] * len(quasi)
        if isinstance(state, FullDomainState) and state.current is not None:
            at = list(state.current)
        step = scene.step
        raised = step.facts.get("attribute") if step is not None and step.kind == "raise" else None
        label = _label_room([a.name for a in quasi], width)
        deepest = max(a.hierarchy.height for a in quasi)
        cell = max(len(f"{len(a.hierarchy.labels[0]):,}") for a in quasi) + 3
        picture.write(f"  {'level':<{label}}", "dim")
        picture.line("".join(f"{level:>{cell}}" for level in range(deepest + 1)), "dim")
        for a, attribute in enumerate(quasi):
            lifted = attribute.name == raised
            picture.write("↑ " if lifted else "  ", "warn")
            picture.write(f"{visible(attribute.name)[:label]:<{label}}", "strong" if lifted else "")
            for level, labels in enumerate(attribute.hierarchy.labels):
                here = level == at[a]
                text = f"▸{len(labels):,}" if here else f"{len(labels):,}"
                picture.write(" " * (cell - len(text)))
                picture.write(text, "here" if here else "dim" if level < at[a] else "")
            picture.end()
        picture.end()
        marks = ("▸ the level now", "↑ raised now, having most values")
        picture.entries((mark, "dim") for mark in marks)
        return picture


def _label_room(names: tuple[str, ...] | list[str], width: int) -> int:
    return min(max(len(visible(name)) for name in names), max(width // 3, 6))
