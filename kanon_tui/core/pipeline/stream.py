"""A whole run on a table that is coded into a file, whatever its size, with its files written."""

from dataclasses import replace
from pathlib import Path

from kanon_tui.core.pipeline.engine_choice import workers_of
from kanon_tui.core.pipeline.prepare import as_project
from kanon_tui.core.pipeline.run import Result, chosen_algorithm, conclude, start
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.writing import Target
from kanon_tui.core.task.task import RunContext


def stream(
    project: Project | str | Path,
    out: str | Path | None = None,
    report: str | Path | None = None,
    force: bool = False,
    trust: bool = False,
    insecure: bool = False,
    accept_guesses: bool = False,
) -> Result:
    """Anonymise a project on a table that is coded into a file, and write the release.

    Parameters
    ----------
    project : Project or path
        The project, or its file.
    out : path, optional
        The release: `release.csv` and `release.parquet` are files, `release` and `release/` a
        folder of Parquet parts. Without it only the figures are kept.
    report : path, optional
        The report: .json, .md, .html or .pdf.
    force : bool
        Whether to replace existing files.
    trust : bool
        Whether to use the Dask scheduler that the project names.
    insecure : bool
        Whether that scheduler may be one without TLS.
    accept_guesses : bool
        Whether roles that nobody named may be guessed.

    Returns
    -------
    Result
        The verified release with its figures.

    Raises
    ------
    InputError
        If the data or a setting is wrong, a role is only guessed, or the project needs more memory
        than it may take.
    NotReachedError
        If no release has the required privacy.
    """
    project = as_project(project)
    target = None if out is None else Target.parse(str(out))
    if project.run.engine != "dask":
        project = replace(project, run=replace(project.run, engine="stream"))
    chosen_algorithm(project)  # refused before anything is read
    if target is not None:
        target.check(force, project.inputs)
    with workers_of(project, target, trust, insecure) as workers, workers.stopped_by_errors():
        context = RunContext(helpers=workers.helpers)
        run = start(project, None, None, context, accept_guesses, workers)
        result = conclude(run, run.project)
    report_path = None if report is None else Path(report)
    if target is not None and target.folder:
        with result.parts(target, force):
            result.write_files(None, report_path, force)
        return result
    place = None if target is None else target.address or target.path
    result.write_files(place, report_path, force)
    return result
