"""Recursive partitioning: what a decision tree still learns from a release.

A tree for a chosen attribute is grown on the original and on the release, with the same settings
and on the same attributes. Side by side they show which findings survive ("a capital gain of 7298
or more: 98.6 % earn over 50K"), and cross-validation says how well such trees predict.

How an analyst would use a release decides how it is judged: the tree is grown on published cells
and tested on published cells that it has not seen. So each table is cross-validated by itself, in
stratified folds: no record of a release can be traced to a record of the original, nor should it.

  accuracy   share of the records whose value is predicted, over all folds
  auc        area under the ROC curve of the held-out probabilities; with more than two values the
             mean of one against the rest, weighted by frequency; None where only one value occurs
  baseline   share of the commonest value: the accuracy of always guessing it
  kept       accuracy on the release / accuracy on the original; hold it against the baseline, and
             note that suppressing records that are hard to predict can raise it above 1

The target may be generalised, too: a record that may have several values counts with its share in
each (`target`), also where predictions are judged, and how many such records there are is said.

A split of published cells need not be a split of people: `straddling` counts the records whose cell
reaches to the other side of it (`features`), and every node is counted with and without the records
that straddle a split on the way to it. Morton filtered more strictly (`overlap="nodes"`: a cell
that shares a value with any cell of the other side goes) in a table of one row per cluster
(`rows="clusters"`), and counted the people who are left.

Attributes that tell the target by themselves are named. Where none are chosen, those that are
published as they are get left out: they would be all that either tree asks about.

Settings: splits by information gain, best leaf first until there are `leaves` of them, none below
`smallest` records. How cells become numbers is told in `features`.

Cost: (folds + 1) trees per table, each O(features · records · log records) per level.

Departures: Morton used another program. With three of the attributes (capital gain, age, education)
and four leaves this one finds the tree of figure 15, bucket by bucket.

Reference: Morton, figures 6-9 and 15-20; Breiman et al., Classification and Regression Trees, 1984.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published_cells import PublishedTable, cell_readers
from kanon_tui.core.analysis.trees.features import (
    Overlap,
    Target,
    TreeTable,
    clusters_of,
    determines,
    original_target,
    published_target,
    straddling_cells,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.column import Kind, Role

Rows = Literal["records", "clusters"]
ROWS = get_args(Rows)
OVERLAPS = get_args(Overlap)
_Answers = dict[tuple[int, bool], str]
"""Feature and answer → words; a later answer to the same question is the narrower one."""


@dataclass(frozen=True)
class Node:
    """Some records of a table, reached by answers; a leaf where it has no children."""

    records: int
    majority: str
    """The commonest value of the target among them."""
    share: float
    """The share of the records that have the majority value."""
    condition: str
    """The last answer on the way here; empty at the root."""
    path: str
    """All answers on the way here, each attribute as narrow as it has become."""
    children: tuple[Node, ...] = ()
    straddling: int = 0
    """The records whose cells lie on both sides of the split below this node."""
    overlapping: int = 0
    """The records that straddle a split on the way here."""
    free_share: float | None = None
    """How many of the others have the commonest value; None where nobody else is left."""
    people: int = 0
    """The records behind them: more than `records` where rows are clusters."""
    free_people: int = 0
    """The records behind those that straddle no split on the way here."""

    @property
    def free_records(self) -> int:
        """The records that straddle no split on the way here."""
        return self.records - self.overlapping

    def splits(self) -> Iterator[Node]:
        """Yield the nodes that are split, in the order in which the tree is drawn."""
        if self.children:
            yield self
        for child in self.children:
            yield from child.splits()

    def leaves(self) -> Iterator[Node]:
        """Yield the leaves below, in the order in which the tree is drawn."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


