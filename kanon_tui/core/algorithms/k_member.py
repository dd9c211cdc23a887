"""Greedy k-member clustering: start far away, then add whatever costs least.

Its page, with naive code, a picture and a run: algorithms/k-member.html of the manual, which
`kanon-tui explain k-member` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.clustering import NumericClustering
from kanon_tui.core.clustering.k_member_clusters import Members
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import Line, RunContext, Steps, Task, Wish
from kanon_tui.core.text import Note, note


@dataclass(frozen=True)
class KMember(NumericClustering):
    """Byun's greedy k-member clustering.

    Idea: similar records should share a class, so clusters of k are grown one record at a time,
    always by the record that makes the cluster lose least information.

    Phases:

    1. Draw a record at random (it stays in the table).
    2. While k or more records remain: the one furthest from the last record added starts a
       cluster, and the cluster grows to k, each time by the record with the smallest increase of
       IL = size · (Σ range / domain + Σ height(lca) / height).
    3. The fewer than k records left over join, in row order, the cluster whose IL grows least.

    With a class attribute, a record whose label is not the cluster's majority (the lowest label of
    equals) counts `class_penalty` more in phase 2: classes become pure enough to learn from.

    A missing number is at distance 1 from every number, and a cluster that mixes them loses as much
    as with the whole domain. Of all candidates less than 1e-9 above the best, the lowest row wins
    (in phase 3 the lowest cluster).

    With `objective: sse` numbers are standard scores, distances their squared differences, and a
    cluster takes the record nearest to its mean, so that the squared differences from the means
    grow least. On numbers this is as good as `mdav`, and faster; a missing number lies as far
    beyond the largest as that is from the smallest.

    Cost: the paper's scan is O(n²). Here equal records collapse and every search goes through a
    tree of boxes with bounds: the same clusters, in time that grows like n^1.1 on census data.

    Departure from the paper: records left over are taken in row order; with `left_over: random`
    they are shuffled, as the paper draws them.

    Reference: Byun, Kamra, Bertino and Li, Efficient k-anonymization using clustering techniques
    (2007), figure 5 and section 3.4.
    """

    name: ClassVar[str] = "k-member"
    title: ClassVar[str] = "k-member clustering"
    paper: ClassVar[str] = "Byun, Kamra, Bertino and Li 2007"
    summary: ClassVar[str] = (
        "Grows clusters of k from far-apart records by least information loss; small classes and "
        "little loss for any kind of data"
    )
    sample: ClassVar[str] = "patients"
    terms: ClassVar[tuple[str, ...]] = ("IL",)
    twin: ClassVar[str] = ".twins.k_member:k_member"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("while k records are left:"),
        Line("start a cluster with the record furthest from the last one", 1, ("start",)),
        Line("while it has fewer than k:", 1),
        Line("add the record that adds least information loss", 2, ("grow", "close")),
        Line("each record left over joins where the loss grows least", 0, ("join",)),
    )
    recommended_for: ClassVar[tuple[Wish, ...]] = (Wish.LEAST_LOSS,)
    time_exponent: ClassVar[float] = 1.1

    class_attribute: str | None = declared(None, "Column whose values should agree inside a class")
    class_penalty: float = declared(
        0.0, "Added to the loss of a record that differs in it from most of its cluster", low=0
    )

    left_over: str = declared(
        "rows",
        "Order in which the last records (fewer than k) join clusters: by row, or at random (by "
        "the seed), as in the paper",
        choices=("rows", "random"),
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Cluster the whole table."""
        squared = self.squared(task)
        codes = self._class_codes(task)
        members = Members(task, context, codes, self.class_penalty, squared)
        rows = np.arange(len(members.features.distinct), dtype=np.int32)
        draw = np.random.default_rng(task.seed)
        start = int(draw.integers(task.n))
        yield from members.cluster(rows, start, draw if self.left_over == "random" else None)
        return members.grouping(self._notes())

    def _class_codes(self, task: Task) -> Int32s | None:
        """Return the label of every record, where labels count."""
        name = self.class_attribute
        if name is None:
            if self.class_penalty:
                raise InputError(
                    f"{self.name}: class_penalty is {self.class_penalty:g} but class_attribute is "
                    f"not set; name a column or set class_penalty to 0"
                )
            return None
        problem = f"{self.name}: class_attribute is '{name}', which is not a column of the table"
        check_known(name, task.table.names, problem)
        if self.class_penalty and self.objective == "sse":
            raise InputError(
                f"{self.name}: class_penalty adds to the information loss, which objective sse "
                f"does not count; set class_penalty to 0 or objective to own"
            )
        return task.table.column(name, Kind.CATEGORICAL).codes if self.class_penalty else None

    def _notes(self) -> tuple[Note, ...]:
        if self.class_attribute is not None and not self.class_penalty:
            return (note("class_attribute had no effect because class_penalty is 0"),)
        return ()
