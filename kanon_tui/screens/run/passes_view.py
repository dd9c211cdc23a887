"""The face of screen 5 while a table beyond memory is worked on, pass by pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from kanon_tui.core.pipeline.stream import PASSES, WatchedStream
from kanon_tui.core.text import bar, visible
from kanon_tui.widgets.drawing import theme_style

if TYPE_CHECKING:
    pass

BAR = 16
SAID = (
    "c stops and writes nothing; during the search it ends with the best so far. A file gets its "
    "name when it is verified."
)


class PassesView(Static):
    """The passes of a run over files: done, at work, or to come."""

    def draw(self, stream: WatchedStream) -> None:
        """Show the progress of all passes."""
        project = stream.project
        text = Text.assemble(
            (project.algorithm.name, "bold"),
            f" · k={project.privacy.k} · {visible(project.name)} → ",
            (visible(stream.target.path.name), "bold"),
            "\n\n",
        )
        begun = {one.name: one for one in stream.passes}
        for name, title in PASSES.items():
            one = begun.get(name)
            known = any(list(PASSES).index(each) > list(PASSES).index(name) for each in begun)
            if one is None and not known:
                text.append(f"– {title}\n", "dim")
            elif one is None or one.ended is not None:
                text.append("✓ ", theme_style(self, "success"))
                took = "   known" if one is None else f"{one.seconds():>8.1f} s"
                text.append(f"{title:<24} {took}\n")
            else:
                text.append("▶ ", theme_style(self, "warning"))
                text.append(f"{title:<24} {one.seconds():>8.1f} s  ", "bold")
                text.append(bar(one.share, BAR), theme_style(self, "success"))
                text.append(f" {one.share:.0%}\n")
        text.append(f"\n{'Stopping …' if stream.stopping else SAID}", "dim")
        self.update(text)
