"""What the Attributes screen tells of columns, in the order in which it comes to be known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.risk import alone_identifies
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.attributes import coded_column
from kanon_tui.core.project.attribute import AttributeSpec
from kanon_tui.core.task.weights import association_matrix

__all__ = ["Associations", "ColumnFigures", "associations", "measure_column", "weights_in_use"]


@dataclass(frozen=True)
class ColumnFigures:
    """What is known of a column besides the project's word on it."""

    distinct: int
    missing: int
    alone: float
    of_sample: bool = False
    """Whether these are the figures of a sample of the records."""


@dataclass(frozen=True)
class Associations:
    """Weights in use and, per quasi-identifier, the one it goes with most."""

    weights: dict[str, float]
    strongest: dict[str, tuple[str, float]]
    names: tuple[str, ...]
    matrix: np.ndarray | None
    """None until they are worked out."""


def measure_column(session: Session, name: str, spec: AttributeSpec) -> ColumnFigures | None:
    """The figures of one column; None where its kind does not fit, which screen 3 tells of."""
    try:
        column = coded_column(session.table, name, spec)
    except KanonError:
        return None
    missing = 0 if column.missing is None else int(column.counts[column.missing])
    of_sample = session.of_sample(name)
    return ColumnFigures(len(column.values), missing, alone_identifies(column), of_sample)


def weights_in_use(session: Session) -> Associations:
    """The weights of the current quasi-identifiers, without their associations."""
    quasi = session.task().quasi
    names = tuple(attribute.name for attribute in quasi)
    return Associations({a.name: a.weight for a in quasi}, {}, names, None)


def associations(session: Session) -> Associations:
    """Weights and associations of the current quasi-identifiers."""
    task = session.task()
    names = tuple(attribute.name for attribute in task.quasi)
    matrix = association_matrix([attribute.column for attribute in task.quasi])
    strongest = {}
    for x, name in enumerate(names):
        others = [(float(matrix[x, y]), names[y]) for y in range(len(names)) if y != x]
        if others:
            strength, other = max(others)
            strongest[name] = (other, strength)
    weights = {attribute.name: attribute.weight for attribute in task.quasi}
    return Associations(weights, strongest, names, matrix)
