"""Which parts a table was divided into, at every step of a run that divides it further."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.numeric import Flags, Int32s, Int64s

__all__ = ["PartHistory"]

_NEVER = np.iinfo(np.int32).max


class PartHistory:
    """Remembers since which step a part begins at a place in an order of rows.

    Dividing a part moves rows inside it only. A part of long ago is therefore still a run of the
    order, and where it began is all that has to be known of it. The first open part is divided or
    closed next, so closed parts come before all open ones.
    """

    def __init__(self, order: Int32s) -> None:
        """`order` is what the run works on: it is looked at when somebody asks for labels."""
        self._order = order
        self._since = np.full(len(order), _NEVER, dtype=np.int32)
        self._steps = self._closed = 0

    def record(self, closed: Flags, open_begins: Int64s) -> int:
        """Note where parts begin now, closed and open ones; gives the number of this step.

        The last of the open ones is the first in the order.
        """
        self._steps += 1
        end = int(open_begins[-1]) if len(open_begins) else len(closed)
        since = self._since[self._closed : end]
        since[closed[self._closed : end] & (since == _NEVER)] = self._steps
        self._closed = end
        self._since[open_begins] = np.minimum(self._since[open_begins], self._steps)
        return self._steps

    def begins(self, step: int) -> Int32s:
        """Per row the place where its part began at a step, which never changes for a part."""
        places = np.where(self._since <= step, np.arange(len(self._order)), 0)
        begins = np.empty(len(self._order), dtype=np.int32)
        begins[self._order] = np.maximum.accumulate(places)
        return begins

    def labels(self, step: int) -> Int32s:
        """Per row the number of its part at a step, counted in the order of the parts."""
        labels = np.empty(len(self._order), dtype=np.int32)
        labels[self._order] = np.cumsum(self._since <= step, dtype=np.int32) - 1
        return labels
