"""A map of the records over two attributes: clusters by hue and mark, cuts and distances as lines.

Arrow keys turn the map to other attributes. Records of one cluster share a mark, and an outline
where there are few clusters; records that nothing was decided about are small circles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.facts import SUPPRESSED, UNPLACED
from kanon_tui.core.clustering.features import places, ranks
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.teaching.canvas import Canvas
from kanon_tui.core.teaching.classes_now import boxes_of, groups_now, sizes_of
from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.picture import HUES, Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, short_number, shortened, visible

_MARKS = "●■▲◆▼◉▣◈✚✦◐◧"
_MOST_MARKED = 400
"""Records of the largest table that is drawn with a mark for each; others are dots."""
_MOST_DOTS = 20_000
_MOST_OUTLINES = 9
_MOST_CUTS = 300
_MOST_BESIDE = 20
"""Columns that a mark is moved at most where others have taken its place."""
_AXIS = 9
"""Columns of the labels at the left, at most."""
_BESIDE = 24
"""Columns of the list of clusters beside the map."""

Place = tuple[float, float]
"""A point of the map: share across and share up."""


def mark_of(group: int) -> tuple[str, Tone]:
    """Return mark and hue of a cluster."""
    return _MARKS[group % len(_MARKS)], HUES[(group + group // len(_MARKS)) % len(HUES)]


Tether = tuple[Place, Place, str, bool]
"""A line from the origin of a distance to a candidate: both ends, the distance, if it is chosen."""


class RecordMap(Drawing):
    """Records as marks over two attributes, which the arrow keys choose."""

    name: ClassVar[str] = "map"

    def __init__(self) -> None:
        self._axes: tuple[int, int] | None = None
        """The attributes across and up; None follows the decisions."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture, state = Picture(width, height), scene.state
        if not isinstance(state, ClusteringState) or state.groups is None:
            picture.wrap("Records are drawn with the first decision that says where they belong.")
            return picture
        x, y = self._attributes(scene, state)
        listed = _cluster_list(scene, state)
        beside = max(_BESIDE, width // 3) if width >= 2 * _BESIDE + 8 else 0
        below = Picture(width, height)
        if not beside:
            below.entries((shortened(text, width), t) for text, t in listed[: max(height // 5, 2)])
        hidden = [a.name for n, a in enumerate(scene.task.quasi) if n not in (x, y)]
        if hidden:
            below.line(
                shortened(f"hidden: {', '.join(hidden)} (arrows turn the map)", width), "dim"
            )
        area = _Map(scene, state, x, y, width - beside, height - len(below.rows))
        canvas: Canvas[Tone] = Canvas(width, max(height - len(below.rows), 3), "")
        area.draw(canvas)
        for row, (text, tone) in enumerate(listed[: canvas.height] if beside else ()):
            canvas.put(row, width - beside + 1, shortened(text, beside - 1), tone)
        picture.add(canvas)
        picture.add_rows(below.rows)
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose the attribute across by left and right, the one upwards by up and down."""
        state, count = scene.state, len(scene.task.quasi)
        if not isinstance(state, ClusteringState) or count < 2:
            return False
        x, y = self._attributes(scene, state)
        turns = [((x + across * n) % count, (y + down * n) % count) for n in (1, 2)]
        self._axes = turns[0] if turns[0][0] != turns[0][1] else turns[1]
        return True

    def _attributes(self, scene: Scene, state: ClusteringState) -> tuple[int, int]:
        """Return the chosen attributes, or that of the last cut with the widest of the others."""
        if self._axes is not None:
            return self._axes
        quasi = scene.task.quasi
        cut = state.cuts[-1][1] if state.cuts else None
        values = [float(len(each.column.values)) for each in quasi]
        across = cut.attribute if cut else int(np.argmax(values))
        widths = list(cut.widths) if cut and cut.widths else values
        others = [a for a in range(len(quasi)) if a != across]
        return across, max(others, key=lambda a: widths[a], default=across)


class _Map:
    """The map in its room: where records lie, and what is drawn over them."""

    def __init__(
        self, scene: Scene, state: ClusteringState, x: int, y: int, width: int, height: int
    ) -> None:
        quasi = scene.task.quasi
        assert state.groups is not None
        self.scene, self.state, self.groups = scene, state, state.groups
        self.x, self.y = quasi[x], quasi[y]
        self.axes = x, y
        self.left = min(max(len(text) for _, text in _ticks(self.y, height)), _AXIS) + 1
        self.columns, self.rows = max(width - self.left - 2, 6), max(height - 2, 4)
        across, up = _positions(self.x), _positions(self.y)
        flat = len(quasi) == 1
        codes = self.x.column.codes, self.y.column.codes
        self.at = np.column_stack([
            across[codes[0]], np.full(len(codes[0]), 0.5) if flat else up[codes[1]]
        ])  # fmt: skip
        self.lit = set(np.unique(self.groups[state.rows]).tolist()) - {UNPLACED, SUPPRESSED}
        self.sizes = sizes_of(scene, self.groups.astype(np.int64))

    def cell(self, place: Sequence[float] | Floats) -> tuple[int, int]:
        """Return row and column of a place."""
        column = self.left + 2 + round(float(place[0]) * (self.columns - 3))
        return 2 + round((1 - float(place[1])) * (self.rows - 4)), column

    def dot(self, place: Sequence[float] | Floats) -> tuple[int, int]:
        """Return the braille dot in the middle of a place's cell."""
        row, column = self.cell(place)
        return 2 * column, 4 * row + 2

    def draw(self, canvas: Canvas[Tone]) -> None:
        """Draw axes, cuts, outlines, records and the lines of the decision."""
        self._draw_axes(canvas)
        marked = self.scene.task.rows <= _MOST_MARKED
        spots = self._draw_records(canvas) if marked else self._draw_dots(canvas)
        self._draw_outlines(canvas, spots)
        self._draw_tethers(canvas)
        self._draw_cuts(canvas)

    def _draw_axes(self, canvas: Canvas[Tone]) -> None:
        title = f"{self.y.name} ↑  {self.x.name} →"
        canvas.put(0, 0, shortened(title, self.left + self.columns), "strong")
        for row in range(1, self.rows):
            canvas.put(row, self.left, "│", "dim")
        for share, text in _ticks(self.y, self.rows) if len(self.scene.task.quasi) > 1 else ():
            row = self.cell((0, share))[0]
            canvas.put(row, 0, f"{shortened(text, self.left - 1):>{self.left}}┤", "dim")
        canvas.put(self.rows, self.left, "└" + "─" * (self.columns + 1), "dim")
        ticks = _ticks(self.x, self.columns // 6)
        room = max(self.columns // max(len(ticks), 1) - 1, 3)
        end = 0
        for share, text in ticks:
            label, column = shortened(text, room), self.cell((share, 0))[1]
            begin = min(max(column - len(label) // 2, end), canvas.width - len(label))
            canvas.put(self.rows, column, "┬", "dim")
            if begin >= end:
                canvas.put(self.rows + 1, begin, label, "dim")
            end = begin + len(label) + 1

    def _draw_records(self, canvas: Canvas[Tone]) -> dict[int, list[tuple[int, int]]]:
        """Draw a mark per record, side by side where they meet; return the cells by group."""
        spots: dict[int, list[tuple[int, int]]] = {}
        step, rows = self.scene.step, self.state.rows
        seeds = () if step is None else step.facts.get("seeds", ())
        decided = set(seeds or (rows.tolist() if len(rows) == 1 else ()))
        for record in np.argsort(self.groups, kind="stable").tolist():
            group = int(self.groups[record])
            row, column = _free_near(canvas, *self.cell(self.at[record]), self.left)
            canvas.put(row, column, *self._look(record, group, record in decided))
            spots.setdefault(group, []).append((row, column))
        return spots

    def _look(self, record: int, group: int, decided: bool) -> tuple[str, Tone]:
        """Return mark and tone of a record."""
        if group == SUPPRESSED:
            return "×", "dim"
        if group == UNPLACED:
            tint = self.state.tints
            return "◦", "" if tint is None else HUES[int(tint[record]) % len(HUES)]
        if self.sizes[group] == 1 and group not in self.lit:
            return "○", "dim"
        mark, tone = mark_of(group)
        return ("◎" if decided else mark), tone

    def _draw_dots(self, canvas: Canvas[Tone]) -> dict[int, list[tuple[int, int]]]:
        """Draw records of a large table as dots; those of the decision come last."""
        step = max(len(self.groups) // _MOST_DOTS, 1)
        for record in [*range(0, len(self.groups), step), *self.state.rows[:_MOST_DOTS].tolist()]:
            group, place = int(self.groups[record]), self.at[record]
            tone: Tone = "dim" if group < 0 else mark_of(group)[1]
            x = 2 * (self.left + 2) + round(float(place[0]) * (2 * self.columns - 5))
            canvas.dot(x, 8 + round((1 - float(place[1])) * (4 * self.rows - 13)), tone)
        lit = np.flatnonzero(np.isin(self.groups, list(self.lit)))[:_MOST_DOTS].tolist()
        spots: dict[int, list[tuple[int, int]]] = {}
        for record in lit:
            spots.setdefault(int(self.groups[record]), []).append(self.cell(self.at[record]))
        return spots

    def _draw_outlines(self, canvas: Canvas[Tone], spots: dict[int, list[tuple[int, int]]]) -> None:
        """Draw a thin frame around clusters, of many only around those of the decision."""
        there = [g for g in spots if g >= 0 and len(spots[g]) > 1]
        many = len(there) > _MOST_OUTLINES
        for group in sorted(there, key=lambda g: g in self.lit):
            if many and group not in self.lit:
                continue
            rows, columns = zip(*spots[group], strict=True)
            top, left = min(rows) - 1, max(min(columns) - 1, self.left + 1)
            bottom, right = max(rows) + 1, max(columns) + 1
            tone = mark_of(group)[1]
            canvas.outline(top, left, bottom, right, tone)
            size, k = int(self.sizes[group]), self.scene.task.k
            label = f"{group + 1}:{size}{'✓' if size >= k else f'/{k}'}"
            if right - left > len(label):
                canvas.put_if_free(top, left + 1, label, tone, "─")

    def _draw_tethers(self, canvas: Canvas[Tone]) -> None:
        """Draw the distances of the decision as dotted lines, and a centre with its trail."""
        for one, other, text, chosen in _tethers(self.scene, self.state, self.at):
            start, end = self.dot(one), self.dot(other)
            tone: Tone = "warn" if chosen else "dim"
            canvas.line(start, end, tone, 1, 1 if chosen else 2)
            row, column = (start[1] + end[1]) // 8, (start[0] + end[0]) // 4
            canvas.put_if_free(row, column - len(text) // 2, text, tone)
        came = self.state.growing if self.scene.algorithm.name == "sd" else ()
        for count in range(1, len(came) + 1):
            newest = count == len(came)
            place = self.cell(_middle(self.at, list(came[:count])))
            canvas.put_if_free(*place, "✛" if newest else "+", "warn" if newest else "dim")

    def _draw_cuts(self, canvas: Canvas[Tone]) -> None:
        """Draw cuts along the axes as lines, that of this step in another colour."""
        for number, cut in self.state.cuts[-_MOST_CUTS:]:
            if cut.attribute not in self.axes or not cut.box:
                continue
            along = self.axes.index(cut.attribute)
            attribute, other = (self.x, self.y) if along == 0 else (self.y, self.x)
            spots, values = _positions(attribute), attribute.column.values
            middle = (spots[values.index(cut.below)] + spots[values.index(cut.above)]) / 2
            box = [other.column.values.index(value) for value in cut.box[self.axes[1 - along]]]
            limits = _positions(other)[box].tolist()
            tone: Tone = "warn" if number == self.scene.number else "dim"
            ends = [(middle, limit) if along == 0 else (limit, middle) for limit in limits]
            canvas.line(self.dot(ends[0]), self.dot(ends[1]), tone)


def _free_near(canvas: Canvas[Tone], row: int, column: int, left: int) -> tuple[int, int]:
    """Return the free cell nearest to one, sideways first; the cell itself if all are taken."""
    for far in range(_MOST_BESIDE):
        for across in (far, -far):
            if column + across > left and canvas.is_free(row, column + across):
                return row, column + across
    return row, column


def _tethers(scene: Scene, state: ClusteringState, at: Floats) -> Iterable[Tether]:
    """Yield the lines of a decision: from a centre or record to candidates, or between clusters."""
    step = scene.step
    facts = {} if step is None else step.facts
    if "merge" in facts:
        small, other = facts["merge"].small_rows, facts["merge"].other_rows
        yield _middle(at, small), _middle(at, other), short_number(facts["merge"].score), True
    if "seeds" in facts:
        one, other = facts["seeds"]
        yield _middle(at, [one]), _middle(at, [other]), "seeds", True
    distances = facts.get("distances")
    if distances is None or step is None or not len(state.rows) or state.groups is None:
        return
    record, before = int(state.rows[0]), list(state.growing[:-1])
    if step.kind == "start" and "last" in facts:
        before = [facts["last"] - 1]
    elif distances.rows[0].record is None:  # it joins a cluster that is closed
        own = np.flatnonzero(state.groups == state.groups[record])
        before = own[own != record].tolist()
    for row in sorted(distances.rows, key=lambda row: row.chosen)[-3:]:
        if len(before) and (row.record is not None or row.chosen):
            end = record if row.record is None else row.record
            yield _middle(at, before), _middle(at, [end]), short_number(row.total), row.chosen


def _middle(at: Floats, rows: Sequence[int] | Int64s) -> Place:
    across, up = at[rows].mean(axis=0).tolist()
    return across, up


def _cluster_list(scene: Scene, state: ClusteringState) -> list[tuple[str, Tone]]:
    """Return the clusters as texts: totals, those of the decision, the others by number."""
    groups = groups_now(scene)
    assert groups is not None
    k, sizes = scene.task.k, sizes_of(scene, groups)
    there = np.flatnonzero(sizes)
    below = int((sizes[there] < k).sum())
    listed: list[tuple[str, Tone]] = [
        (count_of(len(there), "cluster"), "strong"),
        (f"{'✗' if below else '✓'} {below:,} below k = {k:,}", "bad" if below else "good"),
    ]
    for what, mark, group in (("not placed", "◦", UNPLACED), ("suppressed", "×", SUPPRESSED)):
        count = int((groups == group).sum())
        listed += [(f"{mark} {count:,} {what}", "dim")] if count else []
    lit = np.unique(groups[state.rows])
    order = [*lit[lit >= 0].tolist(), *there[(sizes[there] > 1) & ~np.isin(there, lit)].tolist()]
    shown = np.array(sorted(order[:40]), dtype=np.int64)
    boxes = boxes_of(scene, groups, shown, state.hidden)
    for group in order[:40]:
        mark, tone = mark_of(group)
        size = int(sizes[group])
        enough = "✓" if size >= k else f"/{k:,}"
        cells = ", ".join(boxes[group])
        listed.append((f"{mark} {group + 1:,}: {size:,}{enough} {cells}", tone))
    return listed


def _positions(attribute: QuasiIdentifier) -> Floats:
    """Return per value code its place on the axis, 0 to 1; a missing number stands at the end."""
    if attribute.ordered:
        found = np.asarray(places(attribute), dtype=np.float64)
        return np.where(np.isnan(found), 1.0, found)
    rank = ranks(attribute).astype(np.float64)
    return np.asarray((rank + 0.5) / (rank.max() + 1), dtype=np.float64)


def _ticks(attribute: QuasiIdentifier, most: int) -> list[tuple[float, str]]:
    """Return places with the values there: every category, or some values of a range."""
    spots = _positions(attribute)
    order = np.argsort(spots, kind="stable")
    count = min(len(order), max(most, 2))
    if attribute.ordered:
        count = min(count, 5)
        wanted = np.linspace(spots[order[0]], spots[order[-1]], count)
        order = np.unique([int(np.abs(spots - share).argmin()) for share in wanted])
    elif len(order) > count:
        order = order[np.linspace(0, len(order) - 1, count).astype(int)]
    values = attribute.column.values
    return sorted((float(spots[code]), visible(values[code])) for code in order.tolist())
