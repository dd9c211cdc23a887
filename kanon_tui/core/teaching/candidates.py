"""Why this one: the candidates of a decision as bars, their distances as a table of shades."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.facts import Distances
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.task import Candidate, Choice, Step
from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.full_domain_state import FullDomainState, Verdict
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone, fitted_widths
from kanon_tui.core.text import bar, short_number, shortened, small_number, visible

_MOST_DECIMALS = 6
_SMALL = 0.0001
"""From here on down a number would be written as a power of ten."""
_SHADES = " ░▒▓█"
_HEAT: tuple[Tone, ...] = ("dim", "", "main", "warn", "bad")
_NARROWEST = 6
"""Columns of an attribute."""
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
        found = choice_of(scene)
        if found is None:
            picture.wrap(_nothing_chosen(scene))
            return picture
        number, choice = found
        if number != scene.number:
            picture.wrap(f"step {number:,} chose {choice.question}:")
        else:
            picture.wrap(f"{choice.question}?", "strong")
        if self.formula and choice.formula:
            for line in choice.formula:
                picture.wrap(line)
            return picture
        _bars(picture, scene, choice, scene.timeline.step(number).facts.get("distances"))
        if choice.formula and self._keys:
            picture.line("e: the formula with its numbers", "dim")
        return picture


def _nothing_chosen(scene: Scene) -> str:
    """Return why there are no candidates: nothing happened yet, or too much at once."""
    if scene.step is None:
        return "No decision yet."
    many = scene.step.facts.get("decisions", scene.step.facts.get("made", 0))
    if many:
        return f"This step stands for {many:,} decisions; space pauses, . then takes one at a time."
    return "Nothing is chosen here: the step follows from the data alone."


def choice_of(scene: Scene) -> tuple[int, Choice] | None:
    """Return the choice that the step shown belongs to, its own or the last before it."""

    def chose(step: Step) -> bool:
        return "choice" in step.facts

    if scene.step is None:
        return None
    if chose(scene.step):
        return scene.number, scene.step.facts["choice"]
    if scene.step.kind == "test" and "decisions" not in scene.step.facts:
        return scene.number, _strings_around(scene)
    number = scene.timeline.find(chose, scene.number, forward=False)
    if number is not None:
        return number, scene.timeline.step(number).facts["choice"]
    number = scene.timeline.find(lambda step: step.kind == "test", scene.number, forward=False)
    return (
        None
        if number is None
        else choice_of(Scene(scene.task, scene.algorithm, scene.timeline, number))
    )


def _strings_around(scene: Scene) -> Choice:
    """Return the string that a step tests among others that are open, the lowest first."""
    step, state = scene.step, scene.state
    assert step is not None
    assert isinstance(state, FullDomainState)
    tested, lattice = step.facts["string"], state.lattice
    candidates = [Candidate(tested, sum(tested.levels), chosen=True)]
    others = np.empty(0, dtype=np.int64)
    if lattice is not None and len(state.verdicts):
        own = state.nodes_of(state.part)
        others = own[state.verdicts[own] == Verdict.OPEN]
        shown = list(state.part or range(len(lattice.names)))
        levels = lattice.grid[others][:, shown]
        for row in levels[np.argsort(levels.sum(axis=1), kind="stable")][: _NEIGHBOURS - 1]:
            candidates.append(
                Candidate(replace(tested, levels=tuple(row.tolist())), int(row.sum()))
            )
    why = step.facts.get("why") or "from specific to general, what is still open"
    rule = why.format_map(step.facts)
    among = len(others) + 1
    asked = "which string is tested"
    return Choice(asked, "height", tuple(candidates), among, rule, best_first=False)


def _bars(picture: Picture, scene: Scene, choice: Choice, told: Distances | None) -> None:
    """Draw `▸ record 2 ███▏ 2` per candidate, and after it the distance by attribute."""
    scores = score_texts([each.score for each in choice.candidates])
    notes = max((len(each.note) for each in choice.candidates), default=0)
    number = max(map(len, scores), default=0)
    texts = [str(each.what) for each in choice.candidates]
    notes += 2 if notes else 0
    widest = max([8, *(len(_fitted(text, picture.width // 2)) for text in texts)])
    room = picture.width - number - notes - 4
    length = 4 if told is not None else min(max(room - widest, 4), picture.width // 4, 16)
    label = min(widest, max(room - length, 8))
    left = picture.width - label - length - number - 4
    names = () if told is None else told.names[: max(left // _NARROWEST, 0)]
    heat = [] if told is None else _heat(scene, told, len(names))
    needed = [
        max([len(visible(name)), *(len(f"{row[x][0]} {row[x][1]}") for row in heat)])
        for x, name in enumerate(names)
    ]
    widths = fitted_widths(needed, left - len(names), _NARROWEST - 1)
    heads = "".join(f" {shortened(visible(n), w):>{w}}" for n, w in zip(names, widths, strict=True))
    score = shortened(choice.score, label + length + number)
    picture.line(f"  {score:>{label + length + number + 2}}{heads}", "dim")
    highest = max([abs(each.score) for each in choice.candidates] or [0.0]) or 1.0
    for place, (each, text) in enumerate(zip(choice.candidates, texts, strict=True)):
        tone: Tone = "best" if each.chosen else ""
        picture.write(f"{'▸' if each.chosen else ' '} {_fitted(text, label):<{label}} ", tone)
        picture.write(bar(abs(each.score) / highest, length), tone or "main")
        picture.write(f" {scores[place]:>{number}}{f'  {each.note}' if each.note else ''}", tone)
        for (value, distance, heated), wide in zip(
            heat[place] if heat else (), widths, strict=True
        ):
            value = shortened(value, wide - len(distance) - 1)
            shown = f"{value} {distance}" if len(value) > 2 else distance
            picture.write(f" {shortened(shown, wide):>{wide}}", heated)
        picture.end()
    if choice.among > len(choice.candidates):
        picture.line(f"  … of {choice.among:,}", "dim")
    if told is not None and len(names) < len(told.names):
        picture.line(f"  {len(told.names) - len(names):,} more attributes do not fit", "dim")
    picture.wrap(f"rule: {choice.rule}")
    if choice.best_first:
        _margin(picture, choice.candidates)


def _heat(scene: Scene, told: Distances, count: int) -> list[list[tuple[str, str, Tone]]]:
    """Return per candidate and attribute its value and distance, darker where it is large."""
    most = max(max(each.parts, default=0.0) for each in told.rows) or 1.0
    table = []
    for row in told.rows:
        cells = [""] * count if row.record is None else originals_of(scene, row.record)
        shades = [min(int(part / most * 4 + 0.999), 4) for part in row.parts[:count]]
        table.append(
            [
                (visible(cells[x]), f"{_SHADES[shade]}{small_number(row.parts[x])}", _HEAT[shade])
                for x, shade in enumerate(shades)
            ]
        )
    return table


def _margin(picture: Picture, candidates: tuple[Candidate, ...]) -> None:
    """Draw how far the runner-up is behind."""
    chosen = next((each for each in candidates if each.chosen), None)
    others = [each.score for each in candidates if not each.chosen]
    if chosen is None or not others:
        return
    gap = min(abs(score - chosen.score) for score in others)
    behind = f"{gap:,.4g}" if gap >= _SMALL else small_number(gap)
    picture.line("tie with the runner-up" if gap <= TIE else f"runner-up {behind} behind", "dim")


def score_texts(scores: Sequence[float]) -> list[str]:
    """Return scores with four digits, or as many as it takes to tell the candidates apart."""
    texts = [f"{score:,.4g}" for score in scores]
    least = 0.001 * max((abs(score) for score in scores), default=0.0)
    alike = any(
        TIE < abs(scores[i] - scores[j]) < least for i in range(len(texts)) for j in range(i)
    )
    if alike or any("e" in text for text in texts):
        texts = [short_number(score, _MOST_DECIMALS) for score in scores]
    return texts


def _fitted(text: str, room: int) -> str:
    """Return a string without its names where these do not fit: `⟨1 0 2⟩`."""
    if len(text) > room and text.startswith("⟨"):
        text = "⟨" + " ".join(part.rsplit(" ", 1)[-1] for part in text[1:-1].split(", ")) + "⟩"
    return shortened(text, room)
