"""Every algorithm in a few lines of pseudo-code, and which steps are instances of which line."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_tui.core.lattice.string_facts import Reason
from kanon_tui.core.task.steps import Step

__all__ = ["BEYOND_K", "BLOCKS", "PSEUDO_CODE", "REFINE", "Line"]


@dataclass(frozen=True)
class Line:
    """One line, and the steps it stands for."""

    text: str
    depth: int = 0
    kinds: tuple[str, ...] = ()
    passes: bool | None = None
    """Only tests that end like this; None for any."""
    reasons: tuple[Reason, ...] = ()
    """Only prunings for one of these reasons; empty for any."""

    def fits(self, step: Step) -> bool:
        """Whether a step is an instance of this line."""
        if step.kind not in self.kinds:
            return False
        if self.passes is not None and step.facts.get("passes") is not self.passes:
            return False
        return not self.reasons or step.facts.get("reason") in self.reasons


_FAILS_TOO = (Reason.BELOW, Reason.SMALL_CLASS)
_NOT_NEEDED = (Reason.WORTH_LESS, Reason.LOSES_TIE, Reason.NO_BETTER)
_PRE_PRUNE = Line("drop every level that fails alone", kinds=("pre-prune",))
_HALVE = (
    Line("while the list has strings:"),
    Line("test the string in its middle", 1, ("test",)),
    Line("passes: drop all that are worth no more", 1, ("prune", "accept"), reasons=_NOT_NEEDED),
    Line("fails: drop all that are more specific", 1, ("prune",), reasons=_FAILS_TOO),
    Line("publish the passing string that is worth most"),
)
_MERGE = (
    Line("every distinct record is a cluster"),
    Line("while a cluster has fewer than k records:"),
    Line("take the first such cluster", 1),
)

PSEUDO_CODE: dict[str, tuple[Line, ...]] = {
    "global": (_PRE_PRUNE, Line("list all strings, sorted by RV"), *_HALVE),
    "hybrid": (
        _PRE_PRUNE,
        Line("list all strings, sorted by RV"),
        Line("move as local does, pruning the list with every test"),
        *_HALVE,
    ),
    "local": (
        _PRE_PRUNE,
        Line("per attribute: what is left are all its levels"),
        Line("repeat until no attribute moves:"),
        Line("test the string half-way in every attribute", 1, ("test",)),
        Line("passes: keep the more specific half of the levels", 1),
        Line("fails: keep the more general half of the levels", 1),
        Line("move every attribute half-way in what is left", 1, ("move",)),
        Line("publish the best string that passed"),
    ),
    "distributed": (
        _PRE_PRUNE,
        Line("find a good string with the moves of local, then by lowering levels", 0, ("seek",)),
        Line("split the attributes into parts of few strings", 0, ("split",)),
        Line("for every part, in a process of its own:"),
        Line("find its passing strings", 1, ("part", "wait")),
        Line("combine what passes, leaving out what is worth less than the best", 0, ("combine",)),
        *_HALVE,
    ),
    "incognito": (
        _PRE_PRUNE,
        Line("for sets of one attribute, of two, of three, …:"),
        Line("for every set of that many attributes:", 1),
        Line("join: keep the strings all of whose parts passed", 2, ("join",)),
        Line("from specific to general, test what is unknown", 2, ("test",)),
        Line("passes: everything more general passes too", 2, ("prune",)),
        Line("minimal: passing strings with none below them that passes"),
        Line("publish the minimal string of least height", 0, ("answer", "choose")),
    ),
    "datafly": (
        Line("every attribute is at level 0"),
        Line("repeat:"),
        Line("count the records in classes smaller than k", 1, ("test",)),
        Line("few enough: stop", 1),
        Line("raise the attribute with most distinct values", 1, ("raise", "go on")),
        Line("suppress the records that are left in small classes", 0, ("suppress",)),
    ),
    "mondrian": (
        Line("the whole table is one part"),
        Line("while a part is open:"),
        Line("for its attributes, the widest first:", 1),
        Line("a cut leaves k records on either side: cut there", 2, ("cut",)),
        Line("no attribute can be cut: the part is a class", 1, ("close",)),
    ),
    "top-down": (
        Line("the whole table is one group"),
        Line("while a group has 2k records that differ:"),
        Line("two records that are far apart are the seeds of two sides", 1),
        Line("give every other record to the side whose NCP grows less", 1, ("split",)),
        Line("a side below k takes the nearest of the other", 1),
        Line("it cannot reach k: the group is a class", 1, ("close",)),
    ),
    "k-member": (
        Line("while k records are left:"),
        Line("start a cluster with the record furthest from the last one", 1, ("start",)),
        Line("while it has fewer than k:", 1),
        Line("add the record that adds least information loss", 2, ("grow", "close")),
        Line("each record left over joins where the loss grows least", 0, ("join",)),
    ),
    "gcka": (
        Line("group the records by the MAGVals of their cells", 0, ("group",)),
        Line("suppress the groups with fewer than k records"),
        Line("for every other group:", 0, ("enter",)),
        Line("start a cluster with the record furthest from the last one", 1, ("start",)),
        Line("add the record that adds least loss, until it has k", 1, ("grow", "close")),
        Line("each record left over joins where the loss grows least", 1, ("join",)),
    ),
    "bottom-up": (
        Line("every distinct record is a group"),
        Line("while a group has fewer than k records:"),
        Line("each of these, in turn:", 1),
        Line("merge it with the one that gives the lowest NCP", 2, ("merge",)),
        Line("split groups of 2k and more around far-apart records", 1, ("split",)),
    ),
    "euclidean": (
        *_MERGE,
        Line("merge it where the ranges of the union are smallest", 1, ("merge",)),
    ),
    "udc": (
        *_MERGE,
        Line("merge it where the research value stays highest", 1, ("merge",)),
    ),
    "udc-suppress": (
        *_MERGE,
        Line("merge it where RV stays highest; of either, or neither, cells are hidden", 1,
             ("merge",)),
    ),
    "sbc": (
        Line("sort the records by the attribute with most values", 0, ("sort",)),
        Line("while k records are left:"),
        Line("the first one left starts a cluster; measure distances to it", 1, ("start",)),
        Line("its k − 1 nearest join", 1, ("grow", "close")),
        Line("the records left over go where left_over says", 0, ("join", "suppress", "compare")),
    ),
    "sd": (
        Line("sort the records by the attribute with most values", 0, ("sort",)),
        Line("while k records are left:"),
        Line("the first one left starts a cluster and is its centre", 1, ("start",)),
        Line("the nearest to the centre joins, and the centre moves", 1, ("grow", "close")),
        Line("each record left over joins the nearest centre", 0, ("join", "compare")),
    ),
}  # fmt: skip
BLOCKS = Line("blocks: cut the table coarsely, cluster each block on its own", 0, ("block",))
"""The first line of a clustering that takes a large table in blocks."""
BEYOND_K = Line("beyond k: classes that miss what is required merge on", 0, ("merge", "suppress"))
"""The last line of a clustering where more than k is required."""
REFINE = Line(
    "refine: near classes exchange records, large ones are split, while it helps",
    0,
    ("refine", "exchange", "divide"),
)
"""The last line of a clustering that is refined."""
