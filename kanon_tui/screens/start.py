"""The start screen: files with unsaved changes, recent files, bundled samples."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import list_samples
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import shortened, visible
from kanon_tui.screens.opening import ApplyDialog, ask_for_file, open_file
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import SizedByTerminal
from kanon_tui.widgets.lists import ChoiceList

_FIRST_FILE = 2  # after "open a file" and a heading
_ABOVE = 7
"""Lines of the preview above its records, at most."""
TAGLINE = "Make a table of people safe to share: every record like at least k−1 others."


class StartScreen(Hosted, SizedByTerminal):
    """A list of files to open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open"),
        Binding("o", "app.open", "Open a file"),
        Binding("a", "apply", "Apply a release"),
        Binding("q", "app.quit", "Quit"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="start"):
            yield Static(Text.assemble(("kanon", "bold"), "  k-anonymity in the terminal"))
            yield Static(Text(TAGLINE), id="tagline")
            with Horizontal():
                yield ChoiceList(id="choices")
                yield Static(id="preview", classes="pane")
        yield KeyBar()

    def on_screen_resume(self) -> None:
        """Fill the list, each time the screen appears."""
        self.paths: dict[str, Path] = {}
        choices = self.query_one("#choices", OptionList)
        choices.clear_options()
        choices.add_option(Option(Text("open a file …"), id="open"))
        drafts = self.host.recovery.drafts()
        if drafts:
            self._heading(choices, "unsaved work")
        for number, draft in enumerate(drafts):
            when = f"{draft.when:%Y-%m-%d %H:%M}"
            self._file(choices, f"draft-{number}", draft.file, f"changed {when} · ")
        unsaved = {draft.file for draft in drafts}
        recent = [path for path in self.host.recent.paths() if path not in unsaved]
        if recent:
            self._heading(choices, "recent")
        for number, path in enumerate(recent):
            self._file(choices, f"recent-{number}", path)
        self._samples = {f"sample-{sample.name}": sample for sample in list_samples()}
        for purpose in dict.fromkeys(sample.purpose for sample in self._samples.values()):
            self._heading(choices, f"samples {purpose}")
            for key, sample in self._samples.items():
                if sample.purpose == purpose:
                    self._choice(choices, key, sample.name, sample.description, sample.project)
        # The first recent file or the first with unsaved changes, if there is one.
        choices.highlighted = _FIRST_FILE if drafts or recent else 0
        choices.focus()

    def _file(self, choices: OptionList, key: str, path: Path, note: str = "") -> None:
        # Many files are called project.yaml: their folders tell them apart.
        name = path.parent.name if path.stem == "project" else path.name
        self._choice(choices, key, name, f"{note}{_short_path(path)}", path)

    def _heading(self, choices: OptionList, text: str) -> None:
        choices.add_option(None)
        choices.add_option(Option(Text(text, "bold"), disabled=True))

    def _choice(
        self, choices: OptionList, key: str, name: str, description: str, path: Path
    ) -> None:
        self.paths[key] = path
        line = Text.assemble((f"{visible(name):<18}", "bold"), " ", (visible(description), "dim"))
        line.no_wrap, line.overflow = True, "ellipsis"
        choices.add_option(Option(line, id=key))

    @on(OptionList.OptionHighlighted)
    def preview(self, event: OptionList.OptionHighlighted) -> None:
        """Show what the sample under the cursor teaches, and the first lines of its data."""
        sample = self._samples.get(event.option_id or "")
        pane = self.query_one("#preview", Static)
        pane.display = sample is not None
        if sample is None:
            return
        pane.border_title = sample.title
        text = Text.assemble((f"{sample.description}\n\n", "bold"), f"{sample.teaches}\n\n")

        def show(table: Table) -> None:
            width, height = pane.content_size
            frame = table.frame.head(max(height - _ABOVE, 1))
            lines = [""] * (frame.height + 1)
            for name in frame.columns:
                cells = [visible(cell or "") for cell in (name, *frame[name])]
                wide = max(map(len, cells)) + 2
                lines = [f"{line}{cell:<{wide}}" for line, cell in zip(lines, cells, strict=True)]
            shown = "\n".join(shortened(line.rstrip(), width) for line in lines)
            pane.update(Text.assemble(text, (shown, "dim")))

        pane.update(text)  # the data follow when they are read

        path = sample.project
        self.compute(lambda: Project.load(path).read_data(preview=True), show, group="preview")

    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionSelected) -> None:
        if event.option_id == "open":
            ask_for_file(self.host)
        elif event.option_id in self.paths:
            open_file(self.host, self.paths[event.option_id])

    def action_apply(self) -> None:
        """Open the dialog that applies an earlier release to new records."""
        self.ask(ApplyDialog(Path()), lambda _: None)

    def action_choose(self) -> None:
        """Open the file under the cursor; the key bar shows it, the list itself handles enter."""
        self.query_one("#choices", OptionList).action_select()


def _short_path(path: Path, most: int = 50) -> str:
    """Return a path, from the home folder if it is below it; the end of a long one."""
    text = f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)
    return text if len(text) <= most else "…" + text[1 - most :]
