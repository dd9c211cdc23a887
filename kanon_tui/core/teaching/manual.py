"""The page of an algorithm: idea, pseudo-code, naive Python, a picture, cost, its sample told.

`kanon-tui explain mondrian` prints it, and the manual has it as a page. All of it comes from the
algorithm: its docstring, its pseudo-code, the twin that the tests compare it with, and a run of the
sample that shows it best.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import start
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import sample_of_algorithm
from kanon_tui.core.report.formats import escaped_markdown
from kanon_tui.core.task.task import Algorithm, RunContext
from kanon_tui.core.teaching.handout import HEIGHT, WIDTH, explain
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline, pictures_of
from kanon_tui.core.teaching.twin_code import code_with_helpers, twin_of

_LABEL = re.compile(r"([A-Z][a-z]+(?: [a-z]+){0,3}):(?:\s+|$)")
"""How a paragraph of a docstring begins that is about something: `Cost: …`."""
_LIST = re.compile(r"^(\d+\.|-) ", re.MULTILINE)
_WIDTH = 96
"""Columns of a text in a terminal."""
PSEUDO_CODE = "Pseudo-code"
IN_PYTHON = "The same answer in plain Python"
"""The headings of the two parts that a wide page has beside each other."""
_AFTERWARDS = "Cost", "Departure", "Beyond", "Reference"
"""What comes after the code and the picture."""


@dataclass(frozen=True)
class Passage:
    """A part of a page: a text, then perhaps lines about a run, and code or a picture."""

    heading: str
    text: str = ""
    told: tuple[str, ...] = ()
    """Lines about a run, which may hold values of its table."""
    verbatim: str = ""
    language: str = "text"
    """Of what stands verbatim: text or python."""

    def markdown(self) -> str:
        """Return the part as Markdown."""
        parts = [f"## {self.heading}"] if self.heading else []
        if self.text:
            parts.append(self.text)
        if self.told:
            parts.append("\n".join(escaped_markdown(line) for line in self.told))
        if self.verbatim:
            parts.append(f"````{self.language}\n{self.verbatim}\n````")
        return "\n\n".join(parts) + "\n"


@dataclass(frozen=True)
class ManualPage:
    """The page of one algorithm."""

    title: str
    passages: tuple[Passage, ...]

    def markdown(self) -> str:
        """Return the page as Markdown."""
        return f"# {self.title}\n\n" + "\n".join(part.markdown() for part in self.passages)

    def lines(self) -> Iterator[str]:
        """Yield the page as lines for a terminal."""
        yield self.title
        yield "=" * len(self.title)
        for passage in self.passages:
            yield ""
            if passage.heading:
                yield passage.heading
                yield "-" * len(passage.heading)
            for place, paragraph in enumerate(passage.text.split("\n\n")):
                if place:
                    yield ""
                yield from _filled(paragraph)
            yield from passage.told
            if passage.verbatim:
                if passage.text or passage.told:
                    yield ""
                yield from (f"    {line}".rstrip() for line in passage.verbatim.splitlines())


def _filled(paragraph: str) -> list[str]:
    """Return a paragraph in lines of equal width; a list stays as it is."""
    if _LIST.search(paragraph):
        return paragraph.splitlines()
    return wrap(paragraph, _WIDTH, break_on_hyphens=False)


def manual_page(algorithm: type[Algorithm], most: int = 200) -> ManualPage:
    """Return the page of an algorithm, with at most this many decisions of its sample."""
    named = algorithm.title.lower() == algorithm.name
    title = algorithm.title if named else f"{algorithm.title} ({algorithm.name})"
    texts = list(_texts(inspect.getdoc(algorithm) or ""))
    later = [text for text in texts if text.heading.startswith(_AFTERWARDS)]
    summary = f"{algorithm.summary}. Paper: {algorithm.paper}."
    return ManualPage(
        title,
        (
            Passage("", f"{summary}\n\n{texts[0].text}"),
            *(text for text in texts[1:] if text not in later),
            *_code(algorithm),
            *_picture(algorithm),
            *later,
            *_told(algorithm, most),
        ),
    )


def _texts(docstring: str) -> Iterator[Passage]:
    """Yield what a docstring says, divided where a paragraph begins with what it is about."""
    heading = ""
    paragraphs: list[str] = []
    for paragraph in docstring.split("\n\n"):
        label = _LABEL.match(paragraph)
        if label is not None:
            if paragraphs:
                yield Passage(heading, "\n\n".join(paragraphs))
            heading = label[1]
            paragraph = paragraph[label.end() :]
            paragraph = paragraph[:1].upper() + paragraph[1:]
            paragraphs = []
        if paragraph:
            paragraphs.append(paragraph)
    yield Passage(heading, "\n\n".join(paragraphs))


def _code(algorithm: type[Algorithm]) -> Iterator[Passage]:
    """Yield the pseudo-code and the naive Python."""
    if algorithm.pseudo_code:
        lines = [f"{'    ' * line.depth}{line.text}" for line in algorithm.pseudo_code]
        yield Passage(PSEUDO_CODE, verbatim="\n".join(lines))
    twin = twin_of(algorithm)
    if twin is not None:
        yield Passage(
            IN_PYTHON,
            f"Slow, and easy to check by eye: `{twin.__name__}` takes a task, which has the table "
            "as codes. The tests compare the algorithm with this code, on hundreds of random "
            "tables.",
            verbatim=code_with_helpers(twin),
            language="python",
        )


def sample_project(algorithm: type[Algorithm]) -> Project | None:
    """Return the sample that shows an algorithm best, with the algorithm; None without one."""
    sample = sample_of_algorithm(algorithm.name)
    if sample is None:
        return None
    return with_overrides(Project.load(sample.project), algorithm=algorithm.name, k=None)


def _picture(algorithm: type[Algorithm]) -> Iterator[Passage]:
    """Yield the first picture of the algorithm, at the middle of the run of its sample."""
    project = sample_project(algorithm)
    if project is None:
        return
    task = prepare(project)
    run = start(project, task=task, context=RunContext(decisions_per_step=1, watched=True))
    timeline = new_timeline(run.algorithm)
    for step in run:
        timeline.add(step)
    number = (timeline.last + 1) // 2
    drawing = pictures_of(run.algorithm)[0]
    picture = drawing.draw(Scene(task, run.algorithm, timeline, number), WIDTH, HEIGHT)
    sentence = timeline.step(number).sentence
    where = f"Decision {number:,} of {timeline.last:,} on the sample `{algorithm.sample}`."
    yield Passage("A picture", where, (sentence,), picture.plain().rstrip())


def _told(algorithm: type[Algorithm], most: int) -> Iterator[Passage]:
    """Yield the run of the sample in sentences."""
    project = sample_project(algorithm)
    if project is None:
        return
    lines = tuple(explain(project, prepare(project), most))
    yield Passage("Its sample, decision by decision", told=lines)
