"""Files in the state folder: recent files, chosen views, unsaved edits, runs of earlier sessions.

Of unsaved edits only the project is kept (never data or results), one file per project and running
program, so that two programs on one project do not overwrite each other's. A file is removed when
the work is saved or discarded. A file whose program is no longer running belongs to a session that
was cut off, and is offered. Every running program holds a lock on a small file of its own. The
system releases the lock when the program ends, however it ends.

Runs are kept per project, readable by their owner alone, as their settings (algorithm, parameters,
what is required) and figures. No value of the table and no identifier is in them: a requirement for
certain values is kept without them, and such a run can be looked at but not repeated from here.
"""

import hashlib
import json
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from weakref import WeakKeyDictionary

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.pipeline.sampled_table import read_or_sample
from kanon_tui.core.processes.interruption import runs
from kanon_tui.core.project.project import (
    Project,
    project_from_mapping,
    project_to_mapping,
    project_to_text,
)
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.writing import write_private


def write_state(path: Path, text: str) -> None:
    """Write a file that its owner alone can read.

    State is a convenience: a full disk or a read-only home must not stop the work.
    """
    try:
        _make_private(path.parent)
        write_private(path, text, force=True)
    except (OSError, KanonError):
        return


def _remove_state(path: Path) -> None:
    """Remove a file, if it is there and the folder can be written to."""
    with suppress(OSError):
        path.unlink()


def _make_private(folder: Path) -> None:
    """Create a folder, and its missing parents, that only the owner can read."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _read_list(path: Path) -> list[Any]:
    """Return the list in a file; empty where there is no file yet, or one that cannot be read."""
    try:
        return list(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return []


def file_key(path: Path) -> str:
    """Return one key for a file, whatever path leads to it."""
    return hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[
        :16
    ]


MOST_RECENT = 20


class RecentFiles:
    """The recently opened files, kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "recent.json"

    def paths(self) -> list[Path]:
        """Return the recent files that exist, the latest first."""
        return [path for path in self._known() if os.path.exists(path)]

    def add(self, path: Path) -> None:
        """Put a file on top; files that are missing now (on a stick, say) keep their places."""
        path = path.resolve()
        names = [
            str(path),
            *(str(recent_path) for recent_path in self._known() if recent_path != path),
        ]
        write_state(self._file, json.dumps(names[:MOST_RECENT], indent=1))

    def _known(self) -> list[Path]:
        return [Path(name) for name in _read_list(self._file)]


class ChosenViews:
    """The views of results that a user chose, by the size of the terminal."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "views.json"
        self._views = {}
        for entry in _read_list(self._file):
            if isinstance(entry, list) and len(entry) == 2:
                self._views[str(entry[0])] = str(entry[1])

    def view(self, size: str) -> str | None:
        """Return the view for a size; None where none was chosen."""
        return self._views.get(size)

    def choose(self, size: str, view: str) -> None:
        """Remember a view for a size until the program ends."""
        self._views[size] = view

    def write(self) -> None:
        """Remember the views for the next start, too."""
        write_state(self._file, json.dumps(sorted(self._views.items())))


_ENDING = ".lock"


class InstanceLock:
    """A lock that this program holds until it is released or the program ends."""

    def __init__(self, folder: Path) -> None:
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._place = folder / (self.name + _ENDING)
        self._file: IO[bytes] | None = None

    def hold(self) -> None:
        """Take the lock, if the folder can be written to."""
        if self._file is not None:
            return
        write_state(self._place, "")
        with suppress(OSError):
            self._file = self._place.open("rb")
            _try_to_lock(self._file)

    def release(self) -> None:
        """Release the lock and remove its file."""
        if self._file is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)
            self._file.close()
            self._file = None


def is_alive(folder: Path, name: str) -> bool:
    """Return whether a program still holds its lock; remove the lock file of a dead one."""
    place = folder / (name + _ENDING)
    try:
        with place.open("rb") as file:
            if not _try_to_lock(file):
                return True
            place.unlink(missing_ok=True)
            return False
    except OSError:
        return False


def _try_to_lock(file: IO[bytes]) -> bool:
    """Try to take a lock; return whether it was free. Systems without locks always return True."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: look for the process
        return not runs(int(Path(file.name).name.partition("-")[0]))
    return True


@dataclass(frozen=True)
class UnsavedWork:
    """The edits of a session that was cut off."""

    file: Path
    """The file that was open: a project or a data file."""
    when: datetime
    opened: Project
    """The project as its file had it."""
    project: Project
    """The project with the unsaved edits."""
    fingerprint: str | None
    """The hash of the project's file as it was read; None where it has no file."""
    kept_in: Path

    def session(self) -> Session:
        """Return a session with the edits, not yet saved."""
        table = read_or_sample(self.project)
        if self.project.data != self.opened.data:  # `opened` may have other columns than the table
            session = Session(self.project, table, self.fingerprint)
            session.baseline = self.opened
            return session
        session = Session(self.opened, table, self.fingerprint)
        session.edit(self.project.completed(table), "work taken up again")
        return session


