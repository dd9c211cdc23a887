"""The alternatives of a decision, measured where somebody looks at one decision at a time."""

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.clustering.events import Alternatives
from kanon_tui.core.numeric import Floats, Int32s

MOST_FOLLOWED = 100_000
"""Records of the largest table whose steps at full speed report the clusters of records."""
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Measured:
    """The candidates of a decision, measured before it is taken.

    Kernels find the best candidate alone; all are measured only while a run is watched.
    """

    numbers: Int32s
    """Records or clusters, rising, from 0."""
    parts: Floats
    """Candidates × attributes: what each attribute contributes to a score."""
    scores: Floats

    def best(self, taken: int, highest: bool = False) -> Alternatives:
        """Return the best five, that which was taken first."""
        rounded = np.round(-self.scores if highest else self.scores, 9)
        chosen = int(np.flatnonzero(self.numbers == taken)[0])
        order = np.argsort(rounded, kind="stable")[: _SHOWN + 1]
        places = [chosen, *(i for i in order.tolist() if i != chosen)][:_SHOWN]
        return Alternatives(
            self.numbers[places], self.scores[places], self.parts[places], len(self.scores)
        )
