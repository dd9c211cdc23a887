"""The clusters of a run: a map of the records over two attributes, and the tree of cuts or merges.

The map shows clusters by hue and mark, cuts and distances as lines. Arrow keys turn it to other
attributes, or to the two axes along which the records differ most (principal components). Records
of one cluster share a mark, and an outline where there are few clusters; records that are in no
cluster are circles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.cutting_events import CutMade, GroupSplit
from kanon_tui.core.clustering.events import SUPPRESSED, UNPLACED, GroupDivided
from kanon_tui.core.clustering.features import places, ranks
from kanon_tui.core.clustering.growing_events import MemberTaken
from kanon_tui.core.clustering.merging_events import ClustersMerged
from kanon_tui.core.numeric import Floats
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.teaching.candidates import LETTERS, vote_on
from kanon_tui.core.teaching.picture import HUES, Canvas, Drawing, Picture, Scene, Tone
from kanon_tui.core.teaching.records import boxes_of, groups_now, originals_of, sizes_of
from kanon_tui.core.teaching.run_states import ClusteringState, Joined
from kanon_tui.core.text import count_of, short_number, shortened, visible

_MARKS = "●■▲◆▼◉▣◈✚✦◐◧"
_MOST_MARKED = 400
"""Records of the largest table that is drawn with a mark for each; others are dots."""
_MOST_DOTS = 20_000
_MOST_OUTLINES = 9
_MOST_CUTS = 300
_MOST_BESIDE = 20
"""The most columns that a mark is moved if its place is taken."""
_AXIS = 12
"""Columns of the labels at the left, at most."""

Place = tuple[float, float]
"""A point of the map: share across and share up."""
Tether = tuple[Place, Place, str, bool]
"""A line from the origin of a distance to a candidate: both ends, the distance, if it is chosen."""


def mark_of(state: ClusteringState, group: int) -> tuple[str, Tone]:
    """Return mark and hue of a cluster, in the order of the decisions about clusters."""
    number = state.order.get(group, group)
    return _MARKS[number % len(_MARKS)], HUES[(number + number // len(_MARKS)) % len(HUES)]


class RecordMap(Drawing):
    """Records as marks over two attributes, which the arrow keys choose."""

    name: ClassVar[str] = "map"

    def __init__(self) -> None:
        self._axes: tuple[int, int] | None = None
        """The attributes across and up; None follows the decisions. The number after the last
        attribute stands for the principal axes."""
        self._principal: _PrincipalAxes | None = None

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, ClusteringState) or state.groups is None:
            picture.wrap("Records are drawn with the first decision that says where they belong.")
            return picture
        x, y = self._attributes(scene, state)
        names = [attribute.name for attribute in scene.task.quasi]
        listed = Picture(width, height)
        listed.entries((shortened(text, width), t) for text, t in _cluster_list(scene, state))
        below = Picture(width, height)
        below.add_rows(listed.rows[: max(height // 4, 2)])
        hidden = [name for n, name in enumerate(names) if n not in (x, y)]
        principal = None
        if x == len(names):
            principal = self._principal = self._principal or _principal_axes(scene.task)
            below.wrap(principal.text(names))
        elif hidden:
            legend = f"hidden: {', '.join(hidden)} (arrows turn the map)"
            below.line(shortened(legend, width), "dim")
        canvas: Canvas[Tone] = Canvas(width, max(height - len(below.rows), 3), "")
        _Map(scene, state, (x, y), principal, canvas).draw(canvas)
        picture.add(canvas)
        picture.add_rows(below.rows)
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose the attribute across by left and right, the one upwards by up and down.

        After the last attribute across come the principal axes.
        """
        state = scene.state
        count = len(scene.task.quasi)
        if not isinstance(state, ClusteringState) or count < 2:
            return False
        x, y = self._attributes(scene, state)
        turns = [((x + across * n) % (count + 1), (y + down * n) % count) for n in (1, 2)]
        self._axes = turns[0] if turns[0][0] != turns[0][1] else turns[1]
        return True

    def _attributes(self, scene: Scene, state: ClusteringState) -> tuple[int, int]:
        """Return the chosen attributes, or that of the last cut and the widest of the others."""
        if self._axes is not None:
            return self._axes
        quasi = scene.task.quasi
        division = state.cuts[-1][1].event if state.cuts else None
        values = [float(len(attribute.column.values)) for attribute in quasi]
        across = int(np.argmax(values))
        widths: Sequence[float] = values
        if isinstance(division, GroupDivided):
            across = division.along
            widths = division.widths or values
        other_attributes = [a for a in range(len(quasi)) if a != across]
        return across, max(other_attributes, key=lambda a: widths[a], default=across)


