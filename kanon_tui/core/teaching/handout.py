"""A run told from its introduction to its outcome: as plain sentences, or as a handout for a class.

The sentences are the algorithm's own steps, one decision each; this module only says what goes
before and after them. They are meant for small tables, to be read along or aloud. A handout has
with every sentence its picture and why this one. Pictures show values of the original table, as the
sentences do. A handout is for teaching and says so; records themselves are shown only of the
bundled samples.

A run can also be recorded decision by decision, to be played afterwards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Result, Run, conclude, start
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.formats import escaped, escaped_markdown, page
from kanon_tui.core.task.task import Family, RunContext, Task
from kanon_tui.core.teaching.candidates import Candidates
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene
from kanon_tui.core.teaching.picture_registry import new_timeline, pictures_of
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.text import count_of, joined, plural

WIDTH, HEIGHT = 78, 20
"""Columns and rows of a picture."""
MOST_STEPS = 200
WARNING = (
    "This handout shows values of the original table. It is for teaching with data that anybody "
    "may see, not for publication beside a release."
)


@dataclass(frozen=True, eq=False)
class HandoutStep:
    """One decision of the run, with its picture."""

    number: int
    sentence: str
    pictures: tuple[tuple[str, Picture], ...]
    """Each with its name."""


@dataclass(frozen=True, eq=False)
class Handout:
    """A run from its introduction to its outcome."""

    title: str
    introduction: tuple[str, ...]
    steps: tuple[HandoutStep, ...]
    outcome: tuple[str, ...]


def make_handout(
    project: Project, task: Task, first: int = 1, last: int | None = None, records: bool = False
) -> Handout:
    """Return the steps from one number to another, at most two hundred; the run goes to its end."""
    run = start(project, task=task, context=RunContext(decisions_per_step=1, watched=True))
    begin = tuple(introduction(project, run))
    timeline = new_timeline(run.algorithm)
    drawings: list[Drawing] = [pictures_of(run.algorithm)[0], Candidates(keys=False)]
    drawings += [Records()] if records else []
    last = first + MOST_STEPS - 1 if last is None else min(last, first + MOST_STEPS - 1)
    steps = []
    for step in run:
        number = timeline.add(step)
        if first <= number <= last:
            scene = Scene(task, run.algorithm, timeline, number)
            pictures = tuple((d.name, d.draw(scene, WIDTH, HEIGHT)) for d in drawings)
            steps.append(HandoutStep(number, step.sentence, pictures))
    if not steps:
        raise InputError(
            f"explain: the run has {timeline.last:,} steps, --from is {first:,}; "
            f"choose a step of at most {timeline.last:,}"
        )
    end = tuple(outcome(conclude(run, project)))
    title = f"{run.algorithm.title}: {project.name}, k = {task.k}"
    return Handout(title, begin, tuple(steps), end)


def handout_markdown(handout: Handout) -> str:
    """Return the handout as Markdown: pictures stand in code blocks, as they are on the screen."""
    lines = [f"# {escaped_markdown(handout.title)}", "", f"> {WARNING}", ""]
    lines += [f"{escaped_markdown(line)}\n" for line in handout.introduction]
    for step in handout.steps:
        lines += [f"## Step {step.number:,}", "", escaped_markdown(step.sentence), ""]
        for name, picture in step.pictures:
            lines += [f"*{name}*", "", "````text", picture.plain(), "````", ""]
    lines += ["## Outcome", "", *(f"{escaped_markdown(line)}\n" for line in handout.outcome)]
    return "\n".join(lines).rstrip() + "\n"


def handout_html(handout: Handout) -> str:
    """Return the handout as one HTML page.

    No scripts, nothing loaded, printable, light and dark.
    """
    return page(handout.title, _STYLE, _html_parts(handout))


def _html_parts(handout: Handout) -> Iterator[str]:
    yield f'<h1>{escaped(handout.title)}</h1>\n<p class="warning">{escaped(WARNING)}</p>'
    yield from (f"<p>{escaped(line)}</p>" for line in handout.introduction)
    for step in handout.steps:
        yield f'<section id="step-{step.number}"><h2>Step {step.number:,}</h2>'
        yield f'<p class="sentence">{escaped(step.sentence)}</p>'
        for name, picture in step.pictures:
            yield f"<figure><figcaption>{escaped(name)}</figcaption><pre>{_drawn(picture)}</pre>"
            yield "</figure>"
        yield "</section>"
    yield "<h2>Outcome</h2>"
    yield from (f"<p>{escaped(line)}</p>" for line in handout.outcome)


def _drawn(picture: Picture) -> str:
    """Return the rows of a picture; tones are classes."""
    rows = []
    for row in picture.rows:
        parts = [
            f'<span class="{tone}">{escaped(text)}</span>' if tone else escaped(text)
            for text, tone in row
        ]
        rows.append("".join(parts).rstrip())
    return "\n".join(rows)


_STYLE = Path(__file__).with_name("handout.css")


def explain(
    project: Project, task: Task, most: int = 200, first: int = 1, last: int | None = None
) -> Iterator[str]:
    """Yield the run of a project as lines: an introduction, numbered decisions, the outcome.

    Of more than `most` decisions from `first` to `last`, the first `most` are yielded and the
    others counted. A run without a release raises its error after the decisions that led there.
    """
    end = first + most - 1 if last is None else min(last, first + most - 1)
    run = start(project, task=task, context=RunContext(decisions_per_step=1))
    yield from introduction(project, run)
    yield ""
    number = 0
    for number, step in enumerate(run, start=1):
        if first <= number <= end:
            yield f"{number}. {step.sentence}"
    if first == 1 and last is None and number > most:
        yield f"(The first {most:,} of {number:,} decisions; --most prints more of them.)"
    elif first > 1 or number > end:
        yield f"(Decisions {first:,} to {min(end, number):,} of {number:,}.)"
    yield ""
    yield from outcome(conclude(run, project))


def introduction(project: Project, run: Run) -> Iterator[str]:
    """Yield the lines about the set-up of a run."""
    task = run.task
    algorithm = run.algorithm
    names = [attribute.name for attribute in task.quasi]
    yield (
        f"{project.name}: {count_of(task.n, 'record')} with "
        f"{count_of(len(names), 'quasi-identifier')}: {joined(names)}."
    )
    if task.k == 1:
        yield "k is 1: every record may stand alone."
    else:
        yield (
            f"k is {task.k:,}: every published record must look like at least "
            f"{count_of(task.k - 1, 'other')} in {'these' if len(names) > 1 else 'it'}."
        )
    if task.requirements:
        required = joined([str(requirement.model) for requirement in task.requirements])
        yield f"Beyond k, every class must have {required}."
    named = algorithm.title.lower() == algorithm.name
    title = algorithm.title if named else f"{algorithm.title} ({algorithm.name})"
    yield f"{title}. {algorithm.summary}."
    if algorithm.family is Family.FULL_DOMAIN:
        levels = [f"{a.name} from 0 to {a.hierarchy.height}" for a in task.quasi]
        yield (
            f"A string ⟨…⟩ picks a level for every attribute: {joined(levels)}. At level 0 values "
            f"stand as they are, at the last level all look the same."
        )
        yield from (f"{note.rstrip('.')}." for note in task.built)
    yield from (f"{note.rstrip('.')}." for note in task.notes)


def outcome(result: Result) -> Iterator[str]:
    """Yield the lines about the release."""
    measures = result.measures
    task = result.task
    levels = result.grouping.levels
    if levels is not None:
        pairs = [f"{a.name} at level {x}" for a, x in zip(task.quasi, levels, strict=True)]
        yield f"Published: {joined(pairs)}."
    published = task.n - measures.suppressed_records
    if measures.classes == 1:
        yield f"The release is one class of {count_of(published, 'record')}."
    else:
        smallest = count_of(measures.smallest_class, "record")
        sizes = f"the smallest has {smallest}, the largest {measures.largest_class:,}"
        if measures.smallest_class == measures.largest_class:
            sizes = f"each has {smallest}"
        yield (
            f"The release has {measures.classes:,} classes; {sizes}. They were counted again in "
            f"the published cells."
        )
    for proof in measures.privacy.required:
        yield f"Every class has {proof.requirement.model}; the worst has {proof.figure:.3g}."
    yield (
        f"{count_of(measures.suppressed_records, 'record')} of {task.n:,} "
        f"{plural(measures.suppressed_records, 'is', 'are')} suppressed."
        if measures.suppressed_records
        else "No record is suppressed."
    )
    if measures.suppressed_cells:
        yield (
            f"{count_of(measures.suppressed_cells, 'cell')} of published records "
            f"{plural(measures.suppressed_cells, 'is', 'are')} hidden."
        )
    yield (
        f"NCP is {measures.ncp:.4f} (0 keeps all detail, 1 none), the research value "
        f"{measures.rv:.4f}."
    )
    yield from (f"{note.rstrip('.')}." for note in result.grouping.notes)