@dataclass(frozen=True)
class PredictionQuality:
    """The quality of a model's predictions on one table."""

    accuracy: float
    """Share of the records whose value is predicted, over all folds."""
    auc: float | None
    """Area under the ROC curve, one value against the rest; None where only one occurs."""
    baseline: float
    """Accuracy of always guessing the commonest value."""

    def kept(self, original: PredictionQuality) -> float | None:
        """Return the share of the original's accuracy that is kept; None where there is none."""
        return self.accuracy / original.accuracy if original.accuracy else None


@dataclass(frozen=True)
class PartitionTree(PredictionQuality):
    """A tree and how well trees of its kind predict."""

    root: Node
    mixed: int = 0
    """The records that may have several values of the target."""


@dataclass(frozen=True)
class Partitioning:
    """The decision trees for one target on the original and on the release."""

    target: str
    attributes: tuple[str, ...]
    """The attributes that the trees could ask about."""
    original: PartitionTree
    release: PartitionTree
    determining: tuple[str, ...] = ()
    """Attributes of the original that determine the target by themselves."""
    drawn_from: tuple[int, int] | None = None
    """How many records original and release have, where the trees saw only some of them."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """The determining attributes that the trees may not ask about."""
        return tuple(name for name in self.determining if name not in self.attributes)

    def determining_notes(self) -> list[str]:
        """Return sentences about the attributes that determine the target."""
        fate = {True: " and is left out", False: ": without it the trees would ask about others"}
        names = self.determining
        return [f"{name} alone tells {self.target}{fate[name in self.left_out]}" for name in names]

    def section(self) -> Section:
        """Return the figures of both trees as a section, with notes."""
        both = (self.original, self.release)
        rows = [
            [
                name,
                f"{tree.root.records:,}",
                f"{tree.accuracy:.1%}",
                "–" if tree.auc is None else f"{tree.auc:.3f}",
                f"{tree.baseline:.1%}",
                f"{len(list(tree.root.leaves())):,}",
            ]
            for name, tree in zip(("original", "release"), both, strict=True)
        ]
        columns = ("", "records", "accuracy", "AUC", "baseline", "leaves")
        notes = self.determining_notes()
        if self.kept is not None:
            notes.append(f"the release keeps {self.kept:.1%} of the original's accuracy")
        if self.drawn_from is not None:
            seen = " and ".join(f"{tree.root.records:,}" for tree in both)
            records = " and ".join(f"{count:,}" for count in self.drawn_from)
            notes.append(f"grown on a sample: {seen} records of {records}")
        if self.release.mixed:
            mixed = f"{self.release.mixed:,} records of the release count in several values of "
            notes.append(f"{mixed}{self.target}")
        return Section(f"Decision trees for {self.target}", (), columns, rows, notes)

    @property
    def kept(self) -> float | None:
        """Share of the original's accuracy that the release keeps; None where there is none."""
        return self.release.kept(self.original)


def partition(
    release: PublishedTable,
    target: str,
    attributes: Sequence[str] | None = None,
    leaves: int = 8,
    smallest: int | None = None,
    rows: Rows = "records",
    overlap: Overlap = "straddling",
) -> Partitioning:
    """Grow and judge both trees.

    Without `attributes` the trees may ask about everything that is published besides the target and
    what tells it unchanged. `smallest` is the fewest rows of a leaf, one in a hundred when it is
    not given. `rows="clusters"` grows the tree of the release on one row per cluster.
    """
    for name, value, allowed in (("rows", rows, ROWS), ("overlap", overlap, OVERLAPS)):
        if value not in allowed:
            raise InputError(f"{name}: '{value}' is not one of {' or '.join(allowed)}")
    drawn = release
    records = (release.task.n, release.table.height)
    before, after, determining = learning_tables(drawn, target, attributes)
    drawn_from = None if (before.records, after.records) == records else records
    if rows == "clusters":
        after = clusters_of(after, drawn.task, drawn.table)
    original, generalised = (
        grow_tree(replace(table, overlap=overlap), leaves, smallest, release.task.seed)
        for table in (before, after)
    )
    return Partitioning(target, tuple(before.cells), original, generalised, determining, drawn_from)


