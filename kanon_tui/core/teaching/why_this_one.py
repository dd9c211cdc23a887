"""Why this one: the candidates of a decision with their scores, and the formula with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.steps import Candidate, Choice, Step
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene
from kanon_tui.core.text import short_number, small_number

__all__ = ["WhyThisOne"]

_MOST_DECIMALS = 6
_SMALL = 0.0001
"""From here on down a number would be written as a power of ten."""


class WhyThisOne(Drawing):
    """The best five candidates, the chosen one marked, and the runner-up's margin."""

    name: ClassVar[str] = "why this one"

    def __init__(self, keys: bool = True) -> None:
        self._keys = keys
        """Whether it says which key shows more."""
        self.formula = False
        """Whether the formula is shown instead."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        step = scene.step
        found = _last_choice(scene)
        if step is None or found is None:
            picture.line("Nothing was chosen yet.", "dim")
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
        _candidates(picture, choice, width)
        if choice.formula and self._keys:
            picture.line("e: the formula with its numbers", "dim")
        return picture


def _candidates(picture: Picture, choice: Choice, width: int) -> None:
    scores = _score_texts([each.score for each in choice.candidates])
    notes = max((len(each.note) for each in choice.candidates), default=0)
    score_room = max([len(choice.score), *map(len, scores)])
    room = max(width - score_room - notes - 5, 8)
    picture.line(f"  {'':<{room}} {choice.score:>{score_room}}", "dim")
    for each, score in zip(choice.candidates, scores, strict=True):
        text = _fitted(str(each.what), room)
        row = f"{'▸' if each.chosen else ' '} {text:<{room}} {score:>{score_room}}"
        picture.line(f"{row}  {each.note}", "best" if each.chosen else "")
    if choice.among > len(choice.candidates):
        picture.line(f"  … of {choice.among:,}", "dim")
    picture.wrap(f"rule: {choice.rule}")
    if choice.best_first:
        _margin(picture, choice.candidates)


def _margin(picture: Picture, candidates: tuple[Candidate, ...]) -> None:
    """Draw how far the runner-up is behind."""
    chosen = next((each for each in candidates if each.chosen), None)
    others = [each.score for each in candidates if not each.chosen]
    if chosen is None or not others:
        return
    nearest = min(others, key=lambda score: abs(score - chosen.score))
    gap = abs(nearest - chosen.score)
    tie = gap <= TIE
    picture.line("tie with the runner-up" if tie else f"runner-up {_gap_text(gap)} behind", "dim")


def _score_texts(scores: Sequence[float]) -> list[str]:
    """Return scores with four digits, or as many as it takes to tell the candidates apart."""
    texts = [f"{score:,.4g}" for score in scores]
    least = 0.001 * max((abs(score) for score in scores), default=0.0)
    alike = any(
        TIE < abs(scores[i] - scores[j]) < least for i in range(len(texts)) for j in range(i)
    )
    if alike or any("e" in text for text in texts):
        texts = [short_number(score, _MOST_DECIMALS) for score in scores]
    return texts


def _gap_text(gap: float) -> str:
    return f"{gap:,.4g}" if gap >= _SMALL else small_number(gap)


def _fitted(text: str, room: int) -> str:
    """Return a string without its names where these do not fit: `⟨1 0 2⟩`."""
    if len(text) > room and text.startswith("⟨"):
        text = "⟨" + " ".join(part.rsplit(" ", 1)[-1] for part in text[1:-1].split(", ")) + "⟩"
    return text if len(text) <= room else text[: room - 1] + "…"


def _last_choice(scene: Scene) -> tuple[int, Choice] | None:
    """Return the choice that the step shown belongs to: its own, or the last one before it."""

    def chose(step: Step) -> bool:
        return "choice" in step.facts

    if not scene.number or not scene.timeline.last:
        return None
    step = scene.timeline.step(scene.number)
    if chose(step):
        return scene.number, step.facts["choice"]
    number = scene.timeline.find(chose, scene.number, forward=False)
    return None if number is None else (number, scene.timeline.step(number).facts["choice"])
