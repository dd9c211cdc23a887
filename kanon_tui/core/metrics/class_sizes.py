"""Metrics of the sizes of classes and of the records that share one.

Reference: Bayardo and Agrawal, data privacy through optimal k-anonymization (discernibility);
Iyengar, transforming data to satisfy privacy constraints, as used by Byun (classification metric);
LeFevre et al., Mondrian (average class size).
"""

import numpy as np

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Column


def discernibility(release: Release) -> int:
    """Return Σ|E|² + n · suppressed records."""
    sizes = release.class_sizes.astype(np.int64)
    return int(sizes @ sizes) + release.task.n * release.suppressed_records


def classification_metric(release: Release, labels: Column) -> float:
    """Return the share of records that are suppressed or not of their class's majority label."""
    in_majority = 0
    for values in release.value_blocks(labels, published=False):
        _, majority = values.ends(values.records)
        in_majority += int(majority.sum())
    return 1.0 - in_majority / release.task.n


def average_class_size(release: Release) -> float:
    """Return (n / classes) / k: 1 when every class has k records; 0 without any class."""
    classes = len(release.class_sizes)
    return release.task.n / classes / release.task.k if classes else 0.0


def distinct_published(release: Release) -> int:
    """Return the number of distinct quasi-identifier rows of the published table.

    That is the number of classes, and one more where suppressed records are published as `*` and
    no class prints the same.
    """
    classes = len(release.class_sizes)
    if release.task.output.suppressed != "star" or not release.suppressed.any():
        return classes
    every_hidden = np.ones(release.task.rows, dtype=bool)
    for cells in release.cells:
        stars = np.array([*(text == HIDDEN for text in cells.texts), False])
        every_hidden &= stars[cells.codes]
    return classes + (not every_hidden.any())
