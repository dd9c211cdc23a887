"""Utility: what analyses and decision trees find in the original and in the release."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.partition import Node, Partitioning, partition
from kanon_tui.core.analysis.utility.distributions import Marginal
from kanon_tui.core.analysis.utility.utility import Utility, measure_utility, utility_sections
from kanon_tui.core.text import bar, shortened, visible
from kanon_tui.screens.panel import AnalysisScreen, sections_text
from kanon_tui.widgets.lists import ChoiceList

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
        Binding("plus,equals_sign", "leaves(1)", "More leaves"),
        Binding("minus", "leaves(-1)", "Fewer leaves"),
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
        target, asked, leaves, clusters = self.target, self.asked, self.leaves, self.by_clusters
        if result is None or not target:
            return
        options: dict[str, Any] = {"rows": "clusters", "overlap": "nodes"}

        def grow() -> Partitioning:
            release = PublishedTable.from_result(result, project)
            return partition(release, target, asked, leaves, **(options if clusters else {}))

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


class UtilityScreen(AnalysisScreen):
    """The panel of utility: attributes on the left, the picture of one and all figures right."""

    TITLE = "utility"
    PANES: ClassVar = {"#attributes": "distance"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {"target": "result"}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "target", "Target", id="utility.target")]

    def __init__(self) -> None:
        super().__init__()
        self.target: str | None = None
        self.found: Utility | None = None
        self._chosen = 0

    def body(self) -> Iterable[Widget]:
        with Horizontal():
            yield ChoiceList(id="attributes")
            with ScrollableContainer(id="figures"):
                yield Static(id="picture")
                yield Static(id="rest")

    def details(self) -> str:
        found = self.found
        if found is None or self.working:
            return ""
        off = "" if found.queries is None else f" · queries off by {found.queries.median:.1%}"
        return f" · {found.release_records:,} of {found.original_records:,} records{off}"

    def released(self) -> None:
        """Measure the release that is looked at."""
        result, project, target = self.result, self.project, self.target
        if result is None:
            return

        def measure() -> Utility:
            release = PublishedTable.from_result(result, project)
            return measure_utility(release, target)

        doing = "measuring" if target is None else f"measuring, learning {visible(target)}"
        self.in_background(measure, self._show, doing)

    def _show(self, found: Utility) -> None:
        self.found = found
        attributes = self.query_one("#attributes", OptionList)
        attributes.clear_options()
        width = 10 if self.has_class("-narrow") else 16
        attributes.add_options(
            [
                Option(_attribute_line(each, width), id=str(n))
                for n, each in enumerate(found.marginals)
            ]
        )
        self._chosen = min(self._chosen, len(found.marginals) - 1)
        attributes.highlighted = self._chosen
        self.query_one("#rest", Static).update(sections_text(utility_sections(found)))
        self._draw()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_id is not None:
            self._chosen = int(event.option_id)
            self._draw()
            self.query_one("#figures").scroll_to(0, 0, animate=False)

    def on_resize(self, event: Resize) -> None:
        """Draw the picture again for another width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if self.found is None or not self.found.marginals:
            return
        shown = self.found.marginals[self._chosen]
        width = max(self.query_one("#figures").content_size.width - 1, 40)
        self.query_one("#picture", Static).update(_picture(shown, width))

    def action_target(self) -> None:
        """Choose what models learn."""
        if self.result is not None:
            self.ask_target(self.target, lambda name: self.set_options(target=name))


_LABEL, _FIGURE = 22, 8
"""Cells of a picture: the name of a group, and its share."""


def _picture(shown: Marginal, width: int) -> Text:
    """Return a title and two bars for every group, none wider than `width`."""
    most = max([*shown.original, *shown.release], default=0.0) or 1.0
    longest = max(width - _LABEL - _FIGURE - 1, 4)
    title = shortened(visible(shown.attribute), width - 26)
    text = Text(f"{title}   ▒ original  █ release\n", "bold", no_wrap=True)
    for label, before, after in zip(shown.labels, shown.original, shown.release, strict=True):
        name = f"{shortened(visible(label), _LABEL):<{_LABEL}}"
        for share, block in ((before, "▒"), (after, "█")):
            cells = max(1, round(share / most * longest)) if share > 0 else 0
            line = f"{name} {block * cells:<{longest}} {share:{_FIGURE - 1}.1%}\n"
            text.append(line, "dim" if block == "▒" else "")
            name = " " * _LABEL
    return text


def _attribute_line(each: Marginal, width: int) -> Text:
    name = shortened(visible(each.attribute), width)
    return Text(f"{name:<{width}} {bar(each.distance, 7)} {each.distance:.3f}", no_wrap=True)
