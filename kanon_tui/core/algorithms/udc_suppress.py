"""Utility-driven clustering that may hide single cells instead of widening a whole cluster.

Its page, with naive code, a picture and a run: algorithms/udc-suppress.html of the manual, which
`kanon-tui explain udc-suppress` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.clustering.merging_steps import MERGE_SMALL
from kanon_tui.core.kernels.merging import SUPPRESS, SUPPRESS_CLUSTER
from kanon_tui.core.task.task import Line, Task, Wish


@dataclass(frozen=True)
class UdcSuppress(Udc):
    """`udc`, with cells of one side of a merge hidden where that leaves more research value.

    Idea: one far-off record would stretch the range of a whole cluster, or break a rule for all of
    it. Hiding that record's cell costs its own value only.

    Phases: as `udc`, but a trial scores three merges and counts with the best: nothing hidden; some
    attributes of the small cluster hidden; some attributes of the other one hidden. A hidden side
    adds records · (span of the domain) to D, leaves the range of the other side as it is, and
    breaks no rule. The score is a sum over attributes, so the best choice of attributes is made one
    by one: hide where that alone raises the score by more than 1e-9. Among merges that score alike
    the one that hides nothing comes first, then the one that hides cells of the small cluster.

    With `objective: cluster` a merge scores Σ w / span · DR of the union alone. Its span is the
    mean over its records, of whom those with a hidden cell count the domain. A small cluster then
    hides its cells in a large one at next to no cost.

    Which cells are hidden is remembered per record, and a later merge can hide more. In the release
    all records of such a class print the same: the range of the cells that are not hidden, followed
    by `*`, or `*` alone when all are.

    Cost: as `udc`; a trial takes about twice as long, because each attribute is scored three ways.
    With `objective: cluster` every cluster is tried, so that time is quadratic.

    Reference: Morton, utility-driven clustering with suppression.
    """

    name: ClassVar[str] = "udc-suppress"
    title: ClassVar[str] = "Utility-driven clustering with suppression"
    paper: ClassVar[str] = "Morton, utility-driven clustering (suppression)"
    summary: ClassVar[str] = (
        "As udc, but hides single cells where that hurts less than widening a cluster; for data "
        "with outliers"
    )
    twin: ClassVar[str] = ".twins.merging:udc_suppress"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        *MERGE_SMALL,
        Line(
            "merge it where RV stays highest; of either, or neither, cells are hidden",
            1,
            ("merge",),
        ),
    )
    modes: ClassVar[tuple[int, int]] = (SUPPRESS, SUPPRESS_CLUSTER)

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return none: it hides cells, which `udc` does not."""
        return ()
