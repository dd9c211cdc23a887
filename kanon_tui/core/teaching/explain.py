"""A run told in plain sentences: what it starts from, every decision, what comes out.

The sentences are the algorithm's own steps, one decision each; this module only says what goes
before and after them. They are meant for small tables, to be read along or aloud.
"""

from collections.abc import Iterator

from kanon_tui.core.pipeline.run import Result, Run, conclude, start
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Family, RunContext, Task
from kanon_tui.core.text import count_of, joined, plural


def explain(
    project: Project, task: Task, most: int = 200, first: int = 1, last: int | None = None
) -> Iterator[str]:
    """Yield the run of a project as lines: an introduction, numbered decisions, the outcome.

    Of more than `most` decisions from the `first` to the `last` that is asked for, the first are
    told and the others counted. A run without a release raises what is wrong, after the decisions
    that led there.
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
        yield f"(The first {most:,} of {number:,} decisions; --most tells more of them.)"
    elif first > 1 or number > end:
        yield f"(Decisions {first:,} to {min(end, number):,} of {number:,}.)"
    yield ""
    yield from outcome(conclude(run, project))


def introduction(project: Project, run: Run) -> Iterator[str]:
    """Yield the lines about the set-up of a run."""
    task, algorithm = run.task, run.algorithm
    names = [attribute.name for attribute in task.quasi]
    yield (
        f"{project.name}: {count_of(task.n, 'record')} with "
        f"{count_of(len(names), 'quasi-identifier')}: {joined(names)}."
    )
    if task.k == 1:
        yield "k is 1: every record may stand alone."
    else:
        yield (
            f"k is {task.k:,}: in {'these' if len(names) > 1 else 'it'}, every published record "
            f"must look like at least {count_of(task.k - 1, 'other')}."
        )
    if task.requirements:
        asked = joined([str(requirement.model) for requirement in task.requirements])
        yield f"Beyond k, every class must have {asked}."
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
    measures, task = result.measures, result.task
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
    for each in measures.privacy.required:
        yield f"Every class has {each.requirement.model}; the worst has {each.figure:.3g}."
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
