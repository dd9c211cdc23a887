"""What k-member chooses from: the best five records, or clusters, with what each would cost.

The kernels find the best one alone. Here every record left is measured, for one decision at a time
while somebody watches.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.clustering.features import Features
from kanon_tui.core.clustering.measured import Asked, Measured
from kanon_tui.core.kernels.k_member import MIXED_LABEL, MemberClusters
from kanon_tui.core.numeric import Flags, Floats, Int32s

__all__ = [
    "measure_clusters", "measure_growth", "measure_starts",
    "what_to_add", "where_to_join",
]  # fmt: skip


def what_to_add(size: int, cluster: int, last: int) -> Asked:
    """The question of a start (size 1) or of a record that joins; numbers from 1 but `last`."""
    if size == 1:
        return Asked(
            f"which record starts cluster {cluster:,}",
            "distance",
            f"the furthest from record {last + 1:,}; of equals the lowest row",
            f"record {last + 1:,}",
            ("distance = Σ |difference| / domain + Σ height(lca) / height",),
            highest=True,
        )
    return Asked(
        f"which record joins cluster {cluster:,}",
        "loss added",
        "the least; of equals the lowest row",
        f"cluster {cluster:,}",
        (
            "IL = records · (Σ range / domain + Σ height(lca) / height)",
            f"loss added = {size:,} · width with it − {size - 1:,} · width without",
        ),
    )


def where_to_join(record: int) -> Asked:
    """The question of a record that is left over."""
    return Asked(
        f"which cluster takes record {record + 1:,}",
        "loss added",
        "the least; of equals the first cluster",
        f"record {record + 1:,}",
        (
            "IL = records · (Σ range / domain + Σ height(lca) / height)",
            "loss added = (records + 1) · width with it − records · width without",
        ),
        what="cluster",
    )


def measure_starts(features: Features, origin: Int32s, rows: Int32s, records: Int32s) -> Measured:
    """Distances of rows, given with their records, from one row."""
    parts = _widths(features, _boxes(features, origin), _boxes(features, rows))
    return Measured(records, parts, parts.sum(axis=1))


def measure_growth(
    features: Features, clusters: MemberClusters, c: int, rows: Int32s, records: Int32s
) -> Measured:
    """What every row, given with its record, would add to the loss of cluster c."""
    own = _cluster_boxes(features, clusters, slice(c, c + 1))
    before, size = _widths(features, own, own), int(clusters.size[c])
    after = _widths(features, own, _boxes(features, rows))
    parts = (size + 1) * after - size * before
    return Measured(records, parts, parts.sum(axis=1))


def measure_clusters(
    features: Features, clusters: MemberClusters, row: Int32s, first: int
) -> Measured:
    """What a row would add to the loss of every cluster; these are numbered from `first` on."""
    own = _cluster_boxes(features, clusters, slice(None))
    sizes = clusters.size[:, None]
    after = _widths(features, own, _boxes(features, row))
    parts = (sizes + 1) * after - sizes * _widths(features, own, own)
    numbers = np.arange(first, first + len(sizes), dtype=np.int32)
    return Measured(numbers, parts, parts.sum(axis=1))


_Boxes = tuple[Floats, Floats, Flags, Int32s]
"""Lowest and highest place, whether one is missing, and the label all have or -1."""


def _boxes(features: Features, rows: Int32s) -> _Boxes:
    """Every distinct row as a box of its own."""
    places = features.places[rows]
    blank = np.isnan(places)
    low, high = np.where(blank, np.inf, places), np.where(blank, -np.inf, places)
    return low, high, blank, features.labels[rows]


def _cluster_boxes(features: Features, clusters: MemberClusters, which: slice) -> _Boxes:
    labels = clusters.labels[which, : len(features.flattened)]  # without the class label
    return clusters.low[which], clusters.high[which], clusters.blank[which], labels


def _widths(features: Features, one: _Boxes, other: _Boxes) -> Floats:
    """How wide unions of boxes are: unions × attributes."""
    low, high = np.minimum(one[0], other[0]), np.maximum(one[1], other[1])
    there = low <= high
    width = np.where(there, np.where(there, high, 0.0) - np.where(there, low, 0.0), 0.0)
    width = np.where((one[2] | other[2]) & there, 1.0, width)
    mixed = (one[3] == MIXED_LABEL) | (other[3] == MIXED_LABEL) | (one[3] != other[3])
    attributes = max([*features.ordered, *features.flattened]) + 1
    found = np.zeros((max(len(width), len(mixed)), attributes))
    for column, x in enumerate(features.ordered):
        found[:, x] += width[:, column]
    for column, x in enumerate(features.flattened):
        found[:, x] += mixed[:, column] * features.label_weights[column]
    return found