def learning_tables(
    release: PublishedTable, target: str, attributes: Sequence[str] | None
) -> tuple[TreeTable, TreeTable, tuple[str, ...]]:
    """Return original and release as models see them, and the attributes that determine the target.

    Without `attributes` models may ask about all that is published, but for columns that are
    published as they are and tell the target.
    """
    release.check_attribute(target)
    task = release.task
    table = release.table
    published = [
        name
        for name, role in task.roles.items()
        if role.published and name in table.names and name != target
    ]
    if attributes is not None:
        _check_attributes(release, target, attributes)
    readers = cell_readers(release.project, task, [*published, target])
    wanted = original_target(readers[target])
    determining = tuple(name for name in published if determines(readers[name].column, wanted))
    if attributes is None:
        twins = [name for name in determining if task.roles[name] is not Role.QUASI]
        attributes = [name for name in published if name not in twins] or published
        _check_attributes(release, target, attributes)
    columns = {name: table.column(name, Kind.CATEGORICAL) for name in attributes}
    texts = table.column(target, Kind.CATEGORICAL)
    original = TreeTable(
        {name: readers[name].read_values() for name in attributes},
        {name: readers[name].column.codes for name in attributes},
        wanted,
        np.ones(task.table.height, dtype=np.int64),
    )
    published_cells = TreeTable(
        {name: readers[name].read(each.values, release.name) for name, each in columns.items()},
        {name: each.codes for name, each in columns.items()},
        published_target(readers[target], texts, release.name),
        np.ones(table.height, dtype=np.int64),
    )
    return original, published_cells, determining


