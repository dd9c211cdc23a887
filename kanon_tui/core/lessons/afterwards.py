"""What is told about what follows a clustering: refining, more than k, no overlap; and blocks."""

from __future__ import annotations

from kanon_tui.core.clustering.events import NO_GROUP
from kanon_tui.core.clustering.later_events import (
    BlockDone,
    BlocksBegun,
    BlocksGoOn,
    ChangesMade,
    ClassesChanged,
    ClassesRepaired,
    ClassRepaired,
    ClusteredOnStretches,
    LeftOversPooled,
    MagvalGroupsSuppressed,
    RefiningBegun,
    RiskLowered,
    StretchesTried,
    TableCut,
)
from kanon_tui.core.lessons.lesson import Lesson, Vote, describes
from kanon_tui.core.lessons.words import distinguishable
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of


@describes(RefiningBegun, ClassesChanged, ChangesMade)
def refining(event: RefiningBegun | ClassesChanged | ChangesMade, task: Task) -> Lesson:
    """Tell about a change of two classes, or many."""
    name = event.by.upper()
    if isinstance(event, RefiningBegun):
        better = "rises" if event.by == "rv" else "falls"
        classes = count_of(event.classes, "class", "classes")
        return Lesson(
            f"Refine {classes}, {name} {event.now:.4f}: near ones exchange records and large ones "
            f"are split as long as it {better}."
        )
    if isinstance(event, ChangesMade):
        exchanges = count_of(event.exchanges, "exchange")
        splits = count_of(event.splits, "split")
        dissolved = count_of(event.dissolved, "dissolved class", "dissolved classes")
        return Lesson(f"{exchanges}, {splits} and {dissolved}: {name} is {event.now:.4f}.")
    before, after = distinguishable(event.before, event.after)
    return Lesson(f"{_what_changed(event)}: {name} {after} instead of {before}.")


def _what_changed(event: ClassesChanged) -> str:
    """Return `Class 1 gives 2 records to class 4 for 1 record`."""
    records_given = count_of(event.given, "record")
    taken = count_of(event.taken, "record")
    size = count_of(event.size, "record")
    first = f"class {event.first + 1:,}"
    second = f"class {event.second + 1:,}"
    if event.second == NO_GROUP:
        joined = count_of(event.joined, "near class", "near classes")
        return f"Dissolve {first}: its {size} join {joined}"
    if event.split:
        return f"Split {first} of {size}: {records_given} become {second}"
    if not event.taken:
        return f"Class {event.first + 1:,} gives {records_given} to {second}"
    if not event.given:
        return f"Class {event.first + 1:,} takes {taken} from {second}"
    return f"Class {event.first + 1:,} gives {records_given} to {second} for {taken}"


@describes(ClassRepaired, ClassesRepaired)
def repair(event: ClassRepaired | ClassesRepaired, task: Task) -> Lesson:
    """Tell about a class that missed what is required, or several."""
    if isinstance(event, ClassesRepaired):
        merges = count_of(event.decisions, "class", "classes")
        return Lesson(f"{merges} merged with others: every class has what is required.")
    digits = ".3g" if event.required.digits else ".0f"
    before = f"{event.decisions:,} merges; the last: " if event.decisions > 1 else ""
    return Lesson(
        f"{before}Class {event.small + 1:,} ({count_of(event.size, 'record')}) shows "
        f"{event.required.fault} ({event.has:{digits}}): merge it with class {event.other + 1:,} "
        f"({count_of(event.other_size, 'record')}), the nearest that helps "
        f"({event.jointly:{digits}} together)."
    )


@describes(RiskLowered)
def risk_lowered(event: RiskLowered, task: Task) -> Lesson:
    """Tell about a merge that lowers the risk of the release."""
    return Lesson(
        f"Class {event.small + 1:,}, the smallest, joins class {event.other + 1:,}, the nearest: "
        f"the release had {task.release_risk}, {event.figure:.4g}."
    )


@describes(MagvalGroupsSuppressed)
def magval_groups_suppressed(event: MagvalGroupsSuppressed, task: Task) -> Lesson:
    """Tell about groups of MAGVals that cannot have what is required."""
    records = count_of(event.suppressed, "record")
    classes = count_of(event.classes, "class", "classes")
    return Lesson(
        f"Suppress {records} in {classes}: their groups of MAGVals miss what is required even as a "
        f"whole.",
        vote=Vote("How many records are suppressed?"),
        outcome="- ",
        tone="warn",
    )


@describes(ClusteredOnStretches, StretchesTried)
def stretches(event: ClusteredOnStretches | StretchesTried, task: Task) -> Lesson:
    """Tell about a clustering whose ranges do not overlap."""
    if isinstance(event, ClusteredOnStretches):
        return Lesson("Cluster again, on stretches that do not overlap.")
    divided = ", ".join(
        f"{task.quasi[x].name} in {count_of(count, 'stretch', 'stretches')}"
        for x, count in event.stretches
    )
    return Lesson(
        f"With {divided}, published ranges do not overlap: NCP {event.ncp:.4g}, the best so far "
        f"{event.least:.4g}."
    )


@describes(TableCut, BlocksBegun, BlocksGoOn, BlockDone, LeftOversPooled)
def blocks(
    event: TableCut | BlocksBegun | BlocksGoOn | BlockDone | LeftOversPooled, task: Task
) -> Lesson:
    """Tell about a table that is clustered block by block."""
    if isinstance(event, TableCut):
        return Lesson(f"Cut the table into blocks: {event.blocks:,} so far.")
    if isinstance(event, BlocksBegun):
        return Lesson(
            f"Cut the {task.n:,} records into {event.blocks:,} blocks of {event.least:,} to "
            f"{event.most:,}; each is clustered on its own."
        )
    if isinstance(event, LeftOversPooled):
        records_left = count_of(event.left, "record")
        return Lesson(f"Cluster together the {records_left} that blocks have left over.")
    progress = f"{event.done:,} of {event.blocks:,} are done."
    if isinstance(event, BlockDone):
        size = count_of(event.size, "record")
        classes = count_of(event.classes, "class", "classes")
        return Lesson(f"Block {event.block + 1:,}, {size}: {classes}. {progress}")
    if event.on_sample:
        return Lesson(f"Measure on a sample what blocks cost; {progress}")
    return Lesson(f"Cluster the blocks: {progress}")
