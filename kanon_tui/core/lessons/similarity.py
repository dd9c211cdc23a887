"""What is told about clusters of the nearest records (sbc, sd)."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_tui.core.clustering.growing_events import (
    ClusterClosed,
    ClustersClosed,
    FirstTaken,
    LeftOversCompared,
    LeftOversPlaced,
    LeftOverSuppressed,
    LeftOverToLast,
    LeftOverToNearest,
    NearestTaken,
    OtherValue,
    RecordsSorted,
    ValueComparison,
)
from kanon_tui.core.lessons.alternatives import against, chosen_among
from kanon_tui.core.lessons.lesson import Choice, Lesson, Vote, describes
from kanon_tui.core.lessons.words import in_words
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, joined, plural

_FORMULA = (
    "distance = Σ |place − centre| of numbers, 0 to 1 of the domain, + Σ of categories what the "
    "start of the cluster said",
)
_VALUES_NAMED = 3
_NEXT_TO_NOTHING = 1e-7


@describes(RecordsSorted)
def records_sorted(event: RecordsSorted, task: Task) -> Lesson:
    """Tell by which attribute the records are sorted."""
    attribute = task.quasi[event.attribute]
    sentence = (
        f"Sort the {task.n:,} records by {attribute.name}, the attribute with most values "
        f"({len(attribute.column.values):,})."
    )
    return Lesson(sentence, vote=Vote("Which attribute are the records sorted by?"))


@describes(FirstTaken, NearestTaken, ClusterClosed, ClustersClosed)
def nearest(
    event: FirstTaken | NearestTaken | ClusterClosed | ClustersClosed, task: Task
) -> Lesson:
    """Tell about a record that starts or joins a cluster, a cluster that is closed, or many."""
    if isinstance(event, ClustersClosed):
        new = f"{event.new:,} {plural(event.new, 'cluster')}"
        records = f"{task.k:,} {plural(task.k, 'record')}"
        sentence = f"{new} of {records} closed, {event.in_all:,} so far."
        return Lesson(sentence, vote=_DIVIDED, outcome="CLOSED") if event.new else Lesson(sentence)
    if isinstance(event, ClusterClosed):
        codes = [attribute.column.codes[event.members] for attribute in task.quasi]
        records = count_of(task.k, "record")
        box = in_words(task.quasi, codes)
        sentence = f"Cluster {event.cluster + 1:,} is closed with {records}: {box}."
        question = f"Is cluster {event.cluster + 1} full, or does it take one more?"
        return Lesson(sentence, vote=Vote(question), outcome="CLOSED")
    record = f"Record {event.record + 1:,} ({_values(task, event.record)})"
    outcome = f"+ {event.record + 1}"
    if isinstance(event, FirstTaken):
        sentence = (
            f"{record} is the first left by {task.quasi[event.sorted_by].name} and starts cluster "
            f"{event.cluster + 1:,}.{_compared(event, task)}"
        )
        vote = Vote(f"Which record starts cluster {event.cluster + 1}?")
        return Lesson(sentence, vote=vote, outcome=outcome)
    choice = None
    if event.alternatives is not None:
        choice = chosen_among(event.alternatives, task, _which_record(event))
    whom = "its centre" if event.to_centre else f"record {event.first + 1:,}"
    sentence = (
        f"{record} joins cluster {event.cluster + 1:,} as number {event.size:,} of {task.k:,}: it "
        f"is nearest to {whom}, at distance {distance_text(event.distance)}{against(choice)}."
    )
    return Lesson(sentence, choice, outcome=outcome)


_DIVIDED = Vote("Can these records still be divided?")


def _which_record(event: NearestTaken) -> Choice:
    """Return the question which record joins a cluster, without its candidates."""
    cluster = f"cluster {event.cluster + 1:,}"
    origin = f"the centre of {cluster}" if event.to_centre else f"record {event.first + 1:,}"
    rule = f"the nearest to {origin}; of equals the lowest row"
    return Choice(f"which record joins {cluster}", "distance", (), 0, rule, _FORMULA)


@describes(LeftOversCompared)
def left_overs_compared(event: LeftOversCompared, task: Task) -> Lesson:
    """Tell with how many clusters the records left over have been compared."""
    records = count_of(event.left, "record is", "records are")
    clusters = plural(event.clusters, "cluster")
    sentence = (
        f"{records} left, too few for a cluster of {task.k:,}: compared with {event.compared:,} of "
        f"{event.clusters:,} {clusters}."
    )
    question = "How many clusters are compared with the records left over?"
    return Lesson(sentence, vote=Vote(question))


@describes(LeftOverToLast, LeftOverToNearest, LeftOverSuppressed, LeftOversPlaced)
def left_over(
    event: LeftOverToLast | LeftOverToNearest | LeftOverSuppressed | LeftOversPlaced, task: Task
) -> Lesson:
    """Tell what becomes of a record left over, or of many."""
    if isinstance(event, LeftOversPlaced):
        what = "suppressed" if event.suppressed else "placed in clusters"
        sentence = f"{event.decisions:,} records that were left over are {what}."
        if event.suppressed:
            return Lesson(sentence, vote=_HOW_MANY, outcome="- ", tone="warn")
        return Lesson(sentence, vote=Vote("Which class takes each record left over?"))
    record = f"{event.record + 1:,} ({_values(task, event.record)})"
    begin = f"Fewer than {task.k:,} are left, so record {record}"
    if isinstance(event, LeftOverSuppressed):
        return Lesson(f"{begin} is suppressed.", vote=_HOW_MANY, outcome="- ", tone="warn")
    vote = Vote(f"Which cluster takes record {event.record + 1}, which is left over?")
    outcome = f"+ {event.record + 1}"
    if isinstance(event, LeftOverToLast):
        sentence = f"{begin} joins the last cluster, number {event.cluster + 1:,}."
        return Lesson(sentence, vote=vote, outcome=outcome)
    choice = None
    if event.alternatives is not None:
        which = f"which cluster takes record {event.record + 1:,}"
        rule = "the nearest; of equals the first"
        question = Choice(which, "distance", (), 0, rule, _FORMULA)
        choice = chosen_among(event.alternatives, task, question, of_clusters=True)
    whose = "centre" if event.to_centre else "first record"
    sentence = (
        f"{begin} joins cluster {event.cluster + 1:,}, whose {whose} is nearest, at distance "
        f"{distance_text(event.distance)}{against(choice)}."
    )
    return Lesson(sentence, choice, vote if choice is None else None, outcome)


_HOW_MANY = Vote("How many records are suppressed?")


def _values(task: Task, record: int) -> str:
    """Return the values of a record."""
    return ", ".join(a.column.values[a.column.codes[record]] for a in task.quasi)


def _compared(event: FirstTaken, task: Task) -> str:
    """Return a sentence per attribute on how far its values are from those of the record.

    ` By how often each nationality occurs among the 9 with gender Male, Japan (4) is 0.5 from US
    (4) and 1 from Iran (1). Of gender, Male is 1 from Female.`
    """
    return "".join(_comparison(compared, event.record, task) for compared in event.comparisons)


def _comparison(compared: ValueComparison, record: int, task: Task) -> str:
    attribute = task.quasi[compared.attribute]
    value = attribute.column.values[attribute.column.codes[record]]
    if not compared.among:
        distances = [
            f"{distance_text(other_value.distance)} from {other_value.value}"
            for other_value in compared.others
        ]
        return f" Of {attribute.name}, {value} is {joined(distances)}."
    agreeing = [
        f"{task.quasi[x].name} {task.quasi[x].column.values[task.quasi[x].column.codes[record]]}"
        for x in compared.conditions
    ]
    among = f"with {' and '.join(agreeing)}" if agreeing else "left"
    return (
        f" By how often each {attribute.name} occurs among the {compared.among:,} {among}, "
        f"{value} ({compared.count:,}) is {joined(_distances(compared.others))}."
    )


def _distances(other_values: Sequence[OtherValue]) -> list[str]:
    """Return the distances of the nearest values, and how many others there are."""
    named = other_values if len(other_values) <= _VALUES_NAMED + 1 else other_values[:_VALUES_NAMED]
    distances = [
        f"{distance_text(other_value.distance)} from {other_value.value} ({other_value.count:,})"
        for other_value in named
    ]
    if len(named) < len(other_values):
        distances.append(f"further from {len(other_values) - len(named):,} other values")
    return distances


def distance_text(distance: float) -> str:
    """Return a distance with three digits, or `almost 0` where shrinking left nothing of it."""
    return "almost 0" if 0 < distance < _NEXT_TO_NOTHING else f"{distance:.3g}"