def grow_tree(
    table: TreeTable, leaves: int = 8, smallest: int | None = None, seed: int = 0
) -> PartitionTree:
    """Grow a tree on one table and cross-validate it there."""
    if table.records < 2:
        raise InputError(
            "a table of one record has nothing to be partitioned; it needs two or more"
        )
    if leaves < 2:
        raise InputError(f"leaves is {leaves}; a tree needs at least 2")
    if smallest is None:
        smallest = -(-table.records // 100)
    if smallest < 1:
        raise InputError(f"smallest is {smallest}; a leaf has at least 1 record")
    matrix = table.matrix()
    target = table.target

    def fit(records: Int64s) -> Any:
        """Return a tree on some records; one of several values is in it once for each, by share."""
        trees = require("sklearn.tree", "growing a decision tree")
        place, value, share = target.parts(records)
        # All parts of a record fall into one leaf, so that the weight of a leaf is its records.
        none_fits = 2 * smallest > len(records)
        tree = trees.DecisionTreeClassifier(
            criterion="entropy",
            max_leaf_nodes=leaves,
            min_samples_leaf=len(place) if none_fits else 1,
            min_weight_fraction_leaf=0.0 if none_fits else (smallest - 0.5) / len(records),
            random_state=seed,
        )
        return tree.fit(matrix[records[place]], value, sample_weight=share)

    judged = cross_validated(matrix, target, fit, seed)
    root = _nodes(table, matrix, fit(np.arange(table.records)))
    return PartitionTree(**vars(judged), root=root, mixed=target.mixed)


def _nodes(table: TreeTable, matrix: npt.NDArray[np.float32], fitted: Any) -> Node:
    """Return the fitted tree in words.

    The bound of an answer is the smallest number that occurs above.
    """
    tree = fitted.tree_
    target = table.target

    def node(number: int, rows: Int64s, free: Flags, condition: str, answers: _Answers) -> Node:
        counts = target.counts(rows)
        commonest = int(counts.argmax())
        certain = rows[free[rows]]
        children: list[Node] = []
        straddling = 0
        feature = int(tree.feature[number])
        below = int(tree.children_left[number])
        if below >= 0:
            name, words, numbers = table.features[feature]
            above = matrix[rows, feature] > tree.threshold[number]
            bound = float(numbers[table.codes[name][rows[above]]].min())
            through = _straddling(table, feature, rows, above, bound)
            straddling = int(through.sum())
            still_free = free.copy()
            still_free[rows[through]] = False
            for answer, child in ((True, int(tree.children_right[number])), (False, below)):
                answer_text = words.in_words(answer, bound)
                further = {**answers, (feature, answer): answer_text}
                children.append(
                    node(child, rows[above == answer], still_free, answer_text, further)
                )
        return Node(
            records=len(rows),
            majority=target.values[commonest],
            share=float(counts[commonest] / len(rows)),
            condition=condition,
            path=" and ".join(answers.values()) or "all records",
            children=tuple(children),
            straddling=straddling,
            overlapping=len(rows) - len(certain),
            free_share=(
                float(target.counts(certain)[commonest] / len(certain)) if len(certain) else None
            ),
            people=int(table.people[rows].sum()),
            free_people=int(table.people[certain].sum()),
        )

    everybody = np.ones(table.records, dtype=bool)
    return node(0, np.arange(table.records), everybody, "", {})


def _straddling(table: TreeTable, feature: int, rows: Int64s, above: Flags, bound: float) -> Flags:
    """Return flags of shape (rows,): whether each record at a split straddles it.

    `rows` are record numbers, `above` says which of them the split puts on its upper side.
    """
    name, question, _ = table.features[feature]
    codes = table.codes[name][rows].astype(np.int64)
    present, first, own = np.unique(codes, return_index=True, return_inverse=True)
    cells = table.cells[name]
    return straddling_cells(cells, present, above[first], question, bound, table.overlap)[own]


def _check_attributes(release: PublishedTable, target: str, attributes: Sequence[str]) -> None:
    if not attributes:
        raise InputError(f"{release.name} has no attribute besides '{target}' to ask about")
    for name in attributes:
        if name == target or attributes.count(name) > 1:
            why = "is the target itself" if name == target else "is named twice"
            raise InputError(f"attributes: '{name}' {why}; name every other attribute once")
        release.check_attribute(name)


FOLDS = 5


def cross_validated(
    matrix: npt.NDArray[np.float32], target: Target, fit: Callable[[Int64s], Any], seed: int
) -> PredictionQuality:
    """Return how well models predict records that they have not seen, by cross-validation.

    `matrix` has shape (records, features); `fit` makes a model of the record numbers it is given.
    """
    records = len(matrix)
    everybody = np.arange(records)
    chances = np.zeros((records, len(target.values)))
    folds = _folds(target.likeliest, seed)
    for fold in range(int(folds.max()) + 1):
        test = folds == fold
        model = fit(everybody[~test])
        chances[np.ix_(test, model.classes_)] = model.predict_proba(matrix[test])
    place, value, share = target.parts(everybody)
    right = chances.argmax(axis=1)[place] == value
    return PredictionQuality(
        accuracy=float(share[right].sum() / records),
        auc=_auc(value, chances[place], share),
        baseline=float(target.counts().max() / records),
    )


def _folds(target: Int64s, seed: int) -> Int64s:
    """Return a fold per record, every value of the target spread evenly over all of them."""
    shuffled = np.random.default_rng(seed).permutation(len(target))
    by_value = shuffled[np.argsort(target[shuffled], kind="stable")]
    folds = np.empty(len(target), dtype=np.int64)
    folds[by_value] = np.arange(len(target)) % FOLDS
    return folds


def _auc(target: Int64s, chances: Floats, shares: Floats) -> float | None:
    judging = require("sklearn.metrics", "judging a decision tree")
    counts = np.bincount(target, weights=shares)
    values = np.flatnonzero(counts)
    if len(values) < 2:
        return None
    areas = [
        judging.roc_auc_score(target == value, chances[:, value], sample_weight=shares)
        for value in values
    ]
    return float(np.average(areas, weights=counts[values]))
