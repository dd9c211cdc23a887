"""A sweep told in words."""

from __future__ import annotations

from kanon_tui.core.analysis.sweep.output import sweep_in_words
from kanon_tui.core.analysis.sweep.sweep import METRICS, SweepPoint

NCP = METRICS[0]
RV = METRICS[1]


def point(name: str, k: int, ncp: float | None, rv: float = 0.5, gone: int = 0) -> SweepPoint:
    error = "no release" if ncp is None else None
    return SweepPoint(name, k, ncp=ncp, rv=rv, suppressed_records=gone, error=error)


def test_ranking_price_and_why_a_curve_turns() -> None:
    points = [
        point("global", 2, 0.3, 0.6), point("global", 3, 0.25, 0.5), point("global", 5, 0.4, 0.4),
        point("mondrian", 2, 0.1), point("mondrian", 3, 0.1), point("mondrian", 5, None),
    ]  # fmt: skip
    told = sweep_in_words(points, NCP, ["global", "mondrian"], [2, 3, 5])
    assert told == [
        "k = 2, NCP, best first: mondrian 0.100, global 0.300.",
        "k = 3, NCP, best first: mondrian 0.100, global 0.250.",
        "k = 5, NCP, best first: global 0.400; no release: mondrian.",
        "global, k = 2 to 3: NCP gets better, 0.300 to 0.250, though k asks for more: global "
        "looks for the highest RV (RV 0.600 to 0.500), and NCP follows from that.",
        "global, k = 3 to 5: NCP rises from 0.250 to 0.400.",
        "mondrian, k = 2 to 3: NCP stays at 0.100.",
    ]
    assert "RV falls from 0.600 to 0.500" in " ".join(
        sweep_in_words(points, RV, ["global"], [2, 3])
    )


def test_suppressed_records_are_named_first() -> None:
    points = [point("datafly", 2, 0.5, gone=4), point("datafly", 3, 0.4, gone=0)]
    assert sweep_in_words(points, NCP, ["datafly"], [2, 3])[-1].endswith(
        "fewer records are suppressed, which moves the figure."
    )
