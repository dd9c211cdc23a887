"""What pictures and sentences tell of `sbc` and `sd`: who is near, attribute by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.cluster_facts import UNPLACED
from kanon_tui.core.clustering.measured import Asked, Measured
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.task.task import QuasiIdentifier, Task

if TYPE_CHECKING:
    from kanon_tui.core.kernels.box_tree import BoxTree
    from kanon_tui.core.kernels.cluster_centre import Centre
    from kanon_tui.core.kernels.similarity import LeftoverDistances

__all__ = ["Measuring", "begun", "placed_facts"]

_FORMULA = (
    "distance = Σ |place − centre| of numbers, 0 to 1 of the domain, + Σ of categories what the "
    "start of the cluster said",
)


class Measuring:
    """Distances of everything that is left from a centre, in the order of the attributes."""

    def __init__(self, task: Task, categories: Sequence[QuasiIdentifier], spatial: bool) -> None:
        self._task, self._spatial = task, spatial
        names = [attribute.name for attribute in task.quasi]
        self._numbers = [x for x, attribute in enumerate(task.quasi) if attribute.ordered]
        self._categories = [names.index(attribute.name) for attribute in categories]

    def records(self, tree: BoxTree, centre: Centre) -> Measured:
        """How far every record that is left is from the centre of the cluster that grows."""
        from kanon_tui.core.kernels.box_tree import GONE

        left = np.flatnonzero(tree.record != GONE)
        left = left[np.argsort(tree.record[left])]
        values = centre.offsets[:-1] + tree.labels[left]
        return self._measured(
            tree.record[left],
            _apart(tree.places[left], centre.place, centre.blank),
            centre.distance[values],
        )

    def clusters(self, leftovers: LeftoverDistances, i: int) -> Measured:
        """How far a record that is left over is from every cluster."""
        terms = leftovers.terms
        centres = np.where(terms > 0, leftovers.total / np.maximum(terms, 1), np.nan)
        places = np.broadcast_to(leftovers.place[i], centres.shape)
        apart = _apart(places, centres, leftovers.blank)
        numbers = np.arange(len(terms), dtype=np.int32)
        return self._measured(numbers, apart, leftovers.category[:, i])

    def nearest(self, measured: Measured, record: int, first: int, cluster: int) -> dict[str, Any]:
        """The facts of a record that joins the cluster that `first` has started."""
        whom = f"the centre of cluster {cluster:,}" if self._spatial else f"record {first + 1:,}"
        asked = Asked(
            f"which record joins cluster {cluster:,}",
            "distance",
            f"the nearest to {whom}; of equals the lowest row",
            whom,
            _FORMULA,
        )
        return measured.told(self._task, record, asked)

    def where(self, measured: Measured, record: int, cluster: int) -> dict[str, Any]:
        """The facts of a record left over that joins a cluster."""
        asked = Asked(
            f"which cluster takes record {record + 1:,}",
            "distance",
            "the nearest; of equals the first",
            f"record {record + 1:,}",
            _FORMULA,
            what="cluster",
        )
        return measured.told(self._task, cluster, asked)

    def _measured(self, numbers: Int32s, places: Floats, values: Floats) -> Measured:
        parts = np.zeros((len(numbers), len(self._task.quasi)))
        parts[:, self._numbers] = places
        parts[:, self._categories] = values
        return Measured(numbers, parts, parts.sum(axis=1))


def _apart(places: Floats, centre: Floats, blank: Flags) -> Floats:
    """Distances of numbers from those of centres; a missing one is at 0 or 1."""
    missing = np.where(blank, 0.0, 1.0)
    away = np.where(np.isnan(centre), 1.0, np.abs(places - np.nan_to_num(centre)))
    return np.asarray(np.where(np.isnan(places), missing, away), dtype=np.float64)


def begun(order: Int32s) -> dict[str, Any]:
    """The facts of the sort: the list, and that nobody is in a cluster yet."""
    together = np.full(len(order), UNPLACED, dtype=np.int32)
    return {"order": order.copy(), "together": together}


def placed_facts(records: Int64s, clusters: npt.NDArray[np.integer]) -> dict[str, Any]:
    """The facts of records that joined clusters."""
    moved = [(int(c), records[clusters == c]) for c in np.unique(clusters)]
    facts: dict[str, Any] = {"moved": tuple(moved)}
    return facts | {"rows": records} if len(records) == 1 else facts
