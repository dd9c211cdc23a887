"""Runs of earlier sessions: what was run on a project, when, and with which figures.

Kept per project in the folder that the caller names, readable by its owner alone. A run is kept
as its settings (algorithm, parameters, what is required) and its figures. No value of the table
and no identifier is in it: a requirement for certain values is kept without them, and such a run
can be looked at but not repeated from here.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.state_folder import file_key, write_state
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.project.project import Project, project_from_mapping, project_to_mapping
from kanon_tui.core.report.finished_run import FinishedRun

MOST_RUNS = 50
"""The most runs that are kept per project."""
FIGURES = ("ncp", "rv", "classes", "smallest_class", "suppressed_records")


@dataclass(frozen=True)
class EarlierRun:
    """One run: its settings and its figures."""

    when: datetime
    settings: Mapping[str, Any]
    """The entries algorithm, privacy and seed of a project file."""
    repeatable: bool
    """False when a requirement was for certain values, which are not kept."""
    seconds: float
    figures: Mapping[str, float]

    @cached_property
    def project(self) -> Project:
        """A project with these settings; raises `KanonError` for those of another version."""
        return project_from_mapping({"data": {"path": "-"}, **self.settings}, "run")

    def again(self, project: Project) -> Project:
        """Return a project with the settings of this run; roles, hierarchies and rules stay."""
        if not self.repeatable:
            raise InputError(
                "this run bounded the share of certain values, which are not kept; "
                "set it up on screen 5"
            )
        own = self.project
        return replace(project, algorithm=own.algorithm, privacy=own.privacy, seed=own.seed)


def earlier_run(result: FinishedRun, project: Project, when: datetime) -> EarlierRun:
    """Return the record of a result."""
    own, measured = result.project or project, result.measures
    required = own.privacy.requirements
    named = [one for one in required if getattr(one, "values", ())]
    kept = tuple(replace(one, values=()) if one in named else one for one in required)  # type: ignore[call-arg]
    privacy = replace(own.privacy, k=result.task.privacy.k, requirements=kept)
    written = project_to_mapping(replace(own, privacy=privacy))
    return EarlierRun(
        when=when.replace(microsecond=0),
        settings={name: written[name] for name in ("algorithm", "privacy", "seed")},
        repeatable=not named,
        seconds=round(result.seconds, 3),
        figures={name: float(getattr(measured, name)) for name in FIGURES},
    )


class RunHistory:
    """A history of runs in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / "runs"
        self._lock = threading.Lock()

    def runs(self, project: Project) -> tuple[EarlierRun, ...]:
        """Return the runs of a project, the latest first; of a new one those of its data file."""
        for path in (project.path, project.data_path):
            found = self._read(path) if path is not None else ()
            if found:
                return found
        return ()

    def add(self, project: Project, run: EarlierRun) -> None:
        """Add a run as the latest."""
        place = self._place(project.path or project.data_path)
        if place is None:
            return
        with self._lock:
            known = [_written(one) for one in self.runs(project)]
            runs = [_written(run), *known][:MOST_RUNS]
            write_state(place, json.dumps(runs, indent=1))

    def clear(self, project: Project) -> None:
        """Delete the runs of a project."""
        for path in (project.path, project.data_path):
            place = self._place(path) if path is not None else None
            if place is not None:
                place.unlink(missing_ok=True)

    def _place(self, path: Path) -> Path | None:
        if self._folder is None:
            return None
        return self._folder / f"{file_key(path)}.json"

    def _read(self, path: Path) -> tuple[EarlierRun, ...]:
        place = self._place(path)
        try:
            given = json.loads(place.read_text(encoding="utf-8")) if place is not None else []
            return tuple(filter(None, map(_read_run, given)))
        except (OSError, ValueError, TypeError):
            return ()  # no file yet, or one that cannot be read


def _written(run: EarlierRun) -> dict[str, Any]:
    return {**asdict(run), "when": run.when.isoformat()}


def _read_run(given: Any) -> EarlierRun | None:
    """Return a run; None for one of another version."""
    try:
        run = EarlierRun(**{**given, "when": datetime.fromisoformat(given["when"])})
        known = run.project.algorithm.name in ALGORITHMS and set(run.figures) == set(FIGURES)
    except (ValueError, KeyError, TypeError, KanonError):
        return None
    return run if known else None