@dataclass(frozen=True, eq=False)
class _PrincipalAxes:
    """The two directions along which the records differ most."""

    at: Floats
    """Records × 2: the place of every record, 0 to 1."""
    parts: Floats
    """2 × attributes: how much of each attribute is in an axis."""
    shares: Floats
    """The share of all variance that each axis shows."""

    def text(self, names: Sequence[str]) -> str:
        """Return the composition of the axes as text, the strongest attributes first."""
        axes = []
        for mark, parts, share in zip("→↑", self.parts, self.shares, strict=True):
            order = np.argsort(-np.abs(parts), kind="stable")
            terms = [f"{parts[a]:+.2f} {names[a]}" for a in order if abs(parts[a]) >= 0.1]
            axes.append(f"{mark} {' '.join(terms)} ({share:.0%} of the variance)")
        return "; ".join(axes)


def _principal_axes(task: Task) -> _PrincipalAxes:
    """Return the principal axes of the places that records have on the axes of the attributes."""
    at = np.column_stack(
        [_positions(attribute)[attribute.column.codes] for attribute in task.quasi]
    )
    at -= at.mean(axis=0)
    _, values, axes = np.linalg.svd(at.T @ at)
    axes = axes[:2] * np.where(axes[:2].sum(axis=1, keepdims=True) < 0, -1, 1)
    at = at @ axes.T
    low = at.min(axis=0)
    high = at.max(axis=0)
    shares = values[:2] / (values.sum() or 1.0)
    return _PrincipalAxes((at - low) / np.where(high > low, high - low, 1.0), axes, shares)


