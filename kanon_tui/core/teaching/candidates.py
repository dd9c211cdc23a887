"""The candidates of a decision as bars, and their distances as a table of shades.

For a class to vote on, the same candidates are options A to D in an order that does not reveal the
answer; the outcome is then shown in large letters.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, log10
from typing import ClassVar

import numpy as np

from kanon_tui.core.lattice.events import StringTested
from kanon_tui.core.lessons.lesson import Candidate, Choice, Vote
from kanon_tui.core.lessons.searching import way_picked
from kanon_tui.core.lessons.strings import string_text
from kanon_tui.core.numeric import TIE
from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone, fitted_widths
from kanon_tui.core.teaching.records import originals_of
from kanon_tui.core.teaching.run_states import FullDomainState, Verdict
from kanon_tui.core.text import bar, shortened, small_number, visible

_MOST_DECIMALS = 6
_SMALL = 0.0001
"""Smaller numbers would be written as a power of ten."""
_SHADES = " ░▒▓█"
_HEAT: tuple[Tone, ...] = ("dim", "", "main", "warn", "bad")
_SHORT_BAR = 4
"""Columns of a bar beside distances by attribute."""
_NEIGHBOURS = 5


class Candidates(Drawing):
    """The best few candidates with a bar each, and the margin of the runner-up."""

    name: ClassVar[str] = "why this one"

    def __init__(self, keys: bool = True) -> None:
        self._keys = keys
        """Whether it says which key shows more."""
        self.formula = False
        """Whether the formula is shown instead."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        numbered_choice = choice_of(scene)
        if numbered_choice is None:
            picture.wrap(_nothing_chosen(scene))
            return picture
        number, choice = numbered_choice
        if number != scene.number:
            picture.wrap(f"step {number:,} chose {choice.question}:")
        else:
            picture.wrap(f"{choice.question}?", "strong")
        if self.formula and choice.formula:
            for line in choice.formula:
                picture.wrap(line)
            return picture
        _bars(picture, scene, choice)
        if choice.formula and self._keys:
            picture.line("e: the formula with its numbers", "dim")
        return picture


def _nothing_chosen(scene: Scene) -> str:
    """Return the reason why there are no candidates: no step yet, or a step with many decisions."""
    if scene.step is None:
        return "No decision yet."
    decisions = scene.step.event.decisions
    if decisions > 1:
        one_by_one = "To see one at a time press . instead of r, or space and . while it runs."
        return f"This step stands for {decisions:,} decisions. {one_by_one}"
    return "Nothing is chosen here: the step follows from the data alone."


def choice_of(scene: Scene) -> tuple[int, Choice] | None:
    """Return the choice of the shown step, or else the last choice before it."""

    def chose(step: RunStep) -> bool:
        return step.event.decisions == 1 and step.lesson.choice is not None

    if scene.step is None:
        return None
    if scene.step.lesson.choice is not None:
        return scene.number, scene.step.lesson.choice
    if isinstance(scene.step.event, StringTested) and scene.step.event.decisions == 1:
        return scene.number, _strings_around(scene, scene.step.event)
    number = scene.timeline.find(chose, scene.number, forward=False)
    choice = None if number is None else scene.timeline.step(number).lesson.choice
    if number is not None and choice is not None:
        return number, choice
    number = scene.timeline.find(_is_test, scene.number, forward=False)
    return None if number is None else choice_of(replace(scene, number=number, asked=None))


def _is_test(step: RunStep) -> bool:
    return isinstance(step.event, StringTested)


def _strings_around(scene: Scene, event: StringTested) -> Choice:
    """Return the string that a step tests, among other open strings, the lowest first."""
    state = scene.state
    assert isinstance(state, FullDomainState)
    tested = string_text(event.levels, scene.task, event.part)
    lattice = state.lattice
    candidates = [Candidate(tested, sum(tested.levels), chosen=True)]
    open_nodes = np.empty(0, dtype=np.int64)
    if lattice is not None and len(state.verdicts):
        part_nodes = state.nodes_of(state.part)
        open_nodes = part_nodes[state.verdicts[part_nodes] == Verdict.OPEN]
        shown = list(state.part or range(len(lattice.names)))
        levels = lattice.grid[open_nodes][:, shown]
        for row in levels[np.argsort(levels.sum(axis=1), kind="stable")][: _NEIGHBOURS - 1]:
            candidates.append(
                Candidate(replace(tested, levels=tuple(row.tolist())), int(row.sum()))
            )
    rule = way_picked(event.picked, scene.task) or "from specific to general, what is still open"
    among = len(open_nodes) + 1
    question = "which string is tested"
    return Choice(question, "height", tuple(candidates), among, rule, best_first=False)


