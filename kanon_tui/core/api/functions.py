"""The public functions: what commands and screens do, on frames, files and projects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kanon_tui.core.analysis.applying.apply import Applied, apply_mapping
from kanon_tui.core.analysis.applying.mapping_file import (
    ReleaseMapping,
    mapping_from,
    mapping_of,
    read_mapping,
)
from kanon_tui.core.analysis.applying.sql import mapping_sql
from kanon_tui.core.analysis.first_choice import with_first_choice
from kanon_tui.core.analysis.population_risk import (
    KnownPopulation,
    PopulationRisk,
    covered_people,
    person_column,
    population_risk,
    survey_weights,
)
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.sweep.sweep import DEFAULT_KS, Sweep
from kanon_tui.core.analysis.sweep.sweep import sweep as sweep_project
from kanon_tui.core.api.frames import InputFrame
from kanon_tui.core.api.release import Release
from kanon_tui.core.api.tables import FRAME, Names, make_project, named_columns, read_data
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.metrics.cautions import all_columns_caution
from kanon_tui.core.metrics.measure import LevelMeasures, level_measures
from kanon_tui.core.metrics.privacy import check_published
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, start
from kanon_tui.core.pipeline.run import conclude as conclude_run
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.all_columns import count_all_columns
from kanon_tui.core.report.mapping import all_columns_figures, plain_values
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.stray_rows import StrayRows, find_stray_rows
from kanon_tui.core.table.table import Table, as_table

if TYPE_CHECKING:
    from kanon_tui.core.api.tables import Data, Frame


def anonymize(
    data: Data | Project,
    quasi: Names | Mapping[str, Any] | None = None,
    *,
    table: Frame | None = None,
    sensitive: Names | None = None,
    identifier: Names | None = None,
    person: str | None = None,
    other: Names | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    accept_guesses: bool = False,
    k: int | None = None,
    l: float | Mapping[str, float] | None = None,  # noqa: E741 - the name of the measure
    t: float | Mapping[str, float] | None = None,
    algorithm: str | Mapping[str, Any] | None = None,
    seed: int | None = None,
    **settings: Any,
) -> Release:
    """Anonymise a table and return the verified release with its figures.

    Parameters
    ----------
    data : frame, path or Project
        A pandas, Polars (also lazy) or PyArrow table, a dictionary of lists, a data file, a project
        file (.yaml), or a `Project`.
    quasi : str, list or mapping of str, optional
        The quasi-identifiers of a table. A mapping gives each a hierarchy, or None for one that
        fits its values: widths (`[5, 10]`), a function from value to label or a list of them, a
        dictionary from value to label, a table with a row per value, or a builder such as
        `kn.intervals(5, 10)`.
    table : frame, optional
        Records that take the place of the data file of a project.
    sensitive, identifier, other : str or list of str, optional
        Sensitive columns, columns to leave out, and columns to publish as they are. Where
        quasi-identifiers are named, columns that are not named are left out.
    person : str, optional
        The column that identifies the person of a record; k and all figures then count people.
    hierarchies : mapping of str, optional
        Hierarchies of quasi-identifiers, where `quasi` has only their names.
    accept_guesses : bool
        Whether roles that nobody named may be guessed, as the application guesses them, and rows of
        a file left out that seem to be no records, such as titles and totals. A column that is
        guessed to be published as it is, but singles people out, is left out: name it. Where no
        algorithm is named, it is the one that the application would choose.
    k, l, t, algorithm, seed : optional
        The least number of records that look alike, the least number of sensitive values among
        them, the largest distance of their distribution from that of the table, the algorithm, and
        the seed of its chance; those of the project, or the defaults, if not given.
    **settings
        Further settings as `Project.with_` takes them: ``max_suppression=0.02`` and so on.

    Returns
    -------
    Release
        The release: `table`, `report`, `classes`, `ncp`, `rv`, `why`, `write`, `mapping`.

    Raises
    ------
    InputError
        If the data, a name or a setting is wrong, or a role is only guessed.
    NotReachedError
        If no release has the required privacy.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39], "ill": ["flu", "HIV", "flu", "flu"]})
    >>> release = kn.anonymize(people, quasi={"age": kn.intervals(10)}, sensitive="ill", k=2)
    >>> release.table["age"].to_list()
    ['20-29', '20-29', '30-39', '30-39']
    >>> release.ncp < 1
    True
    """
    named_settings = {"k": k, "l": l, "t": t, "algorithm": algorithm, "seed": seed}
    given_settings = {name: value for name, value in named_settings.items() if value is not None}
    settings = given_settings | settings  # an algorithm comes before its params
    project = make_project(
        data, quasi, sensitive, identifier, person, other, accept_guesses, hierarchies, **settings
    )
    frame = table if table is not None else data
    run = start(project, _given_table(frame, project), accept_guesses=accept_guesses)
    if accept_guesses:
        run = with_first_choice(run)
    return Release.from_result(conclude_run(run, run.project), _input_frame(frame))


def _given_table(data: Data | Project, project: Project) -> Table | None:
    """Return the table that is given in Python; None where the project names a file."""
    if isinstance(data, str | Path | Project):
        return None
    return as_table(data, project.data.read_options.missing_tokens)


def _input_frame(frame: Any) -> InputFrame | None:
    """Return the frame that was given in Python; None for a file."""
    is_frame = not isinstance(frame, str | Path | Project | Table)
    return InputFrame(frame) if is_frame else None


def conclude(run: Run, project: Project | None = None) -> Release:
    """Run to the end and return the release.

    Parameters
    ----------
    run : Run
        A run as `kn.run` returns it.
    project : Project, optional
        The project of the run, for the report.

    Returns
    -------
    Release
        The verified release.

    Raises
    ------
    NotReachedError
        If no release has the required privacy.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> age = {"role": "quasi"}
    >>> project = kn.Project.from_dict({"data": {"path": "-"}, "attributes": {"age": age}})
    >>> steps = kn.run(project.with_(k=2), people)
    >>> kn.conclude(steps).report["k"]
    2
    """
    return Release.from_result(conclude_run(run, project))


def check(
    data: Data,
    quasi: Names,
    sensitive: str | None = None,
    k: int = 1,
    person: str | None = None,
    subset_size: int | None = None,
) -> dict[str, Any]:
    """Measure a table that is already anonymised, whoever made it.

    Parameters
    ----------
    data : frame or path
        The published table.
    quasi : str or list of str
        Its quasi-identifiers.
    sensitive : str, optional
        A sensitive attribute, of which l, t, p and α are measured as well.
    k : int
        The smallest class allowed; `reached` says whether it holds.
    person : str, optional
        The column that identifies the person of a row; people are then counted, not rows.
    subset_size : int, optional
        Require k for any this many quasi-identifiers, not for all together.

    Returns
    -------
    dict
        The figures of ``kanon-tui check --json``.

    Raises
    ------
    InputError
        If there is no such column.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> published = pl.DataFrame({"age": ["2*", "2*", "3*"]})
    >>> kn.check(published, quasi="age", k=2)["reached"]
    False
    """
    published = read_data(data).frame
    covered = named_columns(quasi)
    figures = check_published(published, covered, sensitive, k, person, subset_size)
    hidden = [] if sensitive is None else [sensitive]
    counted = count_all_columns(published, covered, hidden, k, person)
    caution = all_columns_caution(counted)
    return {
        **figures,
        "published": all_columns_figures(counted),
        "cautions": plain_values([asdict(caution)] if caution is not None else []),
    }


def sweep(
    data: Data | Project,
    algorithms: Names | None = None,
    ks: Sequence[int] | None = None,
    table: Frame | None = None,
    workers: int | None = None,
    *,
    k: int | Sequence[int] | None = None,
    **roles: Any,
) -> Sweep:
    """Run a table under several algorithms and values of k.

    Parameters
    ----------
    data : frame, path or Project
        The table or project, as `anonymize` takes it.
    algorithms : str or list of str, optional
        Names of algorithms; the project's own if not given.
    k, ks : int or list of int, optional
        Values of k; 2, 3, 5, 10, 25, 50 and 100 if not given.
    table : frame, optional
        Records that take the place of the data file of a project.
    workers : int, optional
        The number of points at a time; that of the cores if not given.
    **roles
        Roles and settings, as `anonymize` takes them: ``quasi=["age"]``.

    Returns
    -------
    Sweep
        Its points, one after the other as they finish; `frame()` has all of them as a Polars frame,
        `plot()` as a chart (Altair).

    Raises
    ------
    InputError
        If the data, a name or a setting is wrong.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> kn.sweep(people, quasi="age", k=[1, 2], algorithms="mondrian").frame()["k"].to_list()
    [1, 2]
    """
    project = make_project(data, **roles)
    read = _given_table(data if table is None else table, project)
    values = k if k is not None else ks if ks is not None else DEFAULT_KS
    values = values if isinstance(values, Iterable) else [values]
    return sweep_project(project, list(named_columns(algorithms)) or None, [*values], read, workers)


def levels(data: Data | Project, **roles: Any) -> dict[str, tuple[LevelMeasures, ...]]:
    """Measure every level of every hierarchy, each attribute by itself.

    Parameters
    ----------
    data : frame, path or Project
        The table or project, as `anonymize` takes it.
    **roles
        Roles and settings, as `anonymize` takes them.

    Returns
    -------
    dict of str to tuple
        Per quasi-identifier its levels: labels, smallest group, whether it passes k alone, RV, NCP.

    Raises
    ------
    InputError
        If the data, a name or a setting is wrong.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> found = kn.levels(people, quasi={"age": kn.intervals(10)}, k=2)
    >>> [level.passes for level in found["age"]]
    [False, True, True]
    """
    project = make_project(data, **roles)
    task = prepare(project, _given_table(data, project))
    return {
        attribute.name: level_measures(attribute, task.k, task.allowed_people, task.repeated)
        for attribute in task.quasi
    }


def risk(
    data: Data | Project,
    quasi: Names | None = None,
    release: Data | None = None,
    person: str | None = None,
    population: int | None = None,
    weights: str | None = None,
    population_table: Data | None = None,
    threshold: float = 0.2,
) -> PopulationRisk:
    """Return how likely people are found in a table, by three models of the attacker.

    Parameters
    ----------
    data : frame, path or Project
        A table, or a project, whose data or `release` is measured.
    quasi : str or list of str, optional
        The quasi-identifiers of a table.
    release : frame or path, optional
        A release of the project.
    person : str, optional
        The column that identifies the person of a row.
    population : int, optional
        The number of people that the table is a sample of.
    weights : str, optional
        A column of survey weights; the one with the role weight if no population is given.
    population_table : frame or path, optional
        A table of everybody in the population.
    threshold : float
        The risk above which a record is at risk.

    Returns
    -------
    PopulationRisk
        Highest and average risk by model, uniques, k-map and δ-presence.

    Raises
    ------
    InputError
        If a column is missing, or roles are given for a project.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": ["2*", "2*", "3*"]})
    >>> kn.risk(people, quasi="age").models["prosecutor"].highest
    1.0
    """
    project = make_project(data, quasi)
    if quasi is not None:
        categorical = {
            name: {"role": "quasi", "kind": "categorical"} for name in named_columns(quasi)
        }
        project = project.with_(attributes=categorical, k=1)
        if release is not None:
            raise InputError("a release is of a project; name the table itself")
    elif not project.attributes:
        raise InputError(f"{project.title} is a table; name its quasi-identifiers: --quasi a,b")
    task = prepare(project, _given_table(data, project))
    options = ReadOptions(header=True, missing_tokens=task.table.missing_tokens)
    table = task.table if release is None else read_data(release, options)
    whose = task.repeated if release is None else None
    if person is not None:
        whose = person_column(table, person)
    everybody = None if population_table is None else read_data(population_table, options)
    published = PublishedTable(project, task, table, _called(data if release is None else release))
    rows, covered = covered_people(published, everybody, _called(population_table))
    if population is None and covered is None:
        weights = weights or survey_weights(project, table.names)
    known = KnownPopulation(population, weights, covered)
    return population_risk(table, rows, whose, known, threshold)


def _called(data: Any) -> str:
    """Return how messages call a table."""
    if isinstance(data, Project):
        return data.title
    return Path(data).name if isinstance(data, str | Path) else FRAME


def apply(
    mapping: Mapping[str, Any] | ReleaseMapping | Result | str | Path,
    data: Data,
    *,
    uncovered: Literal["suppress", "refuse"] = "suppress",
    below_k: Literal["suppress", "refuse"] = "suppress",
    earlier: Data | None = None,
) -> Applied:
    """Publish new records in the same way as an earlier release.

    Parameters
    ----------
    mapping : mapping, Release or path
        `release.mapping`, the release itself, or the file of ``run --mapping``.
    data : frame or path
        The new records. Lines of a file that seem to be no records, such as titles and totals, are
        left out, unless `uncovered` is "refuse"; `stray_rows` says which.
    uncovered, below_k : {"suppress", "refuse"}
        Whether to leave out records with values that the mapping does not cover, and records of
        classes that are too small, or to refuse the release.
    earlier : frame or path, optional
        The earlier release; k is also counted in both together.

    Returns
    -------
    Applied
        The new release (`result`), and how many records were left out.

    Raises
    ------
    InputError
        If a column is missing or the mapping cannot be read.
    NotReachedError
        If the new release is refused.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> release = kn.anonymize(people, quasi={"age": kn.intervals(10)}, k=2)
    >>> applied = kn.apply(release.mapping, pl.DataFrame({"age": [38, 22, 38, 21]}))
    >>> applied.result.table["age"].to_list()
    ['20-29', '20-29', '30-39', '30-39']
    """
    for what, choice in (("uncovered", uncovered), ("below_k", below_k)):
        check_known(choice, ("suppress", "refuse"), f"{what} is {choice!r}")
    found = _mapping(mapping)
    tokens = found.missing_tokens
    stray = StrayRows()
    options = ReadOptions(missing_tokens=tokens)
    if isinstance(data, str | Path) and uncovered == "suppress":
        stray = find_stray_rows(Path(data), options)
    applied = apply_mapping(
        found,
        read_data(data, stray.apply(options)),
        uncovered=uncovered,
        small=below_k,
        earlier=None
        if earlier is None
        else read_data(earlier, replace(options, header=True)).frame,
        table_name=_called(data),
        earlier_name="" if earlier is None else _called(earlier),
    )
    return replace(applied, stray_rows=stray.reasons)


def _mapping(mapping: Mapping[str, Any] | ReleaseMapping | Result | str | Path) -> ReleaseMapping:
    if isinstance(mapping, ReleaseMapping):
        return mapping
    if isinstance(mapping, str | Path):
        return read_mapping(Path(mapping))
    if isinstance(mapping, Result):
        return mapping_of(mapping, "the mapping")
    return mapping_from(mapping, "the mapping")


def export_mapping(
    mapping: Mapping[str, Any] | Result | str | Path,
    format: Literal["sql", "spark"] = "sql",
    table: str = "records",
    publish: Names | None = None,
) -> str:
    """Return the recoding of a release as a query that a database or Spark runs on its rows.

    Parameters
    ----------
    mapping : mapping, Release or path
        `release.mapping`, the release itself, or the file of ``run --mapping``.
    format : {"sql", "spark"}
        SQL as PostgreSQL and DuckDB read it, or Spark SQL.
    table : str
        The table with the rows.
    publish : str or list of str, optional
        Further columns to publish unchanged, such as sensitive ones that the counts did not have.

    Returns
    -------
    str
        One query. It leaves out rows that the release does not cover, and classes below k.

    Raises
    ------
    InputError
        If the mapping cannot be read, or requires more than SQL can prove.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> release = kn.anonymize(people, quasi={"age": kn.intervals(10)}, k=2)
    >>> kn.export_mapping(release, table="people").splitlines()[-1]
    'ORDER BY 1;'
    """
    return mapping_sql(_mapping(mapping), format, table, named_columns(publish))
