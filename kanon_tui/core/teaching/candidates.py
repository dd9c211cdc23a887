"""Why this one: the candidates of a decision as bars, their distances as a table of shades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.facts import Distances
from kanon_tui.core.lattice.search import StringText
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.steps import Candidate, Choice, Step
from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.full_domain_state import FullDomainState, Verdict
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import short_number, shortened, small_number, visible

_MOST_DECIMALS = 6
_SMALL = 0.0001
"""From here on down a number would be written as a power of ten."""
_SHADES = " ░▒▓█"
_HEAT: tuple[Tone, ...] = ("dim", "", "main", "warn", "bad")
_WIDEST = 12
_EIGHTHS = "▏▎▍▌▋▊▉█"
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
        _bars(picture, choice)
        distances = scene.timeline.step(number).facts.get("distances")
        if distances is not None and height - picture.used > len(distances.rows) + 2:
            _heat(picture, scene, distances)
        if choice.formula and self._keys:
            picture.line("e: the formula with its numbers", "dim")
        return picture


def _nothing_chosen(scene: Scene) -> str:
    """Return why there are no candidates: nothing happened yet, or too much at once."""
    many = (
        0
        if scene.step is None
        else scene.step.facts.get("decisions", scene.step.facts.get("made", 0))
    )
    if many:
        return f"This step stands for {many:,} decisions; space pauses, . then takes one at a time."
    return (
        "No decision yet." if scene.step is None else "This step only prepares: nothing to choose."
    )


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
    """Return the string that a step tests among others that were open, by height."""
    step, state = scene.step, scene.state
    assert step is not None
    assert isinstance(state, FullDomainState)
    lattice, current = state.lattice, state.node_of(state.current)
    nodes = [] if current is None else [current]
    if lattice is not None and current is not None and len(state.verdicts):
        own = state.nodes_of(state.part)
        others = own[(state.verdicts[own] == Verdict.OPEN) & (own != current)]
        heights = lattice.grid[others].sum(axis=1)
        nodes += others[np.argsort(heights, kind="stable")][: _NEIGHBOURS - 1].tolist()
        among = len(others) + 1
    else:
        among = 1
    candidates = [] if nodes else [Candidate(step.facts["string"], step.facts["rv"], "", True)]
    for node in nodes:
        assert lattice is not None
        shown = range(len(lattice.names)) if state.part is None else state.part
        levels = lattice.levels(node)
        text = StringText(tuple(lattice.names[a] for a in shown), tuple(levels[a] for a in shown))
        height = sum(levels[a] for a in shown)
        candidates.append(Candidate(text, height, "", node == current))
    rule = step.facts.get("why") or "from specific to general, what is still open"
    return Choice(
        "which string is tested", "height", tuple(candidates), among, rule, best_first=False
    )


def _bars(picture: Picture, choice: Choice) -> None:
    """Draw `▸ record 2 ███████▏ 2` per candidate."""
    scores = score_texts([each.score for each in choice.candidates])
    notes = max((len(each.note) for each in choice.candidates), default=0)
    number = max([len(choice.score), *map(len, scores)])
    texts = [str(each.what) for each in choice.candidates]
    bar = max(min(picture.width // 4, 16), 4)
    room = max(picture.width - number - notes - bar - 6, 8)
    label = min(max([8, *(len(_fitted(text, room)) for text in texts)]), room)
    picture.line(f"  {'':<{label}} {choice.score:>{bar + 1 + number}}", "dim")
    highest = max([abs(each.score) for each in choice.candidates] or [0.0]) or 1.0
    for each, text, score in zip(choice.candidates, texts, scores, strict=True):
        tone: Tone = "best" if each.chosen else ""
        picture.write(f"{'▸' if each.chosen else ' '} {_fitted(text, label):<{label}} ", tone)
        picture.write(_bar(abs(each.score) / highest, bar), tone or "main")
        picture.line(f" {score:>{number}}  {each.note}".rstrip(), tone)
    if choice.among > len(choice.candidates):
        picture.line(f"  … of {choice.among:,}", "dim")
    picture.wrap(f"rule: {choice.rule}")
    if choice.best_first:
        _margin(picture, choice.candidates)


def _bar(share: float, width: int) -> str:
    eighths = max(round(share * width * 8), 1 if share else 0)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest - 1] if rest else "")).ljust(width)


def _heat(picture: Picture, scene: Scene, told: Distances) -> None:
    """Draw the distance of every candidate attribute by attribute, darker where it is large."""
    label = max(len(row.what) for row in told.rows) + 2
    most = max((max(row.parts, default=0.0) for row in told.rows), default=0.0) or 1.0
    cells = [originals_of(scene, row.record) if row.record is not None else () for row in told.rows]
    room = max((picture.width - label) // max(len(told.names), 1) - 1, 3)
    wide = min(room, _WIDEST)
    fitting = max((picture.width - label) // (wide + 1), 1)
    names = [f"{shortened(visible(name), wide):>{wide}}" for name in told.names[:fitting]]
    picture.line(f"{'':<{label}} {' '.join(names)}", "dim")
    for row, own in zip(told.rows, cells, strict=True):
        picture.write(
            f"{'▸' if row.chosen else ' '} {row.what:<{label - 2}}", "best" if row.chosen else ""
        )
        for x, part in enumerate(row.parts[:fitting]):
            shade = min(int(part / most * 4 + 0.999), 4)
            number = small_number(part)
            value = visible(own[x]) if own and len(number) + 4 <= wide else ""
            text = shortened(value, wide - len(number) - 3) if value else ""
            picture.write(
                f" {text + ' ' if text else ''}{_SHADES[shade]}{number}".rjust(wide + 1)[
                    : wide + 1
                ],
                _HEAT[shade],
            )
        picture.end()
    if len(told.names) > fitting:
        picture.line(f"{len(told.names) - fitting:,} more attributes do not fit", "dim")


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
