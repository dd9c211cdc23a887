"""What is told about clusters that grow record by record where least is lost (k-member, gcka)."""

from __future__ import annotations

from kanon_tui.core.clustering.growing_events import (
    LeftOverJoined,
    MagvalGroupEntered,
    MagvalsGrouped,
    MemberTaken,
    RecordsPlaced,
)
from kanon_tui.core.lessons.alternatives import against, chosen_among
from kanon_tui.core.lessons.lesson import Choice, Lesson, Vote, describes
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, plural, short_number

_LOSS = "IL = records · (Σ range / domain + Σ height(lca) / height)"
_SQUARES = "SSE = Σ (value − mean of its cluster)², in standard deviations"
_SQUARES_ADDED = "loss added = (value − mean)² · records / (records + 1), in standard deviations"


@describes(MemberTaken, LeftOverJoined, RecordsPlaced)
def growing(event: MemberTaken | LeftOverJoined | RecordsPlaced, task: Task) -> Lesson:
    """Tell about a record that is placed, or many."""
    if isinstance(event, RecordsPlaced):
        clusters = count_of(event.clusters, "cluster")
        clusters_now = f"there {plural(event.clusters, 'is', 'are')} {clusters} now"
        return Lesson(f"{count_of(event.decisions, 'record')} placed; {clusters_now}.")
    if isinstance(event, LeftOverJoined):
        return _left_over(event, task)
    choice = None
    if event.alternatives is not None:
        choice = chosen_among(event.alternatives, task, _which_record(event))
    margin = against(choice)
    amount = short_number(event.score)
    record = f"Record {event.record + 1:,}"
    sentence = (
        f"{record} joins cluster {event.cluster + 1:,} as number {event.size:,} of {task.k:,}: it "
        f"adds least loss, {amount}{margin}."
    )
    question = f"Is cluster {event.cluster + 1} full, or does it take one more?"
    if event.size == 1:
        whom = "which was drawn at random" if event.last_was_drawn else "the last one placed"
        sentence = (
            f"{record} starts cluster {event.cluster + 1:,}: it is the furthest from record "
            f"{event.last + 1:,}, {whom}, at distance {amount}{margin}."
        )
        if not event.full:
            question = f"Which record starts cluster {event.cluster + 1}?"
    vote = Vote(question) if choice is None and event.kind != "grow" else None
    outcome = f"+ {event.record + 1}"
    if event.full:
        return Lesson(f"{sentence} The cluster is closed.", choice, vote, outcome, "good")
    return Lesson(sentence, choice, vote, outcome)


def _left_over(event: LeftOverJoined, task: Task) -> Lesson:
    choice = None
    if event.alternatives is not None:
        question = _which_cluster(event)
        choice = chosen_among(event.alternatives, task, question, of_clusters=True)
    sentence = (
        f"Record {event.record + 1:,} is left over and joins cluster {event.cluster + 1:,}, whose "
        f"loss grows least, by {short_number(event.growth)}{against(choice)}."
    )
    vote = Vote(f"Which cluster takes record {event.record + 1}, which is left over?")
    outcome = f"+ {event.record + 1}"
    return Lesson(sentence, choice, vote if choice is None else None, outcome)


def _which_record(event: MemberTaken) -> Choice:
    """Return the question which record starts or joins a cluster, without its candidates."""
    cluster = f"{event.cluster + 1:,}"
    if event.size == 1:
        distance = "distance = Σ |difference| / domain + Σ height(lca) / height"
        if event.squared:
            distance = "distance = Σ difference², in standard deviations"
        rule = f"the furthest from record {event.last + 1:,}; of equals the lowest row"
        return Choice(
            f"which record starts cluster {cluster}", "distance", (), 0, rule, (distance,)
        )
    size = event.size
    added = f"loss added = {size:,} · width with it − {size - 1:,} · width without"
    formula = (_SQUARES, _SQUARES_ADDED) if event.squared else (_LOSS, added)
    rule = "the least; of equals the lowest row"
    return Choice(f"which record joins cluster {cluster}", "loss added", (), 0, rule, formula)


def _which_cluster(event: LeftOverJoined) -> Choice:
    """Return the question which cluster takes a record, without its candidates."""
    added = "loss added = (records + 1) · width with it − records · width without"
    formula = (_SQUARES, _SQUARES_ADDED) if event.squared else (_LOSS, added)
    question = f"which cluster takes record {event.record + 1:,}"
    rule = "the least; of equals the first cluster"
    return Choice(question, "loss added", (), 0, rule, formula)


@describes(MagvalsGrouped)
def magvals_grouped(event: MagvalsGrouped, task: Task) -> Lesson:
    """Tell how many groups of MAGVals there are."""
    outcome = f"None has fewer than {task.k:,} records, so nothing is suppressed."
    if event.small:
        lacking = count_of(event.small, "of them has", "of them have")
        suppressed = count_of(event.suppressed, "record is", "records are")
        outcome = f"{lacking} fewer than {task.k:,} records, so {suppressed} suppressed."
    groups = count_of(event.groups, "group")
    sentence = f"Group the {task.n:,} records by their MAGVals: {groups}. {outcome}"
    return Lesson(sentence, vote=Vote("How many groups do the MAGVals of the records make?"))


@describes(MagvalGroupEntered)
def magval_group_entered(event: MagvalGroupEntered, task: Task) -> Lesson:
    """Tell which group of MAGVals is clustered now."""
    sentence = (
        f"Group {event.group + 1:,}: cluster its {event.size:,} records, which may be generalised "
        f"up to {_magvals_of(task, event.record)}."
    )
    question = "Which group of MAGVals comes next, and how far may it be generalised?"
    return Lesson(sentence, vote=Vote(question))


def _magvals_of(task: Task, record: int) -> str:
    """Return the MAGVals of a record where there are marks: `location California, age 20-39`."""
    texts = []
    for attribute in task.quasi:
        if attribute.max_width is not None:
            texts.append(f"{attribute.name} ranges of {attribute.max_width:g}")
        if attribute.hierarchy.marks:
            code = int(attribute.column.codes[record])
            label = attribute.hierarchy.label(code, int(attribute.hierarchy.mark_levels[code]))
            texts.append(f"{attribute.name} {label}")
    return ", ".join(texts) or "anything"
