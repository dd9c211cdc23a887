"""Utility: what analyses find in the original and in the release, with a picture per attribute."""

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ScrollableContainer
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.analysis.analysis import Findings
from kanon_tui.core.analysis.utility.distributions import Marginal
from kanon_tui.core.analysis.utility.utility import Utility
from kanon_tui.core.text import bar, shortened, visible
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.panel import sections_text
from kanon_tui.widgets.lists import ChoiceList


class UtilityScreen(AnalysisPanel):
    """The panel of utility: attributes on the left, the picture of one and all figures right."""

    PANES: ClassVar = {"#attributes": "distance"}
    NEEDS: ClassVar = {"target": "result"}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "target", "Target", id="utility.target")]
    _chosen = 0
    """The attribute whose picture is shown."""

    def body(self) -> Iterable[Widget]:
        with Horizontal():
            yield ChoiceList(id="attributes")
            with ScrollableContainer(id="figures"):
                yield Static(id="picture")
                yield Static(id="rest")

    def details(self) -> str:
        utility = self.found
        if utility is None or self.working:
            return ""
        off = ""
        if utility.queries is not None:
            off = f" · queries off by {utility.queries.median:.1%}"
        return f" · {utility.release_records:,} of {utility.original_records:,} records{off}"

    @property
    def doing(self) -> str:
        target = self.options["target"]
        return "measuring" if target is None else f"measuring, learning {visible(target)}"

    def show_findings(self, findings: Findings) -> None:
        """List the attributes, draw the chosen one, and show all figures below."""
        utility: Utility = findings.answer
        attributes = self.query_one("#attributes", OptionList)
        attributes.clear_options()
        width = 10 if self.has_class("-narrow") else 16
        attributes.add_options(
            [
                Option(_attribute_line(each, width), id=str(n))
                for n, each in enumerate(utility.marginals)
            ]
        )
        self._chosen = min(self._chosen, len(utility.marginals) - 1)
        attributes.highlighted = self._chosen
        self.query_one("#rest", Static).update(sections_text(findings.sections))
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
            self.ask_target(self.options["target"], self._learn)

    def _learn(self, target: str) -> None:
        self.set_options(target=target)


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
