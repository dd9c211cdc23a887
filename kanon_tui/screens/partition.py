"""Decision trees: what a tree for one attribute learns from the original and from the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer, Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Footer, Label, OptionList, Static
from textual.worker import Worker

from kanon_tui.core.analysis.partition import Node, Partitioning, partition
from kanon_tui.core.result import Result
from kanon_tui.core.schema import Role
from kanon_tui.core.session import Session
from kanon_tui.core.table import as_table
from kanon_tui.screens.dialogs import Choose, Dialog
from kanon_tui.widgets.grid import printable

if TYPE_CHECKING:
    from kanon_tui.app import KanonApp

__all__ = ["AnalysisScreen", "PartitionScreen", "PickNames", "tree_lines"]

T = TypeVar("T")

NO_RELEASE = "there is no release yet: esc, then 5 runs an algorithm"


class AnalysisScreen(ModalScreen[None]):
    """A panel as large as the screen. Escape goes back: from a zoomed pane, from work, then out.

    Subclasses give `body` (their panes) and `status` (the line on top).
    """

    HELP = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (as Textual has it)
    DEFAULT_CSS = """
    AnalysisScreen { background: $background; }
    AnalysisScreen #status { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", key_display="esc"),
        Binding("z", "zoom", "Zoom", id="analysis.zoom"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._worker: Worker[None] | None = None
        self._doing = ""

    def compose(self) -> ComposeResult:
        """Status, panes, footer."""
        yield Static(id="status")
        yield from self.body()
        yield Footer(show_command_palette=False, compact=True)

    def body(self) -> Iterable[Widget]:
        """The panes."""
        raise NotImplementedError

    def status(self) -> Text:
        """What is shown, in one line."""
        raise NotImplementedError

    @property
    def kanon(self) -> KanonApp:
        """The application, typed."""
        from kanon_tui.app import KanonApp

        assert isinstance(self.app, KanonApp)
        return self.app

    @property
    def session(self) -> Session:
        """The open session; there are no analyses without one."""
        assert self.kanon.session is not None
        return self.kanon.session

    @cached_property
    def result(self) -> Result | None:
        """The release that is looked at: the latest when the panel was opened."""
        return self.session.results[-1] if self.session.results else None

    # -- work in the background

    @property
    def working(self) -> bool:
        """Whether escape has something to stop."""
        return self._worker is not None and not self._worker.is_finished

    def compute(self, work: Callable[[], T], done: Callable[[T], object], doing: str) -> None:
        """Do work in a thread and say so; a newer one replaces it, escape leaves it."""

        def finish(outcome: T) -> None:
            self._worker = None
            done(outcome)
            self.draw_status()

        def failed(error: Exception) -> None:
            self._worker = None
            self.draw_status()
            self.kanon.fail(error)

        group = type(self).__name__
        self._doing = doing
        self._worker = self.kanon.compute(work, finish, group=group, failed=failed, node=self)
        self.draw_status()

    def draw_status(self) -> None:
        """The line on top, with what is being done."""
        text = self.status()
        if self.working:
            text.append(f" · {self._doing} … esc cancels")
        self.query_one("#status", Static).update(text)
        self.refresh_bindings()

    def on_unmount(self) -> None:
        """Nobody waits for the work any more."""
        if self._worker is not None:
            self._worker.cancel()

    # -- actions

    def action_back(self) -> None:
        """One step back."""
        if self.maximized is not None:
            self.minimize()
        elif self._worker is not None and self.working:
            self._worker.cancel()
            self._worker = None
            self.draw_status()
        else:
            self.dismiss(None)

    def action_zoom(self) -> None:
        """The focused pane takes the whole screen, or goes back to its place."""
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            panes = [n for n in self.focused.ancestors_with_self if n.has_class("pane")]
            if panes and isinstance(panes[-1], Widget):
                self.maximized = panes[-1]  # `maximize` refuses what cannot have the focus


class PickNames(Dialog):
    """Several attributes, marked in a list; gives their names or None."""

    DEFAULT_CSS = """
    PickNames OptionList, PickNames OptionList:focus { border: none; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark"),
        Binding("enter", "accept", "Take the marked", priority=True),
    ]

    def __init__(self, title: str, names: Sequence[str], marked: Iterable[str]) -> None:
        super().__init__()
        self._title, self._names, self._marked = title, names, set(marked)

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical():
            yield Label(Text(self._title), classes="title")
            yield OptionList(*map(self._line, self._names))
            yield Static(Text("space marks, enter takes the marked, esc leaves"), classes="hint")

    def on_mount(self) -> None:
        """Begin at the top."""
        self.query_one(OptionList).highlighted = 0

    def _line(self, name: str) -> Text:
        return Text(f"{'✓' if name in self._marked else '·'} {printable(name)}")

    def action_mark(self) -> None:
        """Mark the attribute under the cursor, or take its mark away."""
        listed = self.query_one(OptionList)
        if listed.highlighted is not None:
            self._toggle(listed.highlighted)

    @on(OptionList.OptionSelected)
    def clicked(self, event: OptionList.OptionSelected) -> None:
        """The same with the mouse."""
        self._toggle(event.option_index)

    def _toggle(self, place: int) -> None:
        self._marked ^= {self._names[place]}
        line = self._line(self._names[place])
        self.query_one(OptionList).replace_option_prompt_at_index(place, line)

    def action_accept(self) -> None:
        """At least one is needed."""
        if self._marked:
            self.dismiss([name for name in self._names if name in self._marked])
        else:
            self.query_one(".hint", Static).update(Text("mark at least one with space"))


class PartitionScreen(AnalysisScreen):
    """Both trees side by side."""

    HELP = """## Decision trees

What does a release still teach? A decision tree for one attribute (the **target**) is grown on the
original and on the latest release, with the same settings, and shown side by side. Every line is a
group of records: how many they are, how many of them have the commonest value of the target, the
answer that leads to the group, and that value. Groups further in are parts of the one above.

**Accuracy** is the share of records whose value such a tree predicts, **AUC** how well it ranks
them (0.5 is guessing, 1 is perfect); both are tested on records the tree has not seen. The
**baseline** is the accuracy of always guessing the commonest value. **Kept** is the accuracy on
the release divided by that on the original.

`t` chooses the target, which must be published as it is, `a` what the trees may ask about; `+` and
`-` change how many leaves the trees may have; `tab` goes from tree to tree, arrows scroll, `z`
enlarges.

Example: on the census sample, `t`, *income_class*, then `a` and take the mark from *income*, which
gives the answer away. Where both trees begin with the same question, that finding survived.
"""
    DEFAULT_CSS = """
    PartitionScreen #figures { height: auto; padding: 0 1; }
    PartitionScreen #trees { height: 1fr; }
    PartitionScreen .pane { width: 1fr; scrollbar-size: 1 1; }
    PartitionScreen .tree { width: auto; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "target", "Target", id="partition.target"),
        Binding("a", "asked", "Attributes", id="partition.asked"),
        Binding("plus,equals_sign", "leaves(1)", "More leaves", key_display="+"),
        Binding("minus", "leaves(-1)", "Fewer leaves", key_display="-"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.target = ""
        self.asked: tuple[str, ...] | None = None
        """What the trees may ask about; None: everything besides the target."""
        self.leaves = 8
        self.found: Partitioning | None = None

    def body(self) -> Iterable[Widget]:
        """Figures above, the trees below."""
        yield Static(id="figures")
        with Horizontal(id="trees"):
            with ScrollableContainer(classes="pane", id="original"):
                yield Static(classes="tree")
            with ScrollableContainer(classes="pane", id="release"):
                yield Static(classes="tree")

    def on_mount(self) -> None:
        """Ask for the target at once."""
        self.query_one("#original").border_title = "original"
        self.query_one("#release").border_title = "release"
        self.query_one("#original").focus()
        self.draw_status()
        self.action_target()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows only what works now."""
        if action == "target":
            return self.result is not None
        if action in ("asked", "leaves"):
            return bool(self.target)
        return True

    def status(self) -> Text:
        """The question."""
        text = Text.assemble(("decision trees", "bold"))
        if self.result is None:
            text.append(f" · {NO_RELEASE}")
        elif not self.target:
            text.append(" · t chooses the attribute to predict")
        else:
            text.append(f" for {printable(self.target)} · at most {self.leaves} leaves")
            if self.asked is not None:
                text.append(f" · asking about {len(self.asked):,} attributes")
        return text

    def action_target(self) -> None:
        """Choose what to predict; what is published as it is comes first."""
        if self.result is None:
            return
        roles = self.result.task.roles
        names = sorted(self._published(), key=lambda name: roles[name] is Role.QUASI)

        def chosen(number: int | None) -> None:
            if number is not None:
                if names[number] != self.target:
                    self.target, self.asked = names[number], None
                self._grow()

        self.app.push_screen(
            Choose(
                "Predict which attribute?",
                [printable(name) for name in names],
                hint="one that is published as it is",
                current=names.index(self.target) if self.target else 0,
            ),
            chosen,
        )

    def _published(self) -> list[str]:
        roles = self.result.task.roles if self.result else {}
        return [name for name, role in roles.items() if role is not Role.IDENTIFIER]

    def action_asked(self) -> None:
        """Choose what the trees may ask about; a twin of the target makes them trivial."""
        names = [name for name in self._published() if name != self.target]

        def chosen(asked: list[str] | None) -> None:
            if asked is not None:
                self.asked = None if asked == names else tuple(asked)
                self._grow()

        self.app.push_screen(
            PickNames("What may the trees ask about?", names, self.asked or names), chosen
        )

    def action_leaves(self, more: int) -> None:
        """Larger or smaller trees."""
        if self.target and self.leaves + more >= 2:
            self.leaves += more
            self._grow()

    def _grow(self) -> None:
        result, session = self.result, self.session
        target, asked, leaves = self.target, self.asked, self.leaves
        assert result is not None

        def grow() -> Partitioning:
            task = result.task
            release = as_table(result.table, task.table.missing_tokens)
            project = result.project or session.project
            return partition(project, task, release, target, asked, leaves)

        self.compute(grow, self._show, "growing trees")

    def _show(self, found: Partitioning) -> None:
        self.found = found
        both = (found.original, found.release)
        rows = [
            ("", "original", "release"),
            ("accuracy", *(f"{tree.accuracy:.1%}" for tree in both)),
            ("AUC", *("–" if tree.auc is None else f"{tree.auc:.3f}" for tree in both)),
            ("baseline", *(f"{tree.baseline:.1%}" for tree in both)),
        ]
        text = Text("\n").join(Text(f"{a:<10}{b:>10}{c:>10}") for a, b, c in rows)
        if found.kept is not None:
            text.append(f"\nthe release keeps {found.kept:.1%} of the original's accuracy", "bold")
        self.query_one("#figures", Static).update(text)
        for name, tree in (("original", found.original), ("release", found.release)):
            pane = self.query_one(f"#{name}")
            pane.border_title = f"{name}: {tree.root.records:,} records"
            pane.scroll_to(0, 0, animate=False)
            pane.query_one(Static).update(Text("\n".join(tree_lines(tree.root)), no_wrap=True))


def tree_lines(root: Node) -> list[str]:
    """A line per node: records, share, and the answer with its commonest value, further in."""
    nodes = list(_walk(root, "", ""))
    width = len(f"{root.records:,}")
    return [
        f"{node.records:>{width},} {node.share:>6.1%} {branch}"
        f"{printable(node.condition or 'all')} → {printable(node.majority)}"
        for branch, node in nodes
    ]


def _walk(node: Node, branch: str, below: str) -> Iterator[tuple[str, Node]]:
    yield branch, node
    for number, child in enumerate(node.children, 1):
        last = number == len(node.children)
        yield from _walk(child, below + ("└ " if last else "├ "), below + ("  " if last else "│ "))
