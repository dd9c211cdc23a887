"""A task as boxes: fills the arrays of `kernels.box_arrays` from quasi-identifiers and records.

The *extent* of a box along an attribute is what its width costs, in units that `Measure` chooses:

| measure | number, date | several categories | missing and present mixed |
|---|---|---|---|
| `NCP` | weight · (max − min) / domain | weight · covered / distinct | weight |
| `RAW` | max − min | covered − 1 | width of the domain |
| `SPAN` | units from min to max | covered − 1 | span of the domain − 1 |
| `SQUARES` | (max − min) / standard deviation | 0 | two domains / standard deviation |

One value has extent 0, and the extent never shrinks when a box grows.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering import features
from kanon_tui.core.errors import InputError
from kanon_tui.core.kernels import box_arrays as box
from kanon_tui.core.kernels import merging as kernel
from kanon_tui.core.numeric import Floats, Int32s, Words
from kanon_tui.core.task.task import QuasiIdentifier, Task

_MOST_WORDS = 8
"""Words of bits that distinguish frequent values; beyond that some values share a bit."""


class Measure(Enum):
    """The units of the extent of a box."""

    NCP = "normalised certainty penalty"
    RAW = "raw range"
    SPAN = "span minus one"
    SQUARES = "standard deviations"


@dataclass(frozen=True)
class MergeObjective:
    """The score by which merges are chosen."""

    mode: int
    """One of the modes of `kanon_tui.core.kernels.merging`."""
    measure: Measure

    @property
    def utility(self) -> str:
        """The figure that merges keep high or low: RV, NCP or ranges."""
        return {Measure.SPAN: "RV", Measure.NCP: "NCP"}.get(self.measure, "ranges")

    @property
    def of_release(self) -> bool:
        """Whether it counts what both clusters of a merge lose, not just what their union is."""
        return self.mode in (kernel.RELEASE, kernel.SUPPRESS, kernel.SUPPRESS_CLUSTER)

    @property
    def of_union(self) -> bool:
        """Whether the score is that of the merged cluster alone."""
        return self.mode in (kernel.CLUSTER, kernel.SUPPRESS_CLUSTER)


def attributes_of(task: Task, measure: Measure) -> box.Attributes:
    """Return the quasi-identifiers of a task with extents in the units of a measure."""
    if task.n < task.k:
        raise InputError(
            f"k is {task.k} but the table has only {task.n:,} records; "
            f"choose k of at most {task.n:,}"
        )
    facts = np.full((len(task.quasi), 11), -1, dtype=np.int64)
    prices = np.zeros((len(task.quasi), 7))
    lines = [np.zeros(0)]
    trees = [np.zeros((0, 3), dtype=np.int32)]
    importances = [np.zeros(0)]
    set_values = lists = words = rule_words = 0
    for x, attribute in enumerate(task.quasi):
        column = attribute.column
        rules = attribute.rules
        facts[x, box.KIND] = _kind(attribute)
        facts[x, box.MISSING] = box.NOTHING if column.missing is None else column.missing
        if facts[x, box.KIND] == box.LINE:
            facts[x, box.START] = sum(map(len, lines))
            lines.append(_line(attribute, measure))
        elif facts[x, box.KIND] == box.TREE:
            facts[x, box.START] = sum(map(len, trees))
            trees.append(_tree(attribute))
        else:
            facts[x, box.START], facts[x, box.BITS] = set_values, words
            set_values += len(column.values)
            words += 1
            if len(column.values) > box.WORD_BITS:
                facts[x, box.CHAIN] = lists
                lists += 1
        needed = -(-len(rules.rules) // box.WORD_BITS)
        facts[x, box.FIRST], facts[x, box.SECOND] = words, words + needed
        facts[x, box.RULE_WORDS], facts[x, box.IMPORTANCE] = needed, rule_words
        words += 2 * needed
        rule_words += needed
        importances.append(
            np.pad(rules.importances, (0, needed * box.WORD_BITS - len(rules.rules)))
        )
        prices[x, [box.UNIT, box.SHIFT, box.MIXED]] = _prices(attribute, measure)
        prices[x, box.HIDE] = attribute.domain_span - 1
        prices[x, box.WEIGHT] = attribute.weight
        prices[x, box.WHOLE] = rules.table.base + rules.importances.sum()
        prices[x, box.EMPHASIS] = attribute.rule_emphasis
    facts[:, box.OFTEN], facts[:, box.OFTEN_WORDS] = facts[:, box.BITS], 1
    for x in np.flatnonzero(facts[:, box.CHAIN] >= 0).tolist():
        frequent = int((task.quasi[x].column.counts > features.MOST_ROWS).sum())
        needed = min(max(-(-frequent // box.WORD_BITS), 1), _MOST_WORDS)
        facts[x, box.OFTEN], facts[x, box.OFTEN_WORDS] = words, needed
        words += needed
    return box.Attributes(
        facts,
        prices,
        np.concatenate(lines),
        np.concatenate(trees),
        np.concatenate(importances).reshape(-1, box.WORD_BITS),
    )


def single_row_clusters(
    task: Task, attributes: box.Attributes, first: Int32s, counts: Int32s
) -> box.BoxClusters:
    """Return every distinct row, given by its first record and its count, as a cluster."""
    facts = attributes.facts
    rows = len(first)
    lists = int((facts[:, box.CHAIN] >= 0).sum())
    boxes = np.empty((rows, len(facts), 2))
    boxes[:, :, box.LOW] = row_places(attributes, ranked_records(task, first))
    boxes[:, :, box.HIGH] = np.where(facts[:, box.KIND] == box.SET, 1, boxes[:, :, box.LOW])
    shown = np.empty((rows, len(facts)), dtype=np.int32)
    shown[:] = counts[:, None]
    often = int(facts[facts[:, box.CHAIN] >= 0, box.OFTEN_WORDS].sum())
    columns = int((facts[:, box.BITS] >= 0).sum() + 2 * facts[:, box.RULE_WORDS].sum()) + often
    words = np.zeros((rows, columns), dtype=np.uint64)
    links = np.full((rows, 1 + 2 * lists), -1, dtype=np.int32)
    for x, attribute in enumerate(task.quasi):
        codes = attribute.column.codes[first]
        if facts[x, box.KIND] == box.SET:
            words[:, facts[x, box.BITS]] = _bit(codes)
        if facts[x, box.CHAIN] >= 0:
            links[:, 1 + lists + facts[x, box.CHAIN]] = codes
            rank, frequent = features.frequency_ranks(codes)
            boxes[:, x, box.LOW] = np.minimum(rank, frequent)[codes]
            bits = np.where(rank < frequent, _bit(rank), np.uint64(0))
            word = facts[x, box.OFTEN] + rank // box.WORD_BITS % facts[x, box.OFTEN_WORDS]
            words[np.arange(rows), word[codes]] = bits[codes]
        rules = attribute.rules
        for column, masks in (
            (facts[x, box.FIRST], rules.first),
            (facts[x, box.SECOND], rules.second),
        ):
            for r, mask in enumerate(masks):
                bit = np.uint64(1 << (r % box.WORD_BITS))
                words[:, column + r // box.WORD_BITS] |= np.where(mask[codes], bit, np.uint64(0))
    info = np.empty((rows, 4 + lists), dtype=np.int32)
    info[:] = np.arange(rows)[:, None]
    info[:, box.SIZE] = counts
    hidden = np.zeros((rows, len(facts)), dtype=np.bool_)
    return box.BoxClusters(boxes, shown, np.zeros((rows, len(facts))), words, info, links, hidden)


def values_of_sets(task: Task, attributes: box.Attributes) -> int:
    """Return how many values all sets have together."""
    sets = np.flatnonzero(attributes.facts[:, box.KIND] == box.SET).tolist()
    return sum(len(task.quasi[x].column.values) for x in sets)


def _bit(numbers: npt.NDArray[np.integer]) -> Words:
    return np.uint64(1) << (numbers % box.WORD_BITS).astype(np.uint64)


def ranked_records(task: Task, records: npt.NDArray[np.integer]) -> Int32s:
    """Return codes of shape (records, attributes), or ranks in the order of the hierarchy."""
    rows = np.empty((len(records), len(task.quasi)), dtype=np.int32)
    for x, attribute in enumerate(task.quasi):
        rows[:, x] = _rank_of_code(attribute)[attribute.column.codes[records]]
    return rows


def _rank_of_code(attribute: QuasiIdentifier) -> Int32s:
    if _kind(attribute) != box.TREE:
        return np.arange(len(attribute.column.values), dtype=np.int32)
    return attribute.hierarchy.order


def _kind(attribute: QuasiIdentifier) -> int:
    if attribute.ordered:
        return box.LINE
    return box.TREE if attribute.publishes_ancestor else box.SET


def line_places(attributes: box.Attributes, rows: Int32s) -> Floats:
    """Return places of shape (rows, LINE attributes) in units of extent, nan where missing."""
    facts = attributes.facts
    numbers = np.flatnonzero(facts[:, box.KIND] == box.LINE)
    places = np.empty((len(rows), len(numbers)))
    for column, x in enumerate(numbers.tolist()):
        line = attributes.line[facts[x, box.START] + rows[:, x]]
        places[:, column] = np.where(rows[:, x] == facts[x, box.MISSING], np.nan, line)
    return places


def row_places(attributes: box.Attributes, rows: Int32s) -> Floats:
    """Return places of shape (rows, attributes): of numbers and dates, else the code or rank."""
    places = rows.astype(np.float64)
    lines = line_places(attributes, rows)
    places[:, attributes.facts[:, box.KIND] == box.LINE] = np.where(
        np.isnan(lines), box.MISSING_PLACE, lines
    )
    return places


def _prices(attribute: QuasiIdentifier, measure: Measure) -> tuple[float, float, float]:
    """Return UNIT, SHIFT and MIXED of an attribute."""
    if measure is Measure.NCP:
        size = attribute.domain_width if attribute.ordered else len(attribute.column.values)
        return attribute.weight / size if size else 0.0, 0.0, attribute.weight
    if measure is Measure.SQUARES:
        mixed = np.ptp(features.standard_scores(attribute)) if attribute.ordered else 0.0
        return 0.0, 0.0, float(mixed)
    width = attribute.domain_width if measure is Measure.RAW else attribute.domain_span - 1
    return 1.0, -1.0, width


def _line(attribute: QuasiIdentifier, measure: Measure) -> Floats:
    """Return the place of every value; a missing one is never looked at."""
    if measure is Measure.SPAN:
        return np.nan_to_num(attribute.units)
    if measure is Measure.SQUARES:
        return features.standard_scores(attribute)
    numbers = attribute.column.value_numbers
    return np.nan_to_num(numbers - attribute.domain[0]) * _prices(attribute, measure)[0]


def _tree(attribute: QuasiIdentifier) -> Int32s:
    """Return lowest rank, highest rank and parent of every node; equal nodes are one."""
    rank = _rank_of_code(attribute)
    number = {(r, r): r for r in range(len(rank))}
    parent = list(range(len(rank)))
    below = np.arange(len(rank))  # per rank the highest node so far
    for mapping in attribute.hierarchy.maps[1:]:
        label = np.empty(len(rank), dtype=np.int64)
        label[rank] = mapping
        begins = np.flatnonzero(np.diff(label, prepend=-1)).tolist()
        for low, after in zip(begins, [*begins[1:], len(rank)], strict=True):
            node = number.setdefault((low, after - 1), len(number))
            if node == len(parent):
                parent.append(node)
                for child in set(below[low:after].tolist()):
                    parent[child] = node
                below[low:after] = node
    return np.column_stack([np.array(list(number)), parent]).astype(np.int32)
