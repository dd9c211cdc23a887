"""Decision trees: what a tree for one attribute learns from the original and from the release."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.trees.partition import Node, Partitioning, partition_of
from kanon_tui.core.text import visible
from kanon_tui.screens.analyses.base import AnalysisScreen, cancellation_check, sections_text

MOST_VALUE = 12
"""Most cells for a value of the target."""


class PartitionScreen(AnalysisScreen):
    """The panel of decision trees: original and release side by side."""

    TITLE = "decision trees"
    PANES: ClassVar = {"#original": "original", "#release": "release"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {
        "target": "result",
        "asked": "target",
        "leaves": "target",
        "overlap": "target",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "target", "Target", id="partition.target"),
        Binding("a", "asked", "Attributes", id="partition.asked"),
        Binding("plus,equals_sign", "leaves(1)", "More leaves", key_display="+"),
        Binding("minus", "leaves(-1)", "Fewer leaves", key_display="-"),
        Binding("m", "overlap", "Overlap", id="partition.overlap"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.target = ""
        self.asked: tuple[str, ...] | None = None
        """The attributes that the trees may use; None for all but the target."""
        self.leaves = 8
        self.by_clusters = False
        """Whether the release has a row per cluster and overlap is counted between nodes."""
        self.found: Partitioning | None = None

    def body(self) -> Iterable[Widget]:
        yield Static(id="figures")
        with Horizontal(id="trees"):
            with ScrollableContainer(classes="pane", id="original"):
                yield Static(classes="tree")
            with ScrollableContainer(classes="pane", id="release"):
                yield Static(classes="tree")

    def begin(self) -> None:
        self.action_target()

    def details(self) -> str:
        if not self.target:
            return " · t chooses the attribute to predict"
        asked = "" if self.asked is None else f" · asking about {len(self.asked):,} attributes"
        rows = " · a row per cluster, overlap of nodes" if self.by_clusters else ""
        return f" for {visible(self.target)} · at most {self.leaves} leaves{asked}{rows}"

    def action_target(self) -> None:
        """Choose what to predict; what is published as it is comes first."""
        if self.result is None:
            return

        def chosen(name: str) -> None:
            asked = self.asked if name == self.target else None
            self.set_options(target=name, asked=asked)

        self.ask_target(self.target, chosen)

    def action_asked(self) -> None:
        """Choose what the trees may ask about; a twin of the target makes them trivial."""
        names = [name for name in self.published if name != self.target]
        shown = self.found
        default = shown.attributes if shown and shown.target == self.target else names
        title = "What may the trees ask about?"
        self.choose_several("asked", title, names, self.asked or default)

    def action_leaves(self, more: int) -> None:
        """Change the number of leaves."""
        if self.leaves + more >= 2:
            self.set_options(leaves=self.leaves + more)

    def action_overlap(self) -> None:
        """Switch between records with straddling cells and clusters with overlap of nodes."""
        self.set_options(by_clusters=not self.by_clusters)

    def released(self) -> None:
        """Grow the trees of the release that is looked at."""
        result, project = self.result, self.project
        target, asked, leaves = self.target, self.asked, self.leaves
        if result is None or not target:
            return
        options = {"rows": "clusters", "overlap": "nodes"} if self.by_clusters else {}

        def grow() -> Partitioning:
            return partition_of(
                result, project, target, asked, leaves, cancellation_check(), **options
            )

        self.in_background(grow, self._show, "growing trees")

    def _show(self, found: Partitioning) -> None:
        self.found = found
        self.show_figures(sections_text([found.section()]))
        for name, tree in (("original", found.original), ("release", found.release)):
            pane = self.query_one(f"#{name}")
            pane.border_title = f"{name}: {tree.root.records:,} records"
            pane.scroll_to(0, 0, animate=False)
            pane.query_one(Static).update(Text("\n", no_wrap=True).join(tree_lines(tree.root)))


def tree_lines(root: Node) -> list[Text]:
    """Return a line per node: records, commonest value, its share, and the answer, indented."""
    nodes = list(_walk(root, "", ""))
    width = len(f"{root.records:,}")
    widest = min(max(cell_len(visible(node.majority)) for _, node in nodes), MOST_VALUE)
    overlap = any(node.overlapping for _, node in nodes)
    lines = []
    for branch, node in nodes:
        value = set_cell_size(visible(node.majority), widest)
        counted = f"{node.records:>{width},} {value} {node.share:>6.1%} "
        if overlap:
            counted += f"↔{node.free_people or node.free_records:<{width},} "
        leaf = not node.children
        lines.append(
            Text.assemble(
                (counted, "" if leaf else "dim"),
                (branch, "dim"),
                ("▪ " if leaf else "", "bold"),
                visible(node.condition or "all"),
                (f" ÷{node.straddling:,}" if node.straddling else "", "bold"),
                (_share_without_overlap(node), "dim"),
            )
        )
    return lines


def _share_without_overlap(node: Node) -> str:
    if not node.overlapping or node.free_share is None:
        return ""
    return f" ↔{node.free_share:.1%}"


def _walk(node: Node, branch: str, below: str) -> Iterator[tuple[str, Node]]:
    yield branch, node
    for number, child in enumerate(node.children, 1):
        last = number == len(node.children)
        yield from _walk(child, below + ("└" if last else "├"), below + (" " if last else "│"))
