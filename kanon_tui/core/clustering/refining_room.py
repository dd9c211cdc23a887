"""The arrays that refining works in, as `kernels.refining` wants them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.clustering.record_types import RecordTypes
from kanon_tui.core.kernels.box_arrays import KIND, SET, Attributes
from kanon_tui.core.kernels.refining import (
    NO_RECORD,
    NOBODY,
    Proposals,
    RefinedClasses,
    RefineLimits,
    TwoSides,
)
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.task.task import Task

__all__ = ["RefiningRoom"]

_PARTNERS = 12
_NEAR_CLASSES = 256  # that the partners are chosen from
_MOST_RECORDS = 4096
_PROPOSALS = 64
_WORK = 400_000  # of a batch: some hundredths of a second
_REFUSED = 4


@dataclass(frozen=True, eq=False)
class RefiningRoom:
    """The classes, and room to propose changes."""

    classes: RefinedClasses
    limits: RefineLimits
    sides: TwoSides
    proposals: Proposals

    @classmethod
    def of(
        cls,
        task: Task,
        attributes: Attributes,
        types: RecordTypes,
        near: Int32s,
        rules: int,
        magvals: bool,
    ) -> RefiningRoom:
        """The classes of the sorted records; with `magvals` groups of MAGVals stay apart."""
        published, k, width = len(types.records), task.k, len(task.quasi)
        most = min(max(_MOST_RECORDS, 4 * k), published)
        sets = np.flatnonzero(attributes.facts[:, KIND] == SET).tolist()
        values = sum(len(task.quasi[x].column.values) for x in sets)
        classes = _classes(task, types, near, magvals)
        return cls(
            classes,
            RefineLimits(k, _PARTNERS, most, _WORK),
            TwoSides(
                record=_room(most),
                type=_room(most),
                side=_room(most),
                narrows=np.zeros(most, dtype=np.bool_),
                growth=np.zeros((2, most)),
                size=_room(2),
                shown=_room(2, width),
                ends=_room(2, width, 4),
                counts=_room(2, values),
                distinct=_room(2, width),
                on_rule=_room(2, rules, 2),
            ),
            Proposals(
                classes=_room(_PROPOSALS, 2),
                ends=_room(_PROPOSALS),
                record=_room(4 * most),
                side=_room(4 * most),
                saved=np.zeros(_PROPOSALS),
                extents=np.zeros((_PROPOSALS, width)),
                broken=np.zeros((_PROPOSALS, rules)),
                partner=_room(_NEAR_CLASSES),
                votes=np.zeros(_NEAR_CLASSES),
                slot=np.full(len(classes.size), -1, dtype=np.int32),
                kept=_room(most),
                tested=_room(most),
            ),
        )


def _room(*shape: int) -> Int32s:
    return np.zeros(shape, dtype=np.int32)


def _classes(task: Task, types: RecordTypes, near: Int32s, magvals: bool) -> RefinedClasses:
    """The classes as lists of records, with room for as many as there can be."""
    most = max(len(types.records) // task.k, int(types.class_of.max()) + 1)
    by_class = np.argsort(types.class_of, kind="stable").astype(np.int32)
    sorted_class = types.class_of[by_class]
    following = np.full(len(by_class), NO_RECORD, dtype=np.int32)
    same = sorted_class[1:] == sorted_class[:-1]
    following[by_class[:-1][same]] = by_class[1:][same]
    size = np.bincount(types.class_of, minlength=most).astype(np.int32)
    head = np.full(most, NO_RECORD, dtype=np.int32)
    first = np.flatnonzero(np.diff(sorted_class, prepend=-1))
    head[sorted_class[first]] = by_class[first]
    block = np.zeros(most, dtype=np.int32)
    if magvals:
        block[types.class_of] = group_by_magvals(task).number[types.records]
    return RefinedClasses(
        of=types.class_of.copy(),
        following=following,
        type_of=types.type_of,
        near=near,
        head=head,
        size=size,
        block=block,
        changed=np.ones(most, dtype=np.int64),
        tried=np.zeros(most, dtype=np.int64),
        busy=np.zeros(most, dtype=np.int64),
        refused=np.full((most, _REFUSED), NOBODY, dtype=np.int32),
    )
