"""The series behind the figures of the papers, beside what each paper claims of them.

    python -m benchmarks.papers --renew       renews the table of docs/papers.md (make papers)
    python -m benchmarks.papers --only SBC    one paper, to the terminal

The curves are printed without numbers, so that a claim is what can be repeated: it *holds* where it
is true at every point of our series and *differs* otherwise, with the reason. Seconds are those of
the machine; everything else is the same on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

from benchmarks.pages import markdown_table, renew
from kanon_tui.core.analysis.feasibility import feasibility
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table

PAGE = Path(__file__).parent.parent / "docs" / "papers.md"
MEDIAN = ("mondrian", {"cut": "median"})
BYUN_KS = (10, 25, 50, 100)
SBC_KS = (2, 5, 10, 20, 50, 100)
SD_KS = (2, 10, 20, 30, 40, 50)
CKA_KS = tuple(range(2, 11))
CKA_PRINTED = (605, 991, 1377, 1657, 1906, 2198, 2354, 2550, 2728)
MORTON_12 = (
    (3, 3, 50, 50, 68), (3, 3, 75, 50, 100), (3, 5, 75, 50, 74), (3, 5, 100, 50, 100),
    (7, 5, 1_200, 500, 0), (7, 5, 7_500, 500, 100), (12, 5, 30_000, 500, 0),
    (12, 5, 100_000, 500, 100), (15, 5, 750_000, 200, 96), (18, 5, 2_000_000, 200, 0),
)  # fmt: skip
"""Attributes, k, records, repetitions and the printed success rate in percent."""

Row = tuple[str, str, str, str, str]
"""Where, what is claimed, our series, whether it holds, and why not."""


@dataclass(frozen=True)
class Series:
    """One figure of a release over several settings."""

    name: str
    figures: Mapping[int, float]

    def __str__(self) -> str:
        shown = " ".join(_short(figure) for figure in self.figures.values())
        return f"{self.name} {shown}"


def _short(figure: float) -> str:
    if figure >= 1000:
        return f"{figure:,.0f}"
    return f"{figure:.4f}".rstrip("0").rstrip(".") if figure < 1 else f"{figure:.4g}"


def verdict(holds: bool, why: str, remark: str = "") -> tuple[str, str]:
    """The two last columns of a row; the remark is for a claim that holds."""
    return ("holds", remark) if holds else ("**differs**", why)


def always_below(low: Series, *others: Series) -> bool:
    """Whether a series is below all others at every point."""
    return all(low.figures[x] < other.figures[x] for other in others for x in low.figures)


def rises(series: Series) -> bool:
    """Whether a series never falls."""
    figures = list(series.figures.values())
    return all(a <= b for a, b in pairwise(figures))


def nearly_linear(series: Series) -> bool:
    """Whether no two parts of a curve are more than a third apart in steepness."""
    points = list(series.figures.items())
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairwise(points)]
    return 0 < max(slopes) <= 4 / 3 * min(slopes)


class Runs:
    """Releases of one project, made once each."""

    def __init__(self, project: Project, table: Table) -> None:
        self._project, self._table = project, table
        self._made: dict[Any, Result] = {}

    def of(self, algorithm: str, params: Mapping[str, Any], k: int, n: int | None = None) -> Result:
        """The release of an algorithm on the first n records."""
        key = (algorithm, tuple(params.items()), k, n)
        if key not in self._made:
            project = replace(
                self._project,
                algorithm=AlgorithmChoice(algorithm, dict(params)),
                privacy=replace(self._project.privacy, k=k, max_suppression=0.0),
            )
            frame = self._table.frame if n is None else self._table.frame.head(n)
            self._made[key] = anonymize(project, replace(self._table, frame=frame))
        return self._made[key]

    def series(
        self,
        name: str,
        figure: Callable[[Result], float],
        ks: Sequence[int],
        algorithm: str,
        params: Mapping[str, Any] = {},
        n: int | None = None,
    ) -> Series:
        """A figure of one algorithm over several k."""
        return Series(name, {k: figure(self.of(algorithm, params, k, n)) for k in ks})


def loaded(name: str) -> tuple[Project, Table]:
    """A bundled sample and its table."""
    project = Project.load(find_sample(name).project)
    return project, project.read_data()


def seconds(result: Result) -> float:
    """Seconds of the search, with few digits."""
    return round(result.seconds, 2)


def byun() -> Iterator[Row]:
    """Figures 6 to 11: eight quasi-identifiers of Adult, education as a number."""
    project, table = loaded("adult")
    specs = {
        name: replace(spec, rules=AttributeSpec().rules, rv=None, weight=None, magvals=())
        for name, spec in project.attributes.items()
    }
    specs["education"] = AttributeSpec(role=Role.IDENTIFIER)
    specs["education-num"] = AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC)
    runs = Runs(replace(project, attributes=specs), table)
    modified = {"class_attribute": "salary", "class_penalty": 1.0}

    def three(figure: Callable[[Result], float]) -> list[Series]:
        return [
            runs.series("k-member", figure, BYUN_KS, "k-member"),
            runs.series("modified", figure, BYUN_KS, "k-member", modified),
            runs.series("median", figure, BYUN_KS, *MEDIAN),
        ]

    at = f"k = {', '.join(map(str, BYUN_KS))}: "
    plain, own, median = three(lambda r: r.measures.il)
    yield (
        "Byun, figure 6", "k-member has the least total IL for all k",
        at + f"{plain}; {own}; {median}",
        *verdict(
            always_below(plain, own, median),
            "the modified k-member is as good, and slightly better at k = 50",
        ),
    )  # fmt: skip
    yield (
        "Byun, figure 6", "the modified k-member is very close to the unmodified (within 10 %)",
        "as above",
        *verdict(all(abs(own.figures[k] / plain.figures[k] - 1) < 0.1 for k in BYUN_KS), "trees"),
    )  # fmt: skip
    plain, own, median = three(lambda r: float(r.measures.dm))
    yield (
        "Byun, figure 7", "both k-members have a lower discernibility than median partitioning",
        at + f"{plain}; {own}; {median}",
        *verdict(
            always_below(plain, median) and always_below(own, median),
            "equal rows of different clusters are one class here",
        ),
    )  # fmt: skip
    plain, own, median = three(lambda r: r.measures.cm or 0.0)
    yield (
        "Byun, figure 8", "k-member has fewer classification errors for every k",
        at + f"{plain}; {own}; {median}",
        *verdict(
            always_below(plain, median),
            "with trees a class publishes an ancestor, so that partitions with few values win",
        ),
    )  # fmt: skip
    yield (
        "Byun, figure 8", "the modified k-member has the fewest errors of all",
        at + f"{own}; {plain}; {median}",
        *verdict(always_below(own, plain, median), "the penalty of a class is one choice of ours"),
    )  # fmt: skip
    plain, own, median = three(seconds)
    yield (
        "Byun, figure 9", "k-member takes longer than partitioning", at + f"{plain} s; {median} s",
        *verdict(always_below(median, plain), "kernels"),
    )  # fmt: skip
    sizes = (5_000, 10_000, 20_000, 30_000)

    def by_size(name: str, algorithm: str, params: Mapping[str, Any], figure: Any) -> Series:
        return Series(name, {n: figure(runs.of(algorithm, params, 5, n)) for n in sizes})

    loss = [
        by_size("k-member", "k-member", {}, lambda r: r.measures.il),
        by_size("median", *MEDIAN, lambda r: r.measures.il),
    ]
    at = f"k = 5, n = {', '.join(f'{n:,}' for n in sizes)}: "
    yield (
        "Byun, figure 10", "k-member has the least total IL at every size",
        at + "; ".join(map(str, loss)),
        *verdict(always_below(*loss), "other trees"),
    )  # fmt: skip
    yield (
        "Byun, figure 10", "total IL rises almost linearly with the records", "as above",
        *verdict(
            all(map(nearly_linear, loss)),
            "that of k-member rises ever more slowly: among more records nearer ones are found",
        ),
    )  # fmt: skip
    times = by_size("k-member", "k-member", {}, seconds)
    partitions = by_size("median", *MEDIAN, seconds)
    yield (
        "Byun, figure 11", "k-member is slower than partitioning at every size",
        at + f"{times} s; {partitions} s",
        *verdict(
            always_below(partitions, times),
            "fractions of a second",
            "theorem 3 bounds k-member by n²; an index of records makes it grow more slowly here",
        ),
    )  # fmt: skip


def sbc() -> Iterator[Row]:
    """Figures 4-1 and 4-2: 5,000 of Adult with the hierarchies of appendix 7.1."""
    project, table = loaded("sbc-thesis")
    ages = table.frame["age"].cast(int)
    countries = table.frame["native-country"].n_unique()
    yield (
        "SBC, figure 4-1", "ages 17 to 90, two genders, 39 countries",
        f"ages {ages.min()} to {ages.max()}, {table.frame['sex'].n_unique()} genders, "
        f"{countries} countries",
        *verdict((ages.min(), ages.max(), countries) == (17, 90, 39), "another choice of 5,000"),
    )  # fmt: skip
    runs = Runs(project, table)
    for where, name, figure in (
        ("SBC, figure 4-2(a)", "NCP", lambda r: r.measures.ncp),
        ("SBC, figure 4-2(a)", "NCP by class", lambda r: r.measures.ncp_class or 0.0),
    ):
        others = [
            runs.series("median", figure, SBC_KS, *MEDIAN),
            runs.series("datafly", figure, SBC_KS, "datafly"),
            runs.series("incognito", figure, SBC_KS, "incognito"),
        ]
        own = runs.series("sbc", figure, SBC_KS, "sbc")
        series = "; ".join(map(str, (own, *others)))
        yield (
            where, f"{name} of SBC is below the others for all k",
            f"k = {', '.join(map(str, SBC_KS))}: {series}",
            *verdict(always_below(own, *others), "the thesis's Mondrian is weaker at a large k"),
        )  # fmt: skip
        yield (
            where, f"{name} of SBC rises with k", str(own),
            *verdict(rises(own), "a greedy clustering"),
        )  # fmt: skip
    incognito = runs.series("incognito", lambda r: r.measures.ncp, (10, 20), "incognito")
    yield (
        "SBC, figure 4-2(a)", "NCP of Incognito is lower at k = 20 than at k = 10", str(incognito),
        *verdict(
            incognito.figures[20] < incognito.figures[10],
            "the same string is of least height at both; NCP falls from k = 2 to k = 5 instead",
        ),
    )  # fmt: skip
    yield ("SBC, figures 4-3, 4-4", "the same for a provider's customers", "–", "–", "not public")


def sd() -> Iterator[Row]:
    """Figure 4: NCP for n = 500 to 5,000."""
    project, table = loaded("sbc-thesis")
    runs = Runs(project, table)
    for n in (500, 1_000, 3_000, 5_000):
        own, *others = (
            runs.series(name, lambda r: r.measures.ncp, SD_KS, algorithm, params, n)
            for name, algorithm, params in (
                ("sd", "sd", {}), ("median", *MEDIAN), ("datafly", "datafly", {}),
                ("incognito", "incognito", {}),
            )
        )  # fmt: skip
        yield (
            f"SD, figure 4, n = {n:,}", "NCP of SD is the lowest for all k",
            f"k = {', '.join(map(str, SD_KS))}: {'; '.join(map(str, (own, *others)))}",
            *verdict(always_below(own, *others), "datafly takes another string at k = 50 of 500"),
        )  # fmt: skip


def cka() -> Iterator[Row]:
    """Figures 8 and 9, tables 1 and 2: 10,000 of Adult, MAGVals of country."""
    project, table = loaded("adult")
    specs = {
        name: replace(spec, rules=AttributeSpec().rules, rv=None, weight=None)
        for name, spec in project.attributes.items()
    }
    runs = Runs(replace(project, attributes=specs), table)
    n = 10_000

    def both(figure: Callable[[Result], float]) -> tuple[Series, Series]:
        return (
            runs.series("gcka", figure, CKA_KS, "gcka", n=n),
            runs.series("k-member", figure, CKA_KS, "k-member", n=n),
        )

    at = f"k = 2 … 10, n = {n:,}: "
    bound, free = both(lambda r: r.measures.il)
    near = all(bound.figures[k] < 1.2 * free.figures[k] for k in CKA_KS)
    yield (
        "CKA, figure 8", "limits cost little information (less than 20 % here)",
        at + f"{bound}; {free}",
        *verdict(near, "other trees"),
    )  # fmt: skip
    yield (
        "CKA, figure 8", "IL is greater with limits on country but for k = 8, 9, 10", "as above",
        *verdict(
            all((bound.figures[k] > free.figures[k]) == (k < 8) for k in CKA_KS),
            "it is lower for every k here",
        ),
    )  # fmt: skip
    bound, free = both(seconds)
    yield (
        "CKA, figure 9", "GreedyCKA is quicker than k-member", at + f"{bound} s; {free} s",
        *verdict(always_below(bound, free), "one constrained attribute, and fractions of a second"),
    )  # fmt: skip
    bound, free = both(lambda r: float(r.measures.privacy.violating_values["native-country"]))
    printed = " ".join(f"{count:,}" for count in CKA_PRINTED)
    yield (
        "CKA, table 1", f"k-member violates more with k ({printed}), GreedyCKA never",
        at + f"{free}; {bound}",
        *verdict(
            rises(free) and not any(bound.figures.values()),
            "another sample, other limits",
            "the counts are lower than printed: another sample, other limits",
        ),
    )  # fmt: skip
    bound, _ = both(lambda r: float(r.measures.suppressed_records))
    yield (
        "CKA, table 2", "nothing is suppressed with limits on country alone", at + str(bound),
        *verdict(
            not any(bound.figures.values()),
            "a region with fewer than k people; the four regions are limits of ours",
        ),
    )  # fmt: skip


def morton() -> Iterator[Row]:
    """Table 12 and figure 23: simulated tables of binary attributes."""
    for attributes, k, records, repeats, printed in MORTON_12:
        found = 100 * feasibility(attributes, k, records, repeats=repeats, seed=0).success_rate
        share = found / 100
        chance = 300 * sqrt(share * (1 - share) / repeats)  # three standard errors, in percent
        yield (
            f"Morton, table 12, {attributes}/{k}/{records:,}/{repeats}", f"{printed} %",
            f"{found:.1f} %",
            *verdict(abs(found - printed) <= chance, "beyond chance"),
        )  # fmt: skip
    needed = {}
    for attributes in (3, 5, 7, 9, 12, 15):
        records = 16
        while feasibility(attributes, 5, records, repeats=40, seed=0).success_rate < 0.975:
            records = records * 5 // 4
        needed[attributes] = records
    growth = rises(Series("", {a: float(n) for a, n in needed.items()}))
    shown = ", ".join(f"{a}: {n:,}" for a, n in needed.items())
    yield (
        "Morton, figure 23", "the records that k = 5 needs rise steeply with the attributes",
        f"records at which 39 of 40 tables pass, by attributes: {shown}",
        *verdict(growth and needed[15] > 1000 * needed[3], "chance"),
    )  # fmt: skip


PAPERS: dict[str, Callable[[], Iterator[Row]]] = {
    "Morton": morton, "Byun": byun, "SBC": sbc, "SD": sd, "CKA": cka,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("--renew", action="store_true", help="renew the table of docs/papers.md")
    parser.add_argument("--only", choices=PAPERS, help="one paper")
    args = parser.parse_args()
    chosen = [PAPERS[args.only]] if args.only else PAPERS.values()
    rows = [row for paper in chosen for row in paper()]
    table = markdown_table(["where", "claim", "ours", "holds", "why"], rows)
    if args.renew and not args.only:
        renew("series", table, PAGE)
    else:
        print(table)


if __name__ == "__main__":
    main()
