"""What was found of a table's risk in sentences, with what each figure assumes."""

from __future__ import annotations

from kanon_tui.core.analysis.population_risk import PopulationRisk

__all__ = ["assumptions", "counts", "estimates"]

_KNOWN_BY = {
    "table": "counted in a table",
    "weights": "by survey weights",
    "size": "of a given size, the table being a random sample of it",
    "nothing": "not known: journalist and marketer risk are the highest they can be",
}
_ASSUMED = {
    "table": "The population table is taken to hold everybody, with values as an outsider knows "
    "them.",
    "weights": "Survey weights are taken to say how many people of the population a record stands "
    "for.",
    "size": "The table is taken for a simple random sample: every class is as much larger in the "
    "population as the population is larger than the table.",
    "nothing": "Nothing is assumed: a class is taken to hold all who look like it.",
}
_ATTACKERS = (
    "A prosecutor knows that the person is in the release, a journalist only that she is in the "
    "population; a marketer tries to find everybody, and what counts is the average."
)
_ESTIMATED = (
    "Estimates take the table for a simple random sample. Zayatz: class sizes are distributed as "
    "here; Pitman: as in a random partition; SNB: as a negative binomial. No data tell which is "
    "right, and each may be far off. The rule of Dankar et al. was found on clinical data."
)


def counts(found: PopulationRisk) -> list[str]:
    """How many records and people there are, and what the population is known by."""
    size = "" if found.population is None else f" of {found.population:,}"
    return [
        f"{found.records:,} records of {found.people:,} people in {found.classes:,} classes",
        f"population{size}: {_KNOWN_BY[found.by]}",
    ]


def estimates(found: PopulationRisk) -> list[str]:
    """Uniques here and in the population, k-map and presence."""
    lines = [f"unique here: {found.sample_uniques:,}"]
    if found.uniques is not None:
        told = found.uniques
        models = {"Zayatz": told.zayatz, "Pitman": told.pitman, "SNB": told.snb}
        listed = ", ".join(
            f"{name} {'no solution' if value is None else f'{value:,.0f}'}"
            for name, value in models.items()
        )
        lines.append(f"unique in the population, estimated: {listed}")
        if told.by is not None and told.dankar is not None:
            lines.append(f"by the rule of Dankar et al.: {told.dankar:,.0f} ({told.by})")
    if found.presence is not None:
        own = found.presence
        lines += [
            f"k-map: every row fits at least {own.k_map:,} people of the population",
            f"presence: {own.lowest:.3g} to {own.highest:.3g} of those who fit a row are in the "
            f"table; {own.not_covered:,} people fit none",
        ]
    return lines


def assumptions(found: PopulationRisk) -> list[str]:
    """Who attacks, and what must be true for the figures to be."""
    lines = [_ATTACKERS, _ASSUMED[found.by]]
    return lines if found.uniques is None else [*lines, _ESTIMATED]
