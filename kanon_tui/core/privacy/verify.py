"""The verifier: counts the classes of a published table again, from its printed cells alone.

It shares no code with the algorithms, the recoder or the privacy models: a mistake in one of them
cannot hide here. What is required beyond k comes as a `Claim`, which is plain data, and is computed
again by the definitions, written a second time and without short cuts. This module stands alone on
purpose: do not let it import a model, and do not let a model import a formula from here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf

import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import sum_in_order
from kanon_tui.core.privacy.verify_figures import (
    AT_LEAST,
    BELOW,
    FIGURES,
    Claim,
    People,
    formula_of,
    people_figures,
    ranks_of,
)
from kanon_tui.core.text import plural

_ROUNDING = 1e-9
_FAILS = "the release does not verify"


def _refusal(why: str) -> NotReachedError:
    return NotReachedError(f"{why}; nothing was written")


@dataclass(frozen=True)
class RiskClaim:
    """A claimed bound for the risk of the whole release, as plain data."""

    measure: str
    """`average` or `share`."""
    most: float
    scale: float
    """The factor from 1 / class size to the risk of a record."""
    threshold: float
    words: str


@dataclass(frozen=True)
class _Counted:
    """The rows of a release, and the unit of counting: records, copies of records or people."""

    published: pl.DataFrame
    quasi: Sequence[str]
    copies: pl.Series | None = None
    people: People | None = None

    @property
    def cells(self) -> pl.DataFrame:
        """The quasi-identifiers under names of our own: `^.*$` would be a pattern."""
        return pl.DataFrame([self.published[q].alias(str(x)) for x, q in enumerate(self.quasi)])

    @property
    def counted(self) -> pl.Series:
        """The column to count in each class: the records that a row stands for, or its person."""
        rows = self.published.height
        copies = self.copies
        if self.people is not None:
            return self.people.rows(rows)
        if copies is None:
            return pl.repeat(1, rows, dtype=pl.Int64, eager=True).alias("records")
        if copies.len() != rows:
            raise _refusal(f"the release has {rows:,} rows and {copies.len():,} counts of them")
        return copies.cast(pl.Int64).alias("records")

    def sizes(self, *beside: pl.Series) -> pl.DataFrame:
        """Return the size of every class, and the largest of numbers beside the rows."""
        cells = self.cells
        size = pl.col("records").sum() if self.people is None else pl.col("person").n_unique()
        largest = [pl.col(numbers.name).max() for numbers in beside]
        rows = cells.with_columns(self.counted, *beside)
        return rows.group_by(cells.columns).agg(size.cast(pl.Int64).alias("size"), *largest)

    def risk(self, risk: RiskClaim) -> float:
        """Return the mean risk of a record, or the share of those above the threshold."""
        sizes = self.sizes()["size"].to_list()
        risks = [(size, risk.scale / size) for size in sizes]
        if risk.measure == "average":
            return sum_in_order(size * record_risk for size, record_risk in risks) / float(
                sum(sizes)
            )
        above = sum(size for size, record_risk in risks if record_risk > risk.threshold + _ROUNDING)
        return float(above / sum(sizes))

    def classes_below(self, wanted_ks: Sequence[float]) -> int:
        """Return the number of classes smaller than a k asked for in them; nan asks for none."""
        if len(wanted_ks) != self.published.height:
            rows = self.published.height
            raise _refusal(
                f"the release has {rows:,} records and {len(wanted_ks):,} wishes for a k"
            )
        wishes = pl.Series("asked", wanted_ks, dtype=pl.Float64).fill_nan(0.0)
        return self.sizes(wishes).filter(pl.col("size") < pl.col("asked")).height


def smallest_class(
    published: pl.DataFrame,
    quasi: Sequence[str],
    copies: pl.Series | None = None,
    people: People | None = None,
) -> int:
    """Return the number of records, or of people, in the smallest class; 0 for an empty table.

    With `copies` a row stands for so many equal records.
    """
    smallest = _Counted(published, quasi, copies, people).sizes()["size"].min()
    return smallest if isinstance(smallest, int) else 0


def verify(
    published: pl.DataFrame,
    quasi: Sequence[str],
    identifiers: Sequence[str],
    k: int,
    claims: Sequence[Claim] = (),
    personal_k: Sequence[float] | None = None,
    copies: pl.Series | None = None,
    people: People | None = None,
    risk: RiskClaim | None = None,
    subsets: tuple[int, int] | None = None,
) -> int:
    """Prove that a release may be shown: no identifiers, every class has all that is asked of it.

    `personal_k` has, row by row, what its person asks for, nan where nothing. With `copies` a row
    stands for so many equal records; with `people`, all is counted in people. `subsets` is a number
    of quasi-identifiers and the k of any so many. Returns the k that is reached.
    """
    leaked = [name for name in identifiers if name in published.columns]
    if leaked:
        raise _refusal(f"the release would publish the identifier '{leaked[0]}'")
    if published.height == 0:
        raise NotReachedError(
            "the release would be empty because every record is suppressed; "
            "lower k, allow more general levels or leave out a quasi-identifier"
        )
    counted = _Counted(published, quasi, copies, people)
    reached = smallest_class(published, quasi, copies, people)
    if reached < k:
        who = "records" if people is None else "people"
        raise _refusal(f"{_FAILS}: its smallest class has {reached} {who}, k is {k}")
    if subsets is not None:
        for subset in combinations(quasi, subsets[0]):
            fewest = smallest_class(published, subset, copies, people)
            if fewest < subsets[1]:
                raise _refusal(
                    f"{_FAILS}: {subsets[1]:,} is required of any {subsets[0]} quasi-identifiers, "
                    f"and {', '.join(subset)} have a combination of {fewest:,}"
                )
    if personal_k is not None:
        short = counted.classes_below(personal_k)
        if short:
            has = plural(short, "has", "have")
            them = plural(short, "it", "them")
            raise _refusal(
                f"{_FAILS}: {short:,} of its classes {has} fewer records than a person in {them} "
                f"asks for"
            )
    if risk is not None:
        reached_risk = counted.risk(risk)
        if reached_risk > risk.most + _ROUNDING:
            raise _refusal(f"{_FAILS}: {risk.words} is required, and it has {reached_risk:.4g}")
    for claim in claims:
        missing = classes_without(published, quasi, claim, copies, people)
        if missing:
            are = plural(missing, "is", "are")
            raise _refusal(f"{_FAILS}: {missing:,} of its classes {are} with {claim.fault}")
    return reached


def verify_pseudonyms(
    published: pl.DataFrame, quasi: Sequence[str], column: str, identifiers: pl.Series,
    missing_tokens: Sequence[str], k: int,
) -> None:  # fmt: skip
    """Prove that a column of pseudonyms shows no identifier and that nobody's rows give them away.

    A pseudonym that repeats joins the rows of one person: their cells together must be those of at
    least k people. Where no pseudonym repeats that is k-anonymity as it is.
    """
    shown = published[column].cast(pl.String)
    present = shown.filter(~shown.is_in(list(missing_tokens)))
    if (
        present.is_in(identifiers.unique().to_list()).any()
        or not present.str.contains("^[0-9a-f]{32}$").all()
    ):
        raise _refusal(f"the release would publish identifiers of '{column}'")
    if not present.is_duplicated().any():
        return
    cells = _Counted(published, quasi).cells
    rows = cells.select(pl.struct(pl.all()).rank("dense").alias("class")).with_columns(person=shown)
    with_pseudonym = rows.filter(~shown.is_in(list(missing_tokens)))
    together = with_pseudonym.group_by("person").agg(pl.col("class").sort())
    alike = together.group_by("class").len(name="people").filter(pl.col("people") < k)
    if alike.height:
        exposed = int(alike["people"].sum())
        raise NotReachedError(
            f"the pseudonyms of '{column}' join the rows of one person: {published.height:,} rows "
            f"are {together.height:,} people, and {exposed:,} of them have rows that, taken "
            f"together, fewer than {k} people share; use identifier: drop, or one row per person; "
            f"nothing was written"
        )


def overlapping(cells: pl.Series, numbers: Mapping[str, float]) -> bool:
    """Return whether two different ranges of a column overlap, read off its printed cells.

    `numbers` has what every text at an end of a range stands for. A cell that is hidden or missing
    is no range; a single value is one, and `>=75` or `<=40` is one that is open at an end.
    """
    ranges = set()
    for text in cells.unique().to_list():
        shown = text if text in numbers else text.removesuffix("*")
        ends = [shown]
        if shown not in numbers and shown.startswith("[") and shown.endswith("]"):
            ends = shown[1:-1].split("..")
        opened = shown[:2] if shown not in numbers and shown[:2] in (">=", "<=") else ""
        if opened:
            ends = [shown[2:]]
        if not shown or any(end not in numbers for end in ends):
            if shown:
                raise _refusal("the release has a cell that is no range of the data")
            continue
        low = numbers[ends[0]]
        high = numbers[ends[-1]]
        low = -inf if opened == "<=" else low
        high = inf if opened == ">=" else high
        if low == low:  # a missing value is nan
            ranges.add((low, high))
    in_order = sorted(ranges)
    return any(lower[1] >= upper[0] for lower, upper in pairwise(in_order))


def classes_without(
    published: pl.DataFrame,
    quasi: Sequence[str],
    claim: Claim,
    copies: pl.Series | None = None,
    people: People | None = None,
) -> int:
    """Return the number of classes that violate a claim about a sensitive attribute."""
    ranks = ranks_of(claim)
    texts = published[claim.attribute].cast(pl.String)
    unknown = texts.filter(~texts.is_in([*ranks]))
    if unknown.len():
        raise NotReachedError(
            f"the release has {unknown.n_unique():,} values of {claim.attribute} that the input "
            f"does not have; nothing was written"
        )
    rank = texts.replace_strict(list(ranks), list(ranks.values()), return_dtype=pl.Int64)
    counted = _Counted(published, quasi, copies, people)
    classes = counted.cells.select(
        pl.struct(pl.all()).rank("dense").cast(pl.Int64).alias("class") - 1,
        rank.alias("rank"),
        counted.counted,
    )
    formula = formula_of(claim)
    if people is None:
        values_held = classes.group_by("class", "rank").agg(pl.col("records").sum())
        figures = formula(values_held, claim)
    else:
        figures = people_figures(classes, claim, people)
    foreign = claim.model not in FIGURES
    if claim.model in AT_LEAST or (foreign and claim.at_least):
        return int((figures < claim.bound - _ROUNDING * claim.bound).sum())
    if claim.model in BELOW or (foreign and claim.strict):
        return int((figures >= claim.bound - _ROUNDING * max(claim.bound, 1.0)).sum())
    return int((figures > claim.bound + _ROUNDING * max(claim.bound, 1.0)).sum())
