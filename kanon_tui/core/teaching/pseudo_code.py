"""The algorithm in pseudo-code; the line of the step is lit."""

from textwrap import wrap
from typing import ClassVar

from kanon_tui.core.clustering.clustering import BlockClustering, Clustering
from kanon_tui.core.task.task import Family, Line, Step
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene

BLOCKS = Line("blocks: cut the table coarsely, cluster each block on its own", 0, ("block",))
"""The first line of a clustering that takes a large table in blocks."""
BEYOND_K = Line("beyond k: classes that miss what is required merge on", 0, ("merge", "suppress"))
"""The last line of a clustering where more than k is required."""
REFINE = Line(
    "refine: near classes exchange records, large ones are split, while it helps",
    0,
    ("refine", "exchange", "divide"),
)
"""The last line of a clustering that is refined."""


class Code(Drawing):
    """The lines of an algorithm; the one at work has a mark."""

    name: ClassVar[str] = "pseudo-code"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        lines = scene.algorithm.pseudo_code or (
            Line(f"{scene.algorithm.title} declares no pseudo-code"),
        )
        if scene.algorithm.family is Family.CLUSTERING and scene.task.requirements:
            lines = (*lines, BEYOND_K)
        if isinstance(scene.algorithm, BlockClustering) and scene.algorithm.block_size(scene.task):
            lines = (BLOCKS, *lines)
        if isinstance(scene.algorithm, Clustering) and scene.algorithm.refine:
            lines = (*lines, REFINE)
        step = scene.step
        lit = None if step is None else lit_line(lines, step)
        rows: list[tuple[str, bool]] = []
        for number, line in enumerate(lines):
            indent = " " * (2 * line.depth)
            texts = wrap(line.text, max(width - len(indent) - 2, 12), subsequent_indent="  ")
            for place, text in enumerate(texts):
                mark = "▸ " if number == lit and not place else "  "
                rows.append((f"{mark}{indent}{text}", number == lit))
        end = max(
            (place for place, (_, is_current) in enumerate(rows, start=1) if is_current), default=0
        )
        for text, is_current in rows[max(min(end + 1, len(rows)) - height, 0) :][:height]:
            picture.line(text, "here" if is_current else "")
        return picture


def lit_line(lines: tuple[Line, ...], step: Step) -> int | None:
    """Return the number of the line that a step belongs to; None if there is none."""
    return next((n for n, line in enumerate(lines) if line.fits(step)), None)