def _bars(picture: Picture, scene: Scene, choice: Choice) -> None:
    """Draw `▸ record 2 ███▏ 2` per candidate, and after it the distance by attribute."""
    scores = score_texts([candidate.score for candidate in choice.candidates])
    texts = [_fitted(str(candidate.what), picture.width // 2) for candidate in choice.candidates]
    notes = [f"  {candidate.note}" if candidate.note else "" for candidate in choice.candidates]
    number = max(map(len, scores), default=0)
    room = picture.width - number - max(map(len, notes), default=0) - 4
    label = max(map(len, texts), default=0)
    length = min(picture.width // 4, 16)
    columns = _heat(scene, choice.candidates)
    attributes = len(columns)
    if columns:
        length = _SHORT_BAR
        if sum(1 + column.least for column in columns) > room - length - label:
            texts = [text.rsplit(" ", 1)[-1] for text in texts]  # the question names what they are
            label = max(map(len, texts))
        columns = _fitting(columns, room - length - label)
    label = min(label, max(room - 2, 2))
    length = min(length, max(room - label, 2))
    before = label + length + number + 2
    heads = "".join(
        f" {shortened(column.name, column.width):>{column.width}}" for column in columns
    )
    picture.line(f"  {shortened(choice.score, before):>{before}}{heads}", "dim")
    highest = max([abs(candidate.score) for candidate in choice.candidates] or [0.0]) or 1.0
    for place, (candidate, text) in enumerate(zip(choice.candidates, texts, strict=True)):
        tone: Tone = "best" if candidate.chosen else ""
        picture.write(
            f"{'▸' if candidate.chosen else ' '} {shortened(text, label):<{label}} ", tone
        )
        picture.write(bar(abs(candidate.score) / highest, length), tone or "main")
        picture.write(f" {scores[place]:>{number}}{notes[place]}", tone)
        for column in columns:
            picture.write(f" {column.cell(place):>{column.width}}", column.tones[place])
        picture.end()
    if choice.among > len(choice.candidates):
        picture.line(f"  … of {choice.among:,}", "dim")
    if len(columns) < attributes:
        picture.line(f"  {attributes - len(columns):,} more attributes do not fit", "dim")
    picture.wrap(f"rule: {choice.rule}")
    if choice.best_first:
        _margin(picture, choice.candidates)


@dataclass(frozen=True)
class _Column:
    """The values of the candidates in an attribute, and their distances in it."""

    name: str
    values: tuple[str, ...]
    distances: tuple[str, ...]
    """Each after a shade, which is darker where it is large."""
    tones: tuple[Tone, ...]
    width: int = 0

    @property
    def least(self) -> int:
        """Its width with the whole name, but without values."""
        return max(len(self.name), *map(len, self.distances))

    @property
    def needed(self) -> int:
        """Its full width."""
        pairs = zip(self.values, self.distances, strict=True)
        return max(self.least, *(len(f"{value} {distance}") for value, distance in pairs))

    def cell(self, place: int) -> str:
        """Return the text that fits the width."""
        value = self.values[place]
        distance = self.distances[place]
        room = self.width - len(distance) - 1
        return f"{shortened(value, room)} {distance}" if room >= min(len(value), 4) else distance


def _heat(scene: Scene, candidates: Sequence[Candidate]) -> list[_Column]:
    """Return a column per attribute, if the step has the parts of every score."""
    columns: list[_Column] = []
    if not candidates or not candidates[0].parts:
        return columns
    most = max(max(candidate.parts) for candidate in candidates) or 1.0
    for x, attribute in enumerate(scene.task.quasi):
        parts = [candidate.parts[x] for candidate in candidates]
        shades = [min(int(part / most * 4 + 0.999), 4) for part in parts]
        records = [candidate.record for candidate in candidates]
        values = ["" if record is None else originals_of(scene, record)[x] for record in records]
        pairs = zip(shades, parts, strict=True)
        distances = tuple(f"{_SHADES[shade]}{small_number(part)}" for shade, part in pairs)
        tones = tuple(_HEAT[shade] for shade in shades)
        name = visible(attribute.name)
        columns.append(_Column(name, tuple(map(visible, values)), distances, tones))
    return columns


def _fitting(columns: list[_Column], room: int) -> list[_Column]:
    """Return the columns that fit, with their widths; short of room with two decimals."""
    least = [column.least for column in columns]
    if sum(least) + len(least) > room:
        none = ("",) * len(columns[0].values)
        columns = [
            replace(fitted, values=none, distances=tuple(map(_brief, fitted.distances)))
            for fitted in columns
        ]
        least = [max(map(len, column.distances)) for column in columns]
        while least and sum(least) + len(least) > room:
            least.pop()
    needed = [column.needed for column in columns[: len(least)]]
    widths = fitted_widths(needed, room - len(least), least)
    return [replace(fitted, width=width) for fitted, width in zip(columns, widths, strict=False)]


def _brief(distance: str) -> str:
    """Return a distance with two decimals at most: `▒.33`."""
    number = distance[1:].replace(",", "")
    if len(number) < 4 or not number.replace(".", "").isdigit():
        return distance
    return f"{distance[0]}{float(number):.2f}".replace(f"{distance[0]}0.", f"{distance[0]}.")


def _margin(picture: Picture, candidates: tuple[Candidate, ...]) -> None:
    """Draw how far the runner-up is behind."""
    chosen = next((candidate for candidate in candidates if candidate.chosen), None)
    other_scores = [candidate.score for candidate in candidates if not candidate.chosen]
    if chosen is None or not other_scores:
        return
    gap = min(abs(score - chosen.score) for score in other_scores)
    behind = f"{gap:,.4g}" if gap >= _SMALL else small_number(gap)
    picture.line("tie with the runner-up" if gap <= TIE else f"runner-up {behind} behind", "dim")


def score_texts(scores: Sequence[float]) -> list[str]:
    """Return scores as texts, with enough decimals to distinguish the candidates."""
    gaps = [abs(first - second) for first, second in combinations(scores, 2)]
    least = min((gap for gap in gaps if gap > TIE), default=1.0)
    shown = [len(f"{score:.4g}".partition(".")[2]) for score in scores]
    decimals = min(max([ceil(-log10(least)), *shown]), _MOST_DECIMALS)
    return [f"{score:,.{decimals}f}" if score else "0" for score in scores]


def _fitted(text: str, room: int) -> str:
    """Return a string, without its names if they do not fit: `⟨1 0 2⟩`."""
    if len(text) > room and text.startswith("⟨"):
        text = "⟨" + " ".join(part.rsplit(" ", 1)[-1] for part in text[1:-1].split(", ")) + "⟩"
    return shortened(text, room)


LETTERS = "ABCD"
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_. ?"
_ABOVE = (
    "▄▀█|█▄▄|█▀▀|█▀▄|█▀▀|█▀▀|█▀▀|█ █|█|  █|█▄▀|█  |█▀▄▀█|█▄ █|█▀█|█▀█|█▀█|█▀█|█▀▀|▀█▀|"
    "█ █|█ █|█ █ █|▀▄▀|█▄█|▀▀█|█▀█|▄█|▀▀█|▀▀█|█ █|█▀▀|█▄▄|▀▀█|█▀█|█▀█|▄█▄|▄▄|   | |  |▀▀█"
)
_BELOW = (
    "█▀█|█▄█|█▄▄|█▄▀|██▄|█▀ |█▄█|█▀█|█|█▄█|█ █|█▄▄|█ ▀ █|█ ▀█|█▄█|█▀▀|▀▀█|█▀▄|▄▄█| █ |"
    "█▄█|▀▄▀|▀▄▀▄▀|█ █| █ |█▄▄|█▄█| █|█▄▄|▄██|▀▀█|▄▄█|█▄█|  █|███|▄▄█| ▀ |  |▄▄▄|▄|  | ▄ "
)
_FONT = dict(zip(_SIGNS, zip(_ABOVE.split("|"), _BELOW.split("|"), strict=True), strict=True))
"""Letters two rows high; others are left out."""


def banner(text: str, width: int = 0, height: int = 2) -> str:
    """Return a text in letters two rows high, or four where there is room for them.

    >>> print(banner("PASS"))
    █▀█ ▄▀█ █▀▀ █▀▀
    █▀▀ █▀█ ▄▄█ ▄▄█
    """
    glyphs = [_FONT[letter] for letter in text.upper() if letter in _FONT]
    rows = [" ".join(glyph[row] for glyph in glyphs) for row in (0, 1)]
    if height < 4 or 2 * len(rows[0]) > width:
        return "\n".join(rows)
    halves = [(row, f"█{half}") for row in rows for half in "▀▄"]
    return "\n".join("".join("██" if x in full else "  " for x in row) for row, full in halves)


def outcome_of(step: RunStep) -> tuple[str, Tone]:
    """Return the outcome of a decision in a word or two, and its tone: PASS, CUT age, +14."""
    return step.lesson.outcome or step.kind, step.lesson.tone


def by_number(text: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key for texts: `record 3` comes before `record 19`."""
    parts = re.findall(r"\d+|\D+", text.replace(",", ""))
    return tuple((int(part) if part.isdigit() else -1, part) for part in parts)


def vote_on(step: RunStep) -> Vote:
    """Return the question that a decision answers, without its answer."""
    lesson = step.lesson
    if lesson.vote is not None:
        return lesson.vote
    choice = lesson.choice
    if choice is None:
        return Vote("What comes next?")
    shown = sorted(
        choice.candidates[: len(LETTERS)], key=lambda candidate: by_number(str(candidate.what))
    )
    right = next((n for n, candidate in enumerate(shown) if candidate.chosen), -1)
    question = f"{choice.question[0].upper()}{choice.question[1:]}?"
    options = tuple(str(candidate.what) for candidate in shown)
    return Vote(question, options, right) if len(shown) > 1 and right >= 0 else Vote(question)
