"""The dialogs of screen 2: kind and format, publishing, associations, and who is singled out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl
from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Label, OptionList, Static

from kanon_tui.core.analysis.minimal_uniques import (
    Combination,
    MinimalUniques,
    largest_size,
    minimal_uniques,
    overlooked,
    task_columns,
)
from kanon_tui.core.editing.session import Session
from kanon_tui.core.fields.declaration import Field, fields_of, text
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.column_coding import CodedBounds, code_ends
from kanon_tui.core.table.profile import singling_out_columns
from kanon_tui.core.table.value_formats import Format, Parsed, Reading, parsed
from kanon_tui.core.task.output import Output
from kanon_tui.core.text import bar, quoted_list, visible
from kanon_tui.services.host import PreviewDialog
from kanon_tui.widgets.dialogs import Dialog, FormDialog
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, fitted
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.lists import ChoiceList

EXAMPLES = 5
Choice = tuple[Kind, Format | None]


class KindDialog(PreviewDialog):
    """Asks for a kind with its format; gives them or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "app.focus_next", "Own pattern")]

    def __init__(
        self,
        name: str,
        texts: pl.Series,
        missing_tokens: tuple[str, ...],
        ways: Sequence[Reading],
        current: Choice,
    ) -> None:
        super().__init__(f"What is {name}?")
        self._texts = texts
        self._tokens = missing_tokens
        self._current = current
        self._readings = ways

    def content(self) -> ComposeResult:
        used_format = self._current[1]
        yield ChoiceList(id="readings")
        with Horizontal(id="own"):
            yield Label("own pattern")
            pattern = used_format if isinstance(used_format, str) else ""
            yield Input(pattern, placeholder="%d.%m.%y", compact=True, id="pattern")
        yield Static(id="preview")
        yield Static("", id="error", classes="error")
        yield Static("enter takes it · tab: a date pattern of your own", classes="hint")

    def on_mount(self) -> None:
        """List how the column can be read, with the cursor on the way that is used."""
        readings = self._readings
        choices = self.query_one("#readings", OptionList)
        choices.focus()
        width = max(cell_len(reading.title) for reading in readings)
        for reading in readings:
            how = (
                "all values"
                if reading.read == reading.sample
                else f"{reading.read / reading.sample:.0%}"
            )
            choices.add_option(Text(f"{reading.title:<{width}}  {how}", no_wrap=True))
        kind, used = self._current
        fits = [
            (reading.kind is kind) + (reading.kind is kind and reading.format == used)
            for reading in readings
        ]
        choices.highlighted = fits.index(max(fits))

    # -- the preview

    @on(OptionList.OptionHighlighted)
    def follow_list(self, event: OptionList.OptionHighlighted) -> None:
        reading = self._readings[event.option_index]
        self._parse((reading.kind, reading.format), self._show)

    @on(Input.Changed, "#pattern")
    def follow_pattern(self, event: Input.Changed) -> None:
        if event.value.strip() and event.input.has_focus:
            self._parse((Kind.DATE, event.value.strip()), self._show)

    def _parse(
        self, choice: Choice, take_parsed: Callable[[Parsed], object], *, closes: bool = False
    ) -> None:
        texts = self._texts
        tokens = self._tokens
        self.preview(lambda: parsed(texts, tokens, *choice, EXAMPLES), take_parsed, covers=closes)

    def _show(self, parse: Parsed) -> None:
        width = min(30, max([0, *(cell_len(visible(text)) for text, _ in parse.examples)]))
        lines = [
            Text(f"{visible(text)[:width]:<{width}} → {visible(read)}", no_wrap=True)
            for text, read in parse.examples
        ]
        self.query_one("#preview", Static).update(Text("\n").join(lines))
        self.show_error(unread_sentence(parse))

    # -- taking one

    @on(OptionList.OptionSelected)
    def take_line(self, event: OptionList.OptionSelected) -> None:
        reading = self._readings[event.option_index]
        self._take((reading.kind, reading.format))

    @on(Input.Submitted, "#pattern")
    def take_pattern(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._take((Kind.DATE, event.value.strip()))

    def _take(self, choice: Choice) -> None:
        """Close with a choice that reads every value; any other would keep a run from starting."""

        def checked(parse: Parsed) -> None:
            self._show(parse)
            if not parse.unread:
                self.dismiss(choice)

        self._parse(choice, checked, closes=True)


def unread_sentence(parse: Parsed) -> str:
    """Return how many values cannot be read, with examples; "" if all can."""
    if not parse.unread:
        return ""
    return (
        f"{parse.unread:,} of {parse.distinct:,} different values cannot be read this way: "
        f"{quoted_list(parse.unread_examples)}. If they stand for missing values, add them to the "
        f"tokens (1 Data, r)."
    )


_NUMBERS = [
    ("range: [20..35]", ""), ("mean of the class", "mean"), ("median of the class", "median"),
    ("label of the hierarchy", "hierarchy"),
]  # fmt: skip
_CATEGORIES = [
    ("label above the values, or their set", ""), ("set: {A|B}", "set"),
    ("most frequent value of the class", "mode"),
]  # fmt: skip
_IDENTIFIER = [("left out", "drop"), ("pseudonyms, by a key file", "pseudonym")]
_EXPLAINED = {
    "mean": "All members get the mean, with as many decimals as the data; figures measure the "
    "range. Where one record dominates a class the run warns.",
    "median": "All members get the median; figures measure the range of the class.",
    "mode": "All members get the most frequent value; figures measure the values of the class.",
    "hierarchy": "The label above the values of the class, as if they were categories.",
    "set": "The values of the class, also where there is a hierarchy.",
    "drop": "Never published.",
    "pseudonym": "! Who has the key file can undo pseudonyms: keep it apart from every release. "
    "A release is refused where pseudonyms join rows that give somebody away.",
}


_KEY_FILE = replace(
    next(field for field in fields_of(Output) if field.name == "pseudonym_key"), name="key_file"
)
_ENDS = tuple(field for field in fields_of(AttributeSpec) if field.name in ("top", "bottom"))


class PublishDialog(FormDialog):
    """Asks how an attribute is published; gives the changed fields or None."""

    def __init__(
        self, name: str, spec: AttributeSpec, column: Column | None = None, key_file: str = ""
    ) -> None:
        """Take the attribute; a `column` of numbers or dates lets its ends be coded too.

        `key_file` is where the key of pseudonyms is kept.
        """
        coded = spec.role is Role.IDENTIFIER
        ordered = spec.kind is not None and spec.kind.ordered
        choices = _IDENTIFIER if coded else _NUMBERS if ordered else _CATEGORIES
        value = spec.identifier if coded else spec.publish or ""
        is_offered = value in [choice for _, choice in choices]
        self._first = "published" if coded else "a_class_has"
        self._column = column
        values = {**vars(spec), self._first: value if is_offered else "", "key_file": key_file}
        more = (_KEY_FILE,) if coded else _ENDS if column is not None else ()
        fields = [Field(self._first, text()), *more]
        super().__init__(f"How is {name} published?", fields, values, {self._first: choices})

    def below(self) -> ComposeResult:
        yield Static("", id="meaning", classes="hint")

    def follow(self, values: dict[str, Any]) -> None:
        """Say what the choice means."""
        meaning = _EXPLAINED.get(values[self._first], "")
        self.query_one("#meaning", Static).update(Text(meaning))

    def answer(self, values: dict[str, Any]) -> dict[str, Any]:
        value = values.pop(self._first)
        if self._first == "published":
            return {"identifier": value, **values}
        if self._column is not None:
            code_ends(self._column, CodedBounds(**values))
        return {"publish": value or None, **values}


EXPLANATION = (
    "0 means the two have nothing to do with each other, 1 that one follows from the other. "
    "Numbers: |Pearson r|; categories: Cramér's V; mixed: correlation ratio. "
    "Weights from association give an independent attribute more."
)


class AssociationDialog(Dialog):
    """The matrix of associations; escape closes it."""

    def __init__(
        self,
        names: Sequence[str],
        matrix: np.ndarray,
        close: Sequence[tuple[str, str, float]],
        where: str = "",
    ) -> None:
        super().__init__(f"Association of the quasi-identifiers{where}")
        self._names = names
        self._matrix = matrix
        self._close = close

    def content(self) -> ComposeResult:
        yield Grid(_matrix(self._names, self._matrix))
        verdict = "no two attributes say nearly the same"
        if self._close:
            pairs = "; ".join(f"{a} and {b} ({s:.2f})" for a, b, s in self._close)
            verdict = f"nearly the same, one of each could be left out: {pairs}"
        yield Static(Text(visible(verdict)), classes="warn" if self._close else "good")
        yield Static(Text(EXPLANATION), classes="hint")


def _matrix(names: Sequence[str], matrix: np.ndarray) -> CellTable:
    """Return associations with two decimals; strong ones are marked."""
    columns = [GridColumn(visible(n), max(4, min(12, len(n))), True) for n in names]
    cells = [
        [
            Cell("·" if x == y else f"{v:.2f}", "bad" if x != y and v >= 0.9 else "")
            for y, v in enumerate(row)
        ]
        for x, row in enumerate(matrix)
    ]
    return CellTable(columns, cells, [visible(name) for name in names], 18)


_MOST = 3
_SHOWN = 6


@dataclass(frozen=True)
class SinglingSets:
    """The sets of attributes that single people out, and the columns that were overlooked."""

    found: MinimalUniques
    missed: Sequence[Combination]
    k: int


def single_out(session: Session) -> SinglingSets:
    """Count every set of up to three quasi-identifiers, and look at what is published as it is."""
    task = session.quasi_rows()
    columns = [attribute.column for attribute in task.quasi]
    most = min(_MOST, largest_size(len(columns)))
    uniques = minimal_uniques(columns, most, task.person)
    if session.source is not None:  # pairs would need all records in memory
        alone = singling_out_columns(session.table, session.names(Role.OTHER))
        missed = [
            Combination((column.attribute,), 1, column.unique, column.unique) for column in alone
        ]
        return SinglingSets(uniques, missed, task.k)
    return SinglingSets(uniques, overlooked(task_columns(task)[1], task.person), task.k)


class UniquesDialog(Dialog):
    """The minimal sets of attributes that single people out; escape closes it."""

    def __init__(self, made: SinglingSets) -> None:
        super().__init__("What gives people away")
        self._made = made

    def content(self) -> ComposeResult:
        uniques = self._made.found
        share = uniques.singled_out / max(uniques.records, 1)
        alone = f"{uniques.singled_out:,} of {uniques.records:,} records ({share:.0%}) are alone"
        yield Static(f"{alone} with up to {uniques.most} of their quasi-identifiers", id="alone")
        yield Grid(_sets(uniques.worst))
        yield Static(_contributions(uniques), classes="hint")
        yield Static(self._verdict(), classes="warn" if self._made.missed else "good")

    def _verdict(self) -> Text:
        dangerous = self._made.found.dangerous(self._made.k)
        shown = ", ".join(" + ".join(combination.attributes) for combination in dangerous[:_SHOWN])
        lines = [f"smallest sets below k={self._made.k}: {shown or 'none'}"]
        lines += [
            f"⚠ published as it is, unique for {combination.unique:,} records: "
            f"{' with '.join(combination.attributes)}"
            for combination in self._made.missed[:2]
        ]
        return Text("\n".join(map(visible, lines)))


def _contributions(uniques: MinimalUniques) -> Text:
    ranked = sorted(uniques.contributions.items(), key=lambda item: -item[1])[:_SHOWN]
    parts = (f"{visible(name)} {bar(share, 6)} {share:.0%}" for name, share in ranked)
    return Text("part in the scores: " + "  ".join(parts))


def _sets(sets: Sequence[Combination]) -> CellTable:
    """Return the sets, numbered; those of a single attribute are marked."""
    columns = (
        GridColumn("set", 34, wish=12),
        GridColumn("k", 5, True, 5),
        GridColumn("singled out", 11, True),
        GridColumn("unique", 8, True, 8),
    )
    cells = [
        [
            Cell(visible(" + ".join(combination.attributes))),
            Cell(f"{combination.smallest:,}"),
            Cell(
                f"{combination.newly_unique:,}", "bad" if len(combination.attributes) == 1 else ""
            ),
            Cell(f"{combination.unique:,}", "muted"),
        ]
        for combination in sets
    ]
    names = [str(number) for number in range(1, len(sets) + 1)]
    return CellTable(fitted(columns, cells), cells, names, 4)