class _Map:
    """The map on the screen: the places of records, and the lines drawn over them."""

    def __init__(
        self,
        scene: Scene,
        state: ClusteringState,
        axes: tuple[int, int],
        principal: _PrincipalAxes | None,
        canvas: Canvas[Tone],
    ) -> None:
        quasi = scene.task.quasi
        assert state.groups is not None
        self.scene = scene
        self.state = state
        self.groups = state.groups
        self.axes = axes
        self.drawn = [] if principal else [quasi[a] for a in dict.fromkeys(axes)]
        """The attributes across and up; only one where there is no other, none over principal
        axes."""
        up = _ticks(self.drawn[1], canvas.height) if len(self.drawn) > 1 else []
        self.left = min(max((len(text) for _, text in up), default=0), _AXIS) + 1
        self.columns = max(canvas.width - self.left - 2, 6)
        self.rows = max(canvas.height - 2, 4)
        if principal:
            self.at = principal.at
        else:
            spots = [_positions(attribute)[attribute.column.codes] for attribute in self.drawn]
            self.at = np.column_stack([spots[0], spots[1] if up else np.full(len(spots[0]), 0.5)])
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
        names = [drawn_attribute.name for drawn_attribute in self.drawn] or [
            "principal axis 1",
            "principal axis 2",
        ]
        titles = [f"{name} {sign}" for name, sign in zip(names, "→↑", strict=False)]
        title = "  ".join(reversed(titles))
        canvas.put(0, 0, shortened(title, self.left + self.columns), "strong")
        for row in range(1, self.rows):
            canvas.put(row, self.left, "│", "dim")
        canvas.put(self.rows, self.left, "└" + "─" * (self.columns + 1), "dim")
        for attribute in self.drawn[1:]:
            for share, text in _ticks(attribute, self.rows):
                label = shortened(text, self.left - 1)
                canvas.put(self.cell((0, share))[0], 0, f"{label:>{self.left}}┤", "dim")
        ticks = _ticks(self.drawn[0], self.columns // 6) if self.drawn else []
        room = max(self.columns // max(len(ticks), 1) - 1, 3)
        end = 0
        for share, text in ticks:
            label = shortened(text, room)
            column = self.cell((share, 0))[1]
            begin = min(max(column - len(label) // 2, end), canvas.width - len(label))
            canvas.put(self.rows, column, "┬", "dim")
            if begin >= end:
                canvas.put(self.rows + 1, begin, label, "dim")
            end = begin + len(label) + 1

    def _draw_records(self, canvas: Canvas[Tone]) -> dict[int, list[tuple[int, int]]]:
        """Draw a mark per record, side by side where they meet; return the cells by group."""
        spots: dict[int, list[tuple[int, int]]] = {}
        step = self.scene.step
        rows = self.state.rows
        seeds: tuple[int, ...] = ()
        if step is not None and isinstance(step.event, GroupSplit) and len(rows):
            seeds = step.event.seeds
        decided = set(seeds or (rows.tolist() if len(rows) == 1 else ()))
        options = () if self.scene.asked is None else vote_on(self.scene.asked).options
        letters = dict(zip(options, LETTERS, strict=False))
        for record in np.argsort(self.groups, kind="stable").tolist():
            group = int(self.groups[record])
            row, column = _free_near(canvas, *self.cell(self.at[record]), self.left)
            mark, tone = self._look(record, group, record in decided)
            for option in (f"record {record + 1:,}", f"cluster {group + 1:,}"):
                mark, tone = (letters[option], "here") if option in letters else (mark, tone)
            canvas.put(row, column, mark, tone)
            spots.setdefault(group, []).append((row, column))
        return spots

    def _look(self, record: int, group: int, decided: bool) -> tuple[str, Tone]:
        """Return mark and tone of a record."""
        if group == SUPPRESSED:
            return "×", "dim"
        if group == UNPLACED:
            tint = self.state.tints
            return "○", "" if tint is None else HUES[int(tint[record]) % len(HUES)]
        if self.sizes[group] == 1 and group not in self.lit:
            return "○", "dim"
        mark, tone = mark_of(self.state, group)
        return ("◎" if decided else mark), tone

    def _draw_dots(self, canvas: Canvas[Tone]) -> dict[int, list[tuple[int, int]]]:
        """Draw records of a large table as dots; those of the decision come last."""
        step = max(len(self.groups) // _MOST_DOTS, 1)
        for record in [*range(0, len(self.groups), step), *self.state.rows[:_MOST_DOTS].tolist()]:
            group = int(self.groups[record])
            place = self.at[record]
            tone: Tone = "dim" if group < 0 else mark_of(self.state, group)[1]
            x = 2 * (self.left + 2) + round(float(place[0]) * (2 * self.columns - 5))
            canvas.dot(x, 8 + round((1 - float(place[1])) * (4 * self.rows - 13)), tone)
        lit = np.flatnonzero(np.isin(self.groups, list(self.lit)))[:_MOST_DOTS].tolist()
        spots: dict[int, list[tuple[int, int]]] = {}
        for record in lit:
            spots.setdefault(int(self.groups[record]), []).append(self.cell(self.at[record]))
        return spots

    def _draw_outlines(self, canvas: Canvas[Tone], spots: dict[int, list[tuple[int, int]]]) -> None:
        """Draw a thin frame around clusters, of many only around those of the decision."""
        outlined = [g for g in spots if g >= 0 and len(spots[g]) > 1]
        is_crowded = len(outlined) > _MOST_OUTLINES
        for group in sorted(outlined, key=lambda g: g in self.lit):
            if is_crowded and group not in self.lit:
                continue
            rows, columns = zip(*spots[group], strict=True)
            top = min(rows) - 1
            left = max(min(columns) - 1, self.left + 1)
            bottom = max(rows) + 1
            right = max(columns) + 1
            tone = mark_of(self.state, group)[1]
            canvas.outline(top, left, bottom, right, tone)
            size = int(self.sizes[group])
            k = self.scene.task.k
            label = f"{group + 1}:{size}{'✓' if size >= k else f'/{k}'}"
            if right - left > len(label):
                canvas.put_if_free(top, left + 1, label, tone, "─")

    def _draw_tethers(self, canvas: Canvas[Tone]) -> None:
        """Draw the distances of the decision as dotted lines, and a centre with its trail."""
        for origin, target, text, chosen in _tethers(self.scene, self.state, self.at):
            start = self.dot(origin)
            end = self.dot(target)
            tone: Tone = "warn" if chosen else "dim"
            canvas.line(start, end, tone, 1, 1 if chosen else 2)
            for share, down in product((0.5, 0.35, 0.65, 0.2, 0.8), (0, 1, -1)):
                x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
                row = int(y) // 4 + down
                column = int(x) // 2 - len(text) // 2
                if canvas.put_if_free(row, column, text, tone):
                    break
        came = self.state.growing if self.scene.algorithm.name == "sd" else ()
        for count in range(1, len(came) + 1):
            newest = count == len(came)
            place = self.cell(_middle(self.at, list(came[:count])))
            place = _free_near(canvas, *place, self.left) if newest else place
            canvas.put_if_free(*place, "✛" if newest else "+", "warn" if newest else "dim")

    def _draw_cuts(self, canvas: Canvas[Tone]) -> None:
        """Draw cuts along the axes as lines, that of this step in another colour."""
        spots = [_positions(attribute) for attribute in self.drawn]
        for number, step in self.state.cuts[-_MOST_CUTS:] if spots else ():
            cut = step.event
            if not isinstance(cut, CutMade) or cut.attribute not in self.axes:
                continue
            along = self.axes.index(cut.attribute)
            middle = spots[along][[cut.below, cut.above]].mean()
            ends = [0.5, 0.5]
            if len(spots) > 1:
                box = cut.part.box[self.axes[1 - along]]
                ends = spots[1 - along][list(box)].tolist()
            new = number == self.scene.number
            cells = [self.cell((middle, end) if along == 0 else (end, middle)) for end in ends]
            (top, left), (bottom, right) = sorted(cells)
            sign = ("┃" if new else "╎") if along == 0 else ("━" if new else "╌")
            for row in range(top - (along == 0), bottom + 1 + (along == 0)):
                for column in range(left - along, right + 1 + along):
                    canvas.put_if_free(row, column, sign, "warn" if new else "dim")


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
    if step is not None and isinstance(step.event, ClustersMerged) and len(step.event.records):
        small = step.event.moves.records
        other_records = step.event.records[len(small) :]
        score = short_number(float(step.event.scores[0]))
        yield _middle(at, small), _middle(at, other_records), score, True
    if step is not None and isinstance(step.event, GroupSplit) and len(step.event.records):
        first, second = step.event.seeds
        yield _middle(at, [first]), _middle(at, [second]), "seeds", True
    choice = None if step is None else step.lesson.choice
    candidates = () if choice is None else choice.candidates
    if step is None or not len(state.rows) or state.groups is None:
        return
    if not candidates or not candidates[0].parts:  # no distances
        return
    record = int(state.rows[0])
    before = list(state.growing[:-1])
    if step.kind == "start" and isinstance(step.event, MemberTaken):
        before = [step.event.last]
    elif candidates[0].record is None:  # it joins a cluster that is closed
        members = np.flatnonzero(state.groups == state.groups[record])
        before = members[members != record].tolist()
    for candidate in sorted(candidates, key=lambda candidate: candidate.chosen)[-3:]:
        if len(before) and (candidate.record is not None or candidate.chosen):
            end = record if candidate.record is None else candidate.record
            yield (
                _middle(at, before),
                _middle(at, [end]),
                short_number(candidate.score),
                candidate.chosen,
            )


def _middle(at: Floats, rows: Sequence[int] | npt.NDArray[np.integer]) -> Place:
    across, up = at[rows].mean(axis=0).tolist()
    return across, up


def _cluster_list(scene: Scene, state: ClusteringState) -> list[tuple[str, Tone]]:
    """Return the clusters as texts: totals, those of the decision, the others by number."""
    groups = groups_now(scene)
    assert groups is not None
    k = scene.task.k
    sizes = sizes_of(scene, groups)
    clusters = np.flatnonzero(sizes)
    below = int((sizes[clusters] < k).sum())
    listed: list[tuple[str, Tone]] = [
        (count_of(len(clusters), "cluster"), "strong"),
        (f"{'✗' if below else '✓'} {below:,} below k = {k:,}", "bad" if below else "good"),
    ]
    for what, mark, group in (("not placed", "○", UNPLACED), ("suppressed", "×", SUPPRESSED)):
        count = int((groups == group).sum())
        listed += [(f"{mark} {count:,} {what}", "dim")] if count else []
    lit = np.unique(groups[state.rows])
    order = [
        *lit[lit >= 0].tolist(),
        *clusters[(sizes[clusters] > 1) & ~np.isin(clusters, lit)].tolist(),
    ]
    shown = np.array(sorted(order[:40]), dtype=np.int64)
    boxes = boxes_of(scene, groups, shown, state.hidden)
    for group in order[:40]:
        mark, tone = mark_of(state, group)
        mark = f"▸{mark}" if group in lit else mark
        size = int(sizes[group])
        enough = "✓" if size >= k else f"/{k:,}"
        cells = ", ".join(boxes[group])
        listed.append((f"{mark} {group + 1:,}: {size:,}{enough} {cells}", tone))
    return listed


def _positions(attribute: QuasiIdentifier) -> Floats:
    """Return per value code its place on the axis, 0 to 1; a missing number is at the end."""
    if attribute.ordered:
        positions = np.asarray(places(attribute), dtype=np.float64)
        return np.where(np.isnan(positions), 1.0, positions)
    rank = ranks(attribute).astype(np.float64)
    return rank / rank.max() if rank.max() else rank + 0.5


def _ticks(attribute: QuasiIdentifier, most: int) -> list[tuple[float, str]]:
    """Return places with the values there: every category, or some values of a range."""
    spots = _positions(attribute)
    order = np.argsort(spots, kind="stable")
    count = min(len(order), max(most, 2))
    if attribute.ordered:
        count = min(count, 5)
        tick_places = np.linspace(spots[order[0]], spots[order[-1]], count)
        order = np.unique([int(np.abs(spots - share).argmin()) for share in tick_places])
    elif len(order) > count:
        order = order[np.linspace(0, len(order) - 1, count).astype(int)]
    values = attribute.column.values
    return sorted((float(spots[code]), visible(values[code])) for code in order.tolist())


@dataclass
class _Node:
    """A row of the tree with the rows below it."""

    text: str
    tone: Tone = ""
    parts: tuple[_Node, ...] = ()


class Tree(Drawing):
    """The tree of cuts, or the merges of one cluster; left and right go to other clusters."""

    name: ClassVar[str] = "tree"

    def __init__(self) -> None:
        self._chosen = 0
        """The number of clusters by which arrow keys have moved on."""
        self._moved = 0
        """Rows that arrow keys have moved away from the decision."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, ClusteringState) or not (state.cuts or state.joined):
            picture.wrap("The tree begins with the first cut or merge that is watched.")
            return picture
        root = _cuts(scene, state) if state.cuts else self._merges(scene, state)
        rows: list[tuple[str, Tone]] = []
        _add_rows(root, "", "", rows)
        lit = next((n for n, (_, tone) in enumerate(rows) if tone == "here"), 0)
        self._moved = min(max(self._moved, -lit), len(rows) - 1 - lit)
        room = max(height - 1, 1)
        begin = min(max(lit + self._moved - room // 2, 0), max(len(rows) - room, 0))
        for text, tone in rows[begin : begin + room]:
            picture.line(shortened(text, width), tone)
        keys = "✓ closed  … open" if state.cuts else "← → other clusters"
        picture.line(shortened(f"▸ this decision  {keys}", width), "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose a merged cluster by left and right, scroll by up and down."""
        self._chosen += across
        self._moved = 0 if across else self._moved + down
        return True

    def _merges(self, scene: Scene, state: ClusteringState) -> _Node:
        """Return the cluster of the decision, or one that is chosen."""
        numbers = sorted(state.joined, key=lambda number: -state.joined[number].step)
        number = numbers[self._chosen % len(numbers)]
        top = _merge(scene, state.joined[number])
        title = f"cluster {number + 1:,} of {count_of(len(numbers), 'merged cluster')}"
        return _Node(title, "strong", (top,))


def _merge(scene: Scene, tree: Joined) -> _Node:
    members = tree.members()
    if tree.parts:
        is_current = tree.step == scene.number
        text = f"{len(members):,} records · step {tree.step:,}"
        if tree.score is not None:
            text += f" · {short_number(tree.score, 5)}"
        parts = tuple(_merge(scene, part) for part in tree.parts)
        return _Node(f"▸ {text}" if is_current else text, "here" if is_current else "", parts)
    values = ", ".join(originals_of(scene, int(members[0])))
    more = f" and {len(members) - 1:,} more" if len(members) > 1 else ""
    return _Node(f"record {members[0] + 1:,}{more}: {values}")


def _cuts(scene: Scene, state: ClusteringState) -> _Node:
    """Return the cuts so far; a lower side keeps the number of its part."""
    assert state.groups is not None
    current_group = int(state.groups[state.rows].min(initial=np.iinfo(np.int32).max))
    root = _Node(f"all   {scene.task.n:,}")
    leaves = {0: root}
    for _, step in state.cuts:
        cut = step.event
        if not isinstance(cut, GroupDivided) or cut.group not in leaves:
            continue  # cut while one step stood for many decisions
        below, above = step.lesson.sides
        lower = _Node(f"{below or 'first side'}   {cut.left:,}")
        upper = _Node(f"{above or 'second side'}   {cut.right:,}")
        leaves[cut.group].parts = lower, upper
        leaves[cut.group], leaves[cut.upper] = lower, upper
    for group, leaf in leaves.items():
        closed = group in state.closed
        lit = group == current_group
        leaf.text = f"{'▸ ' if lit else ''}{leaf.text} {'✓' if closed else '…'}"
        leaf.tone = "here" if lit else "good" if closed else ""
    return root


def _add_rows(node: _Node, first: str, prefix_below: str, rows: list[tuple[str, Tone]]) -> None:
    rows.append((f"{first}{node.text}", node.tone))
    for part in node.parts:
        last = part is node.parts[-1]
        _add_rows(
            part,
            prefix_below + ("└ " if last else "├ "),
            prefix_below + ("  " if last else "│ "),
            rows,
        )
