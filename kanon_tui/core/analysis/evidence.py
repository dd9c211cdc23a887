"""The evidence of a dossier: risks in a population, attacks, and utility for analysis."""

from typing import Any

from kanon_tui.core.analysis.attack.suite import attack_release, attack_sections
from kanon_tui.core.analysis.attack.weak_spots import remedies, weak_spot_sections
from kanon_tui.core.analysis.population_risk import KnownPopulation, release_risk, risk_sections
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.utility.utility import measure_utility, utility_sections
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.report.sections import Section


def evidence(result: Result, control: Any = None, attacks: bool = True) -> list[Section]:
    """Return the sections of a dossier that need the data: risks, attacks and utility.

    Parameters
    ----------
    result : Result
        What `anonymize` returned.
    control : frame, optional
        People who were not in the data, for the attacks.
    attacks : bool
        Whether to try all attacks.

    Returns
    -------
    list of Section
        For `write_report(path, utility=…)`.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = kn.anonymize(people, quasi=["age"], sensitive="ill", k=2, algorithm="mondrian")
    >>> kn.evidence(release)[0].title
    'How likely people are found'
    """
    if result.project is None:
        return []
    bound = result.task.privacy.risk
    known = KnownPopulation(size=None if bound is None else bound.population)
    found = risk_sections(release_risk(result, result.project, known))
    if attacks:
        found += attack_sections(attack_release(result, control=control))
        found += weak_spot_sections(result, remedies(result), named=False)
    release = PublishedTable.from_result(result, result.project)
    return [*found, *utility_sections(measure_utility(release))]
