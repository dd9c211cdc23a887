"""The arrays in which kernels see boxes: quasi-identifiers, and clusters of distinct rows.

A cluster is a box. Per quasi-identifier it remembers only what the union with another box needs:

- a number or date: lowest and highest place, in units of extent (`MISSING_PLACE` is the highest);
- a category with a hierarchy: the node above all its values. With the values in the order of the
  tree a node is a run of ranks, so this is a lowest and a highest rank too;
- a category without: the set of its values, as 64 bits (value code modulo 64) and a count. With
  more than 64 values the bits are only a fingerprint, and a sorted linked list has the set.

The *extent* of a box along an attribute is what its width costs. One value has extent 0, and the
extent never shrinks when a box grows; all bounds rest on that.

Boxes have the places of numbers, not their codes: searches compare boxes all over the table, and
each place that has to be looked up in `line` would miss the processor's cache. For the same reason
what one search needs stands close together.

Arrays are few and have many columns, because every array that a kernel hands on costs time. The
constants below name the columns. `clustering.boxes` fills the arrays from a task.
"""

from dataclasses import dataclass
from typing import Annotated

from kanon_tui.core.kernels.boundary import Struct, reads, writes
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s, Words

WORD_BITS = 64
LINE = 0
TREE = 1
SET = 2
NOTHING = 2**31 - 1
"""Stands for no row, no place in a list, no code of its own for what is missing."""
MISSING_PLACE = 1.7976931348623157e308
"""The place of a missing number or date: above all others, and never reckoned with."""

# Columns of `Attributes.facts`. START: where its values begin in `line` (LINE), its nodes in
# `nodes` (TREE), its values among those of all sets (SET). MISSING: code, or NOTHING. BITS: column
# of `words` with the values of a SET. CHAIN: column of `links` with its list, -1 with 64 values or
# fewer. FIRST, SECOND: columns of `words` with the sides of its rules, RULE_WORDS each; IMPORTANCE:
# its first row there. OFTEN: first of OFTEN_WORDS columns of `words` with the values of a SET as
# searches see them: BITS, or where there is a list a bit of each frequent value only, by its rank.
KIND, START, MISSING, BITS, CHAIN, FIRST, SECOND, RULE_WORDS, IMPORTANCE = range(9)
OFTEN = 9
OFTEN_WORDS = 10

# Columns of `Attributes.prices`. UNIT, SHIFT: extent of a TREE or SET is UNIT · covered + SHIFT.
# MIXED: extent of missing together with present. HIDE: extent a hidden cell counts with. WHOLE:
# base value and importance of all its rules. EMPHASIS: of its rules against its granularity.
UNIT, SHIFT, MIXED, HIDE, WEIGHT, WHOLE, EMPHASIS = range(7)

# Last axis of `BoxClusters.boxes`. LOW, HIGH: place (LINE) or rank (TREE); of a SET lowest code
# (with a list: rank by frequency, the same for all rare values) and number of values. Where all
# cells are hidden, inf and -inf; of a SET inf and 0.
LOW, HIGH = range(2)

# Columns of `BoxClusters.info`. SIZE: records; 0 when the cluster is gone. PLACE: in the
# algorithm's list of clusters. HEAD, TAIL: first and last distinct row. VALUES: distinct row that
# begins the list of values of each SET with one.
SIZE, PLACE, HEAD, TAIL, VALUES = range(5)

# Column of `BoxClusters.links`: next distinct row of the same cluster, -1 at the end.
FOLLOWING = 0

# What `ClusterList.tally` holds: the place whose turn is next, clusters under k, clusters that are
# left, merges, boxes that may still be tried beyond what is usual before a new tree is worth its
# while. USUAL: boxes that a search in this tree usually tries; TRIED, SEARCHES: of the present run.
NEXT_PLACE, UNDER_K, CLUSTERS_LEFT, MERGES, PATIENCE, USUAL, TRIED, SEARCHES = range(8)


@dataclass(frozen=True, eq=False)
class Attributes(Struct):
    """The quasi-identifiers of a task, as arrays for kernels."""

    facts: Annotated[Int64s, reads("attributes", 11)]
    """Per attribute the columns KIND to OFTEN_WORDS."""
    prices: Annotated[Floats, reads("attributes", 7)]
    """Per attribute the columns UNIT to EMPHASIS."""
    line: Annotated[Floats, reads("_")]
    """Places of the values of every LINE, in units of extent."""
    nodes: Annotated[Int32s, reads("_", 3)]
    """Nodes of every TREE: lowest rank, highest rank, parent; leaves first, then by rank."""
    importance: Annotated[Floats, reads("_", 64)]
    """Per word of rules the importance of the rule at each bit."""


@dataclass(frozen=True, eq=False)
class BoxClusters(Struct):
    """All clusters, and the distinct rows they are made of."""

    boxes: Annotated[Floats, writes("clusters", "attributes", 2)]
    """LOW and HIGH."""
    shown: Annotated[Int32s, writes("clusters", "attributes")]
    """Records whose cell is not hidden."""
    extents: Annotated[Floats, writes("clusters", "attributes")]
    words: Annotated[Words, writes("clusters", "words")]
    """Values of the sets, sides of the rules."""
    info: Annotated[Int32s, writes("clusters", "lists+4")]
    """SIZE to TAIL, and from VALUES on a column per list."""
    links: Annotated[Int32s, writes("rows", "_")]
    """Per distinct row FOLLOWING; then per list the next row, then per list the value code."""
    hidden: Annotated[Flags, writes("rows", "attributes")]
    """Per distinct row: the cell is hidden."""


@dataclass(frozen=True, eq=False)
class ClusterList(Struct):
    """The clusters in the order in which they get their turn."""

    at: Annotated[Int32s, writes("places")]
    """Per place the cluster there, -1 where there is none any more."""
    touched: Annotated[Int32s, writes("places")]
    """Per place the turn in which it last took part in a merge."""
    tally: Annotated[Int64s, writes(8)]
    """NEXT_PLACE to SEARCHES."""
