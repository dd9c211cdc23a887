"""Decision trees: what a tree learns from the original and from the release, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kanon_tui.core.analysis.analysis import Analysis, Findings, Progress, column, columns
from kanon_tui.core.fields.declaration import declared, optional

if TYPE_CHECKING:
    from kanon_tui.core.analysis.subject import Subject
    from kanon_tui.core.analysis.trees.partition import Node, PartitionTree


@dataclass(frozen=True)
class TreesQuestion(Analysis):
    """Grow a decision tree for an attribute on the original and on a release, side by side.

    Accuracy and AUC are cross-validated on each table's own cells. `kept` is the release's accuracy
    divided by the original's; the baseline is the accuracy of always guessing the most frequent
    value. Every group is also counted without the records whose cells reach to the other side of a
    split. Without --attributes the trees may use all published columns, except those that determine
    the target and are published unchanged.

    --rows clusters takes one row per cluster of the release. With --overlap nodes a cell overlaps
    if it shares a value with any cell of the other side of a split, and a split of ranges compares
    where they begin (Morton's reading).
    """

    name: ClassVar[str] = "trees"
    title: ClassVar[str] = "Decision trees"
    question: ClassVar[str] = "What trees learn from the release"
    command: ClassVar[str | None] = "partition"
    key: ClassVar[str] = "T"
    panel: ClassVar[str] = "kanon_tui.screens.analyses.trees:PartitionScreen"
    returns: ClassVar[str] = "Partitioning"
    returns_help: ClassVar[str] = (
        "Both trees (`original`, `release`), each with `accuracy`, `auc`, `baseline` and `root`."
    )
    example: ClassVar[str] = """
>>> import kanon_tui as kn, polars as pl
>>> people = pl.DataFrame({"age": [21, 22, 38, 39] * 10, "ill": ["flu", "flu", "no", "no"] * 10})
>>> release = kn.anonymize(people, quasi="age", sensitive="ill", k=20, algorithm="mondrian")
>>> kn.trees(release, "ill").kept
1.0
"""

    target: str = declared(help="The attribute to predict", type=column())
    attributes: tuple[str, ...] | None = declared(
        None, "The columns that the trees may use", type=optional(columns())
    )
    leaves: int = declared(8, "The largest number of leaves", low=2)
    smallest: int | None = declared(None, "The smallest leaf, in records (one in a hundred)", low=1)
    rows: Literal["records", "clusters"] = declared("records", "What a row stands for")
    overlap: Literal["straddling", "nodes"] = declared(
        "straddling", "Which records overlap at a split"
    )

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return both trees with their quality."""
        from dataclasses import replace

        from kanon_tui.core.analysis.trees.partition import partition
        from kanon_tui.core.report.sections import Listing

        grown = partition(
            subject.release,
            self.target,
            self.attributes,
            self.leaves,
            self.smallest,
            self.rows,
            self.overlap,
        )
        listings = [
            Listing("original", _lines(grown.original.root)),
            Listing("release", _lines(grown.release.root)),
        ]
        figures = {
            "target": grown.target,
            "original": _figures(grown.original),
            "release": _figures(grown.release),
            "kept": grown.kept,
            "attributes": grown.attributes,
            "telling": grown.determining,
        }
        section = replace(grown.section(), listings=listings)
        return Findings([section], figures, answer=grown)


def _figures(tree: PartitionTree) -> dict[str, Any]:
    leaves = [
        {
            "records": leaf.records,
            "share": leaf.share,
            "path": leaf.path,
            "value": leaf.majority,
            "people": leaf.people,
            "overlap_free": {
                "records": leaf.free_records,
                "share": leaf.free_share,
                "people": leaf.free_people,
            },
        }
        for leaf in tree.root.leaves()
    ]
    splits = [
        {
            "path": node.path,
            "split": node.children[0].condition,
            "records": node.records,
            "straddling": node.straddling,
        }
        for node in tree.root.splits()
    ]
    figures = {"accuracy": tree.accuracy, "auc": tree.auc, "baseline": tree.baseline}
    return {**figures, "mixed_target": tree.mixed, "leaves": leaves, "splits": splits}


def _lines(node: Node, indent: str = "") -> list[str]:
    """Return a tree as text: a line per node, its children indented."""
    condition = f"{node.condition}: " if node.condition else ""
    line = f"{indent}{condition}{node.records:,} records, {node.share:.1%} {node.majority}"
    if node.overlapping:
        share = "" if node.free_share is None else f", {node.free_share:.1%}"
        line += f"; without overlap {node.free_records:,}{share}"
    if node.people != node.records:
        line += f"; {node.people:,} people, {node.free_people:,} without overlap"
    if node.straddling:
        line += f"; {node.straddling:,} straddle the split"
    lines = [line]
    for child in node.children:
        lines += _lines(child, indent + "  ")
    return lines
