"""Runs of earlier sessions: what was run on a project, when, and with which figures.

Kept per project in the folder that the caller names, readable by its owner alone. A run is kept
as its settings (algorithm, parameters, what is required) and its figures. No value of the table
and no identifier is in it: a requirement for certain values is kept without them, and such a run
can be looked at but not repeated from here.
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.state_folder import file_key, write_state
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.report.finished_run import FinishedRun

MOST_RUNS = 50
"""The most runs that are kept per project."""
FIGURES = ("ncp", "rv", "classes", "smallest_class", "suppressed_records")


@dataclass(frozen=True)
class EarlierRun:
    """One run: its settings and its figures."""

    when: datetime
    algorithm: str
    params: Mapping[str, Any]
    k: int
    max_suppression: float
    requirements: tuple[Mapping[str, Any], ...]
    """Model, bound and attribute of every requirement beyond k."""
    repeatable: bool
    """False when a requirement was for certain values, which are not kept."""
    seed: int
    seconds: float
    figures: Mapping[str, float]
    risk: Mapping[str, Any] | None = None
    subset_k: int | None = None
    subset_size: int = 2

    def required(self, of: Privacy) -> Privacy:
        """Return what this run required; what is not kept of a run is as in `of`."""
        try:
            models = tuple(
                MODELS[one["model"]](**{n: v for n, v in one.items() if n != "model"})
                for one in self.requirements
            )
            risk = None if self.risk is None else RiskBound(**self.risk)
        except (KeyError, TypeError):
            raise InputError("this run is from another version; set it up on screen 5") from None
        return replace(
            of,
            k=self.k,
            max_suppression=self.max_suppression,
            requirements=models,
            risk=risk,
            subset_k=self.subset_k,
            subset_size=self.subset_size,
        )

    @property
    def short(self) -> str:
        """Requirements beyond k as a short text; empty for a record of another version."""
        with suppress(InputError):
            return self.required(Privacy()).short
        return ""

    def again(self, project: Project) -> Project:
        """Return a project with the settings of this run; roles, hierarchies and rules stay."""
        if not self.repeatable:
            raise InputError(
                "this run bounded the share of certain values, which are not kept; "
                "set it up on screen 5"
            )
        return replace(
            project,
            algorithm=AlgorithmChoice(self.algorithm, dict(self.params)),
            privacy=self.required(project.privacy),
            seed=self.seed,
        )


def earlier_run(result: FinishedRun, project: Project, when: datetime) -> EarlierRun:
    """Return the record of a result."""
    own, privacy = result.project or project, result.task.privacy
    measured = result.measures
    return EarlierRun(
        when=when.replace(microsecond=0),
        algorithm=own.algorithm.name,
        params=dict(own.algorithm.params),
        k=privacy.k,
        max_suppression=privacy.max_suppression,
        requirements=tuple(
            {"model": one.name, **{n: v for n, v in asdict(one).items() if n != "values"}}
            for one in own.privacy.requirements
        ),
        repeatable=not any(getattr(one, "values", ()) for one in own.privacy.requirements),
        seed=own.seed,
        seconds=round(result.seconds, 3),
        figures={name: float(getattr(measured, name)) for name in FIGURES},
        risk=None if own.privacy.risk is None else asdict(own.privacy.risk),
        subset_k=own.privacy.subset_k,
        subset_size=own.privacy.subset_size,
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
            return tuple(_read_run(one) for one in given)
        except (OSError, ValueError, KeyError, TypeError, KanonError):
            return ()  # no file yet, or one that cannot be read


def _written(run: EarlierRun) -> dict[str, Any]:
    return {**asdict(run), "when": run.when.isoformat()}


def _read_run(given: Mapping[str, Any]) -> EarlierRun:
    run = EarlierRun(**{**given, "when": datetime.fromisoformat(given["when"])})
    if run.algorithm not in ALGORITHMS or set(run.figures) != set(FIGURES):
        raise InputError("not a run of this version")
    return replace(run, requirements=tuple(run.requirements))