class RecoveryStore:
    """A store of unsaved work in a folder.

    Several threads may call it: whoever comes last writes the state the session has by then.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "unsaved"
        self._instance = InstanceLock(self._folder)
        self._kept: WeakKeyDictionary[Session, Path] = WeakKeyDictionary()
        """The file of each session's edits; it changes when the project is saved elsewhere."""
        self._lock = threading.Lock()
        self._closed = False

    def keep(self, session: Session) -> None:
        """Write the present edits, or remove them when the project's file has them already."""
        with self._lock:
            project = session.project
            dirty = session.dirty
            baseline = session.baseline
            path = project.path or project.data_path
            if self._closed:
                return
            place = self._folder / f"{file_key(path)}.{self._instance.name}.json"
            before = self._kept.get(session)
            if before is not None and (before != place or not dirty):
                self._remove(session)
            if not dirty:
                return
            content = {
                "file": str(path.resolve()),
                "project": str(project.path.resolve()) if project.path else None,
                "opened": project_to_text(baseline),
                "edited": project_to_text(project),
                "fingerprint": session.fingerprint,
            }
            self._instance.hold()
            write_state(place, json.dumps(content))
            self._kept[session] = place

    def forget(self, session: Session) -> None:
        """Remove the edits of this session: they are saved or discarded."""
        with self._lock:
            self._remove(session)

    def _remove(self, session: Session) -> None:
        place = self._kept.pop(session, None)
        if place is not None:
            _remove_state(place)

    def unsaved_work(self, path: Path) -> UnsavedWork | None:
        """Return the latest edits of this file that no other running program has, if any."""
        return next(self._found(f"{file_key(path)}.*.json"), None)

    def drafts(self) -> list[UnsavedWork]:
        """Return all edits that no other running program has, the latest first."""
        return list(self._found("*.json"))

    def _found(self, pattern: str) -> Iterator[UnsavedWork]:
        unsaved = []
        for place in self._folder.glob(pattern):
            _, _, owner = place.stem.partition(".")
            if owner == self._instance.name or not is_alive(self._folder, owner):
                work = _read(place)
                if work is not None:
                    unsaved.append(work)
        yield from sorted(unsaved, key=lambda work: work.when, reverse=True)

    def discard(self, unsaved: UnsavedWork) -> None:
        """Remove edits that were offered, after they were taken up or declined."""
        with self._lock:
            if (
                unsaved.kept_in not in self._kept.values()
            ):  # not while a session of this program uses it
                _remove_state(unsaved.kept_in)

    def close(self) -> None:
        """Keep nothing from now on: a slow thread must not bring back what was discarded."""
        with self._lock:
            self._closed = True
            self._instance.release()


def _read(place: Path) -> UnsavedWork | None:
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
        path = Path(content["file"])
        project_path = Path(content["project"]) if content["project"] else None
        opened, edited = (
            replace(
                project_from_mapping(parse(content[key], path.name), path.name), path=project_path
            )
            for key in ("opened", "edited")
        )
        when = datetime.fromtimestamp(place.stat().st_mtime)
        fingerprint = content.get("fingerprint")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, KanonError):
        return None  # from another version, or incomplete
    return UnsavedWork(path, when, opened, edited, fingerprint, place)


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
        run_project = self.project
        return replace(
            project,
            algorithm=run_project.algorithm,
            privacy=run_project.privacy,
            seed=run_project.seed,
        )


def earlier_run(result: FinishedRun, project: Project, when: datetime) -> EarlierRun:
    """Return the record of a result."""
    run_project = result.project or project
    measured = result.measures
    required = run_project.privacy.requirements
    named = [requirement for requirement in required if getattr(requirement, "values", ())]
    without_values = tuple(
        replace(requirement, values=())  # type: ignore[call-arg]
        if requirement in named
        else requirement
        for requirement in required
    )
    privacy = replace(run_project.privacy, k=result.task.privacy.k, requirements=without_values)
    written = project_to_mapping(replace(run_project, privacy=privacy))
    return EarlierRun(
        when=when.replace(microsecond=0),
        settings={name: written[name] for name in ("algorithm", "privacy", "seed")},
        repeatable=not named,
        seconds=round(result.seconds, 3),
        figures={name: float(getattr(measured, name)) for name in FIGURES},
    )


class RunHistory:
    """A history of runs in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "runs"
        self._lock = threading.Lock()

    def runs(self, project: Project) -> tuple[EarlierRun, ...]:
        """Return the runs of a project, the latest first; of a new one those of its data file."""
        read = (_read_list(place) for place in self._places(project))
        histories = (tuple(filter(None, map(_read_run, entries))) for entries in read)
        return next(filter(None, histories), ())

    def add(self, project: Project, run: EarlierRun) -> None:
        """Add a run as the latest."""
        with self._lock:
            past_runs = [_written(past_run) for past_run in self.runs(project)]
            runs = [_written(run), *past_runs][:MOST_RUNS]
            write_state(self._places(project)[0], json.dumps(runs, indent=1))

    def clear(self, project: Project) -> None:
        """Delete the runs of a project."""
        for place in self._places(project):
            with suppress(FileNotFoundError, NotADirectoryError):
                place.unlink()

    def _places(self, project: Project) -> list[Path]:
        """Return the files of a project's runs: its own if it has a file, and that of its data."""
        paths = [path for path in (project.path, project.data_path) if path is not None]
        return [self._folder / f"{file_key(path)}.json" for path in paths]


def _written(run: EarlierRun) -> dict[str, Any]:
    return {**asdict(run), "when": run.when.isoformat()}


def _read_run(entry: Any) -> EarlierRun | None:
    """Return a run; None for one of another version."""
    try:
        run = EarlierRun(**{**entry, "when": datetime.fromisoformat(entry["when"])})
        is_known = run.project.algorithm.name in ALGORITHMS and set(run.figures) == set(FIGURES)
    except (ValueError, KeyError, TypeError, KanonError):
        return None
    return run if is_known else None
