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

A target of more than ten numbers or dates is cut in two at the median of the original, and the
trees predict the side. One that is generalised in the release is refused.

Settings: splits by information gain, best leaf first until there are `leaves` of them, none below
`smallest` records. How cells become numbers is told in `features`.

Cost: (folds + 1) trees per table, each O(features · records · log records) per level.

Departures: Morton used another program. With three of the attributes (capital gain, age, education)
and four leaves this one finds the tree of figure 15, bucket by bucket.

Reference: Morton, figures 6-9 and 15-20; Breiman et al., Classification and Regression Trees, 1984.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published.checks import check_published
from kanon_tui.core.analysis.trees.features import TreeTable, original_table, release_table
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import Table
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import quoted_list

__all__ = ["Node", "PartitionTree", "Partitioning", "grow_tree", "partition"]

_Answers = dict[tuple[int, bool], str]
"""Feature and answer → words; a later answer to the same question is the narrower one."""

MOST_TARGET_VALUES = 100
FOLDS = 5


@dataclass(frozen=True)
class Node:
    """Some records of a table, reached by answers; a leaf where it has no children."""

    records: int
    majority: str
    """The commonest value of the target among them."""
    share: float
    """How many of them have it."""
    condition: str
    """The last answer on the way here; empty at the root."""
    path: str
    """All answers on the way here, each attribute as narrow as it has become."""
    children: tuple[Node, ...] = ()

    def leaves(self) -> Iterator[Node]:
        """The leaves below, in the order in which the tree is drawn."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


@dataclass(frozen=True)
class PartitionTree:
    """A tree and how well trees of its kind predict."""

    root: Node
    accuracy: float
    auc: float | None
    baseline: float
    """Accuracy of always guessing the commonest value."""


@dataclass(frozen=True)
class Partitioning:
    """The same question put to the original and to the release."""

    target: str
    attributes: tuple[str, ...]
    """What the trees could ask about."""
    original: PartitionTree
    release: PartitionTree

    @property
    def kept(self) -> float | None:
        """Share of the original's accuracy that the release keeps; None where there is none."""
        return self.release.accuracy / self.original.accuracy if self.original.accuracy else None


def partition(
    project: Project,
    task: Task,
    release: Table,
    target: str,
    attributes: Sequence[str] | None = None,
    leaves: int = 8,
    smallest: int | None = None,
    release_name: str = "the release",
) -> Partitioning:
    """Grow and judge both trees.

    Without `attributes` the trees may ask about everything that is published besides the target.
    `smallest` is the fewest records of a leaf, one in a hundred when it is not given.
    """
    _check_target(task, release, target, release_name)
    if attributes is None:
        attributes = [
            name
            for name, role in task.roles.items()
            if role is not Role.IDENTIFIER and name in release.names and name != target
        ]
    _check_attributes(task, release, target, attributes, release_name)
    tables = (
        original_table(project, task, attributes, target),
        release_table(project, task, release, attributes, target, release_name),
    )
    values = len(tables[0].target.values)
    if not 2 <= values <= MOST_TARGET_VALUES:
        raise InputError(
            f"target: '{target}' has {values:,} values; choose an attribute with 2 to "
            f"{MOST_TARGET_VALUES}"
        )
    original, published = (grow_tree(table, leaves, smallest, task.seed) for table in tables)
    return Partitioning(target, tuple(attributes), original, published)


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
    if smallest is not None and smallest < 1:
        raise InputError(f"smallest is {smallest}; a leaf has at least 1 record")
    if smallest is None:
        smallest = -(-table.records // 100)
    from sklearn.tree import DecisionTreeClassifier

    def fitted(matrix: npt.NDArray[np.float32], target: Int64s) -> Any:
        tree = DecisionTreeClassifier(
            criterion="entropy",
            max_leaf_nodes=leaves,
            min_samples_leaf=smallest,
            random_state=seed,
        )
        return tree.fit(matrix, target)

    matrix, target = table.matrix(), table.target.codes.astype(np.int64)
    chances = np.zeros((table.records, len(table.target.values)))
    folds = _folds(target, seed)
    for fold in range(int(folds.max()) + 1):
        test = folds == fold
        tree = fitted(matrix[~test], target[~test])
        chances[np.ix_(test, tree.classes_)] = tree.predict_proba(matrix[test])
    return PartitionTree(
        root=_nodes(table, matrix, fitted(matrix, target)),
        accuracy=float((chances.argmax(axis=1) == target).mean()),
        auc=_auc(target, chances),
        baseline=float(table.target.counts.max() / table.records),
    )


def _folds(target: Int64s, seed: int) -> Int64s:
    """A fold per record, every value of the target spread evenly over all of them."""
    shuffled = np.random.default_rng(seed).permutation(len(target))
    by_value = shuffled[np.argsort(target[shuffled], kind="stable")]
    folds = np.empty(len(target), dtype=np.int64)
    folds[by_value] = np.arange(len(target)) % FOLDS
    return folds


def _auc(target: Int64s, chances: npt.NDArray[np.float64]) -> float | None:
    from sklearn.metrics import roc_auc_score

    counts = np.bincount(target)
    values = np.flatnonzero(counts)
    if len(values) < 2:
        return None
    areas = [roc_auc_score(target == value, chances[:, value]) for value in values]
    return float(np.average(areas, weights=counts[values]))


def _nodes(table: TreeTable, matrix: npt.NDArray[np.float32], fitted: Any) -> Node:
    """The fitted tree in words; the bound of an answer is the smallest number that occurs above."""
    tree = fitted.tree_

    def node(number: int, rows: Int64s, condition: str, answers: _Answers) -> Node:
        counts = np.bincount(table.target.codes[rows], minlength=len(table.target.values))
        children: list[Node] = []
        feature, below = int(tree.feature[number]), int(tree.children_left[number])
        if below >= 0:
            name, words, numbers = table.features[feature]
            above = matrix[rows, feature] > tree.threshold[number]
            bound = float(numbers[table.codes[name][rows[above]]].min())
            for answer, child in ((True, int(tree.children_right[number])), (False, below)):
                said = words.say(answer, bound)
                further = {**answers, (feature, answer): said}
                children.append(node(child, rows[above == answer], said, further))
        return Node(
            records=len(rows),
            majority=table.target.values[int(counts.argmax())],
            share=float(counts.max() / len(rows)),
            condition=condition,
            path=" and ".join(answers.values()) or "all records",
            children=tuple(children),
        )

    return node(0, np.arange(table.records), "", {})


def _check_target(task: Task, release: Table, target: str, release_name: str) -> None:
    check_published(task, release, target, release_name)
    values = task.table.column(target, Kind.CATEGORICAL).values
    strange = set(release.column(target, Kind.CATEGORICAL).values) - set(values)
    if strange:
        raise InputError(
            f"target: '{target}' is generalised in {release_name} "
            f"({quoted_list(sorted(strange), 3)}), so the two trees could not be compared; choose "
            f"one that is published as it is"
        )


def _check_attributes(
    task: Task, release: Table, target: str, attributes: Sequence[str], release_name: str
) -> None:
    if not attributes:
        raise InputError(f"{release_name} has no attribute besides '{target}' to ask about")
    for name in attributes:
        if name == target or attributes.count(name) > 1:
            why = "is the target itself" if name == target else "is named twice"
            raise InputError(f"attributes: '{name}' {why}; name every other attribute once")
        check_published(task, release, name, release_name)
