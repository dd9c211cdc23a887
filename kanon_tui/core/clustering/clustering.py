"""The base classes of clusterings: refining of classes, and blocks of large tables."""

from dataclasses import dataclass
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from kanon_tui.core.clustering.features import places
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import FieldType, declared, whole_number
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.task import Algorithm, Family, Task
from kanon_tui.core.text import joined, plural

_AUTO_ABOVE, _AUTO_SIZE = 500_000, 25_000
"""Records of the largest table that `auto` clusters as a whole, and those of a block beyond it."""
_SCATTERED_ABOVE, _SCATTERED_SIZE = 20_000, 4_000
"""Both for tables whose records are scattered: searches then look at nearly all of them."""
_SCATTERED = 0.5
_COMPARED = 128
_WITH = 2048
_scattered: WeakKeyDictionary[Task, bool] = WeakKeyDictionary()
_ALLOWED = "auto, off, or how many records a block has at most: a whole number of at least 2"


def _read_blocks(located: LocatedValue) -> int | str:
    if located.value is False or located.value == "off":  # to YAML, off is false
        return "off"
    if located.value == "auto":
        return "auto"
    size: int = whole_number(low=2, words=_ALLOWED).read(located)
    return size


BLOCKS = FieldType(_ALLOWED, _read_blocks, name="str")


@dataclass(frozen=True)
class Clustering(Algorithm):
    """An algorithm that finds classes of records; `refining` says how they are refined."""

    family: ClassVar[Family] = Family.CLUSTERING
    pictures: ClassVar[tuple[str, ...]] = ("map",)

    refine: bool = declared(
        False,
        "Afterwards, near classes exchange records and large ones are split while that helps",
        last=True,
    )
    refine_by: str = declared(
        "ncp",
        "The figure that refining improves: NCP (lower), research value (higher), or the squared "
        "differences of numbers from the mean of their class (lower)",
        choices=("ncp", "rv", "sse"),
        only_with="refine",
        last=True,
    )
    refine_rounds: int = declared(
        20,
        "Largest number of rounds; refining ends earlier when nothing helps any more",
        low=1,
        high=1000,
        only_with="refine",
        last=True,
    )
    refine_tries: int = declared(
        300,
        "Largest number of pairs of classes to try, per possible class (n / k)",
        low=1,
        only_with="refine",
        last=True,
    )

    @property
    def refining_goal(self) -> str:
        """The measure that refining improves: ncp, rv or sse."""
        return self.refine_by


@dataclass(frozen=True)
class BlockClustering(Clustering):
    """A clustering that may take a large table in blocks; `pipeline.blocks` says how."""

    blocks: int | Literal["auto", "off"] = declared(
        "auto",
        f"Cluster a large table in blocks of about this many records, on all cores; auto: "
        f"{_AUTO_SIZE:,} for tables of more than {_AUTO_ABOVE:,} records; {_SCATTERED_SIZE:,} for "
        f"tables of more than {_SCATTERED_ABOVE:,} in which the nearest records are hardly nearer "
        f"than others, as in tables of labels alone",
        type=BLOCKS,
        last=True,
    )

    scans: ClassVar[bool] = False
    """Whether it looks at every record for every class, however they lie."""

    def block_size(self, task: Task) -> int | None:
        """Return the records per block of a table; None where it is clustered as a whole."""
        if isinstance(self.blocks, int):
            return self.blocks
        if self.blocks == "off" or task.n <= _SCATTERED_ABOVE:
            return None
        if task not in _scattered:
            _scattered[task] = is_scattered(task)
        if self.scans or _scattered[task]:
            return _SCATTERED_SIZE
        return _AUTO_SIZE if task.n > _AUTO_ABOVE else None


@dataclass(frozen=True)
class NumericClustering(BlockClustering):
    """A clustering that can also keep numbers close to the means of their classes."""

    objective: str = declared(
        "own",
        "What the algorithm minimises: its own measure, or the squared differences of numbers from "
        "the mean of their class, in standard deviations (in refining as well)",
        choices=("own", "sse"),
        last=True,
    )

    @property
    def refining_goal(self) -> str:
        """The measure that refining improves; sse wherever the clustering itself goes by it."""
        return "sse" if self.objective == "sse" else self.refine_by

    def squared(self, task: Task) -> bool:
        """Return whether squared differences count; refuse them where there are categories."""
        categories = [attribute.name for attribute in task.quasi if not attribute.ordered]
        if self.objective == "sse" and categories:
            raise InputError(
                f"{self.name}: objective is sse, which is about numbers and dates, and "
                f"{joined(categories)} "
                f"{plural(len(categories), 'is a category', 'are categories')}; "
                f"choose objective own, or the algorithm mdav"
            )
        return self.objective == "sse"


def is_scattered(task: Task) -> bool:
    """Return whether the nearest of a sample of records are hardly nearer than the others.

    Trees of boxes then leave nearly nothing out, and the time of a clustering is quadratic. The
    nearest record is at more than half of the mean distance where a table has labels alone, at a
    tenth to a third in tables with numbers, dates or hierarchies.
    """
    records = np.random.default_rng(task.seed).choice(task.n, min(_WITH, task.n), replace=False)
    apart = np.zeros((_COMPARED, len(records)))
    for attribute in task.quasi:
        codes = attribute.column.codes[records]
        if attribute.ordered:
            place = places(attribute)[codes]
            apart += attribute.weight * np.nan_to_num(abs(place[:_COMPARED, None] - place), nan=1.0)
            continue
        height = attribute.hierarchy.height
        for labels in attribute.hierarchy.maps[:height]:
            differ = labels[codes[:_COMPARED], None] != labels[codes]
            apart += attribute.weight / height * differ
    mean = apart.mean(axis=1)
    np.fill_diagonal(apart, np.inf)
    return bool(np.median(apart.min(axis=1) / np.maximum(mean, TIE)) > _SCATTERED)
