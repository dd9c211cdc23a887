"""Decision trees: the tree of the original and that of the release side by side."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.analysis import Findings
from kanon_tui.core.analysis.trees.partition import Node, Partitioning
from kanon_tui.core.text import visible
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.panel import sections_text

MOST_VALUE = 12
"""Most cells for a value of the target."""


class PartitionScreen(AnalysisPanel):
    """The panel of decision trees: original and release side by side."""

    PANES: ClassVar = {"#original": "original", "#release": "release"}
    NEEDS: ClassVar = {
        "target": "result",
        "asked": "target",
        "leaves": "target",
        "overlap": "target",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "target", "Target", id="partition.target"),
        Binding("a", "asked", "Attributes", id="partition.asked"),
        Binding("plus,equals_sign", "leaves(1)", "More leaves"),
        Binding("minus", "leaves(-1)", "Fewer leaves"),
        Binding("m", "overlap", "Overlap", id="partition.overlap"),
    ]

    @property
    def target(self) -> str | None:
        """The attribute that the trees predict, once it is chosen."""
        target: str | None = self.options["target"]
        return target

    def body(self) -> Iterable[Widget]:
        yield Static(id="figures")
        with Horizontal(id="trees"):
            with ScrollableContainer(classes="pane", id="original"):
                yield Static(classes="tree")
            with ScrollableContainer(classes="pane", id="release"):
                yield Static(classes="tree")

    def begin(self) -> None:
        super().begin()
        self.action_target()

    def details(self) -> str:
        if not self.target:
            return " · t chooses the attribute to predict"
        attributes = self.options["attributes"]
        asked = "" if attributes is None else f" · asking about {len(attributes):,} attributes"
        rows = " · a row per cluster, overlap of nodes" if self._is_by_clusters else ""
        leaves = self.options["leaves"]
        return f" for {visible(self.target)} · at most {leaves} leaves{asked}{rows}"

    @property
    def doing(self) -> str:
        return "growing trees"

    def action_target(self) -> None:
        """Choose what to predict; what is published as it is comes first."""
        if self.result is not None:
            self.ask_target(self.target, self._predict)

    def _predict(self, name: str) -> None:
        attributes = self.options["attributes"] if name == self.target else None
        self.set_options(target=name, attributes=attributes)

    def action_asked(self) -> None:
        """Choose what the trees may ask about; a twin of the target makes them trivial."""
        names = [name for name in self.published if name != self.target]
        marked = self.options["attributes"]
        if marked is None and self.found is not None and self.found.target == self.target:
            marked = self.found.attributes
        title = "What may the trees ask about?"
        self.choose_several("attributes", title, names, marked or names)

    def action_leaves(self, more: int) -> None:
        """Change the number of leaves."""
        leaves = self.options["leaves"] + more
        if leaves >= 2:
            self.set_options(leaves=leaves)

    @property
    def _is_by_clusters(self) -> bool:
        """Whether the release has a row per cluster and overlap is counted between nodes."""
        return bool(self.options["rows"] == "clusters")

    def action_overlap(self) -> None:
        """Switch between records with straddling cells and clusters with overlap of nodes."""
        if self._is_by_clusters:
            self.set_options(rows="records", overlap="straddling")
        else:
            self.set_options(rows="clusters", overlap="nodes")

    def show_findings(self, findings: Findings) -> None:
        """Show the figures, and both trees side by side."""
        grown: Partitioning = findings.answer
        self.show_figures(sections_text([grown.section()]))
        for name, tree in (("original", grown.original), ("release", grown.release)):
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
