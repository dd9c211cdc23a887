"""Verification of a release before anybody sees it.

The verifier (`privacy.verify`) counts the classes again from printed cells alone.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.privacy.verify import RiskClaim, overlapping, verify, verify_pseudonyms
from kanon_tui.core.privacy.verify_figures import Claim, People
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import end_text
from kanon_tui.core.table.formulas import escape_formulas
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import plural


@dataclass(frozen=True, eq=False)
class Requirements:
    """The requirements of a task as the verifier takes them."""

    task: Task

    @property
    def quasi(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(attribute.name for attribute in self.task.quasi)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The requirements on sensitive attributes."""
        tokens = self.task.table.missing_tokens
        return tuple(requirement.claim(tokens) for requirement in self.task.sensitive_requirements)

    @property
    def risk(self) -> RiskClaim | None:
        """The bound for the risk of the release; one for the highest risk is verified as k."""
        risk = self.task.release_risk
        if risk is None:
            return None
        scale = risk.scale(self.task.people)
        return RiskClaim(risk.measure, risk.max, scale, risk.threshold, str(risk))

    def check(self, published: pl.DataFrame, claims: Sequence[Claim] = (), **counted: Any) -> None:
        """Verify published cells, or raise `NotReachedError`."""
        task = self.task
        subsets = None if task.subsets is None else (task.subsets.m, task.subsets.k)
        verify(published, self.quasi, task.left_out, task.k, claims, subsets=subsets, **counted)

    def personal_facts(self, records: npt.NDArray[np.integer]) -> dict[str, Any]:
        """Return the k and the person of these records, as the verifier takes them.

        That is the k that the person of each asks for, nan where none, and the person.
        """
        task = self.task
        personal_k = self.task.personal_k
        facts: dict[str, Any] = {}
        if personal_k is not None and personal_k.numbers is not None:
            facts["personal_k"] = personal_k.numbers[personal_k.codes[records]].tolist()
        if task.repeated is not None:
            persons = task.table.texts(task.repeated.name)
            facts["people"] = People(
                of_rows=persons.gather(records).to_list(),
                of_table=persons.to_list(),
                original={c.name: task.table.texts(c.name).to_list() for c in task.sensitive},
            )
        return facts


def check_published(release: Release) -> None:
    """Refuse a release that publishes nothing: rows of nothing but * are no release."""
    if release.suppressed.all():
        nothing = pl.DataFrame(schema=dict.fromkeys(release.task.roles, pl.String))
        verify(nothing, (), (), release.task.k)


def verify_release(release: Release) -> None:
    """Verify a release in memory, or raise `NotReachedError`."""
    task = release.task
    required = Requirements(task)
    published = release.coded
    if release.grouping.levels is None:
        check_disjoint(task, published)

    def check(published: pl.DataFrame, records: npt.NDArray[np.int64]) -> None:
        beside = required.personal_facts(records)
        required.check(published, required.claims, risk=required.risk, **beside)

    def check_without_stars() -> None:
        shown = ~release.suppressed[release.order]
        check(published.filter(shown), release.order[shown])

    with stars_explained(release, check_without_stars):
        check(published, release.order)
        for name in task.pseudonymised:
            raw = task.table.texts(name)
            tokens = task.table.missing_tokens
            verify_pseudonyms(published, required.quasi, name, raw, tokens, task.k)
        if task.output.formulas == "escape":  # escaped cells are counted as well
            places = [published.columns.index(name) for name in required.quasi]
            escaped = escape_formulas(published)
            printed = [escaped.columns[place] for place in places]
            people = required.personal_facts(release.order).get("people")
            verify(escaped, printed, (), task.k, people=people)


@contextmanager
def stars_explained(
    release: Release, check_without_stars: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Raise a sentence about starred records where these make a release fail."""
    try:
        yield
    except NotReachedError:
        task = release.task
        suppressed = release.suppressed_records
        if task.output.suppressed != "star" or not 0 < suppressed < task.n:
            raise
        if suppressed >= task.k:
            check_without_stars()
        why = (
            f"k is {task.k}"
            if suppressed < task.k
            else "which does not keep what is required beyond k"
        )
        records = plural(suppressed, "record")
        raise NotReachedError(
            f"suppressed: star would publish a class of {suppressed} suppressed {records}, {why}; "
            f"use suppressed: drop to leave them out",
            on_screen=f"the {suppressed} suppressed {records}, published as stars, would be a "
            f"class of their own, {why}; leave suppressed records out instead",
        ) from None


def check_disjoint(task: Task, published: pl.DataFrame) -> None:
    """Verify from the printed cells of a clustering that ranges do not overlap, if required."""
    if task.overlap:
        return
    for attribute in task.quasi:
        column = attribute.column
        if not attribute.ordered or attribute.publishes_one_value or column.numbers is None:
            continue
        numbers = dict(zip(column.values, column.numbers.tolist(), strict=True))
        for text, number in list(numbers.items()):
            numbers.setdefault(end_text(column, text), number)
        if overlapping(published[column.name], numbers):
            raise NotReachedError(
                f"the release does not verify: ranges of {column.name} overlap; nothing was written"
            )
