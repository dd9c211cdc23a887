"""A Dask cluster gives the bytes of this machine, also when a worker is lost on the way."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from multiprocessing import resource_tracker
from pathlib import Path

import dask
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.sweep.sweep import points_by, sweep
from kanon_tui.core.dask import cluster as clusters
from kanon_tui.core.dask.cluster import Cluster, PickledJob, cancel_batch, cluster, run_job
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target
from kanon_tui.core.task.task import RunContext
from tests.core.algorithms.test_distributed import many_attributes
from tests.core.pipeline.compared import check_same, figures, mapped
from tests.core.pipeline.test_stream import people, project
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

PIECES = (1000, 40)
"""Bytes and records at a time: more pieces than are merged at once."""


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    place = tmp_path_factory.mktemp("cluster")
    with cluster(None, Target(place / "release", folder=True)) as workers:
        yield workers


@pytest.fixture
def certified(two_workers, tmp_path_factory):
    """The address of that cluster; Dask's settings name files with its certificate and key."""
    place = tmp_path_factory.mktemp("certificates")
    security = two_workers.client.security
    (place / "ca.pem").write_text(security.tls_ca_file)
    (place / "cert.pem").write_text(security.tls_client_cert)
    (place / "key.pem").write_text(security.tls_client_key)
    settings = {
        "distributed.comm.tls.ca-file": str(place / "ca.pem"),
        "distributed.comm.tls.client.cert": str(place / "cert.pem"),
        "distributed.comm.tls.client.key": str(place / "key.pem"),
    }
    with dask.config.set(settings):
        yield two_workers.client.scheduler_info()["address"]


@pytest.fixture
def asked(tmp_path):
    people(400).write_csv(tmp_path / "in.csv")
    return project(tmp_path / "in.csv", privacy={"k": 3, "l": 2, "max_suppression": 0.1})


class WithoutNumber:
    """What the application puts in the place of stderr."""

    def fileno(self) -> int:
        return -1

    def write(self, text: str) -> None: ...

    def flush(self) -> None: ...


def test_workers_start_from_within_the_application(monkeypatch):
    tracker = resource_tracker.ResourceTracker()
    monkeypatch.setattr(clusters.resource_tracker, "ensure_running", tracker.ensure_running)
    monkeypatch.setattr(sys, "stderr", WithoutNumber())
    clusters._start_tracker()
    assert tracker._check_alive()
    tracker._stop()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class Losing(Cluster):
    """Ends a worker process after so many answers of a kind of job."""

    def __init__(self, workers: Cluster, job: str, after: int) -> None:
        super().__init__(workers.client, workers.folder)
        self.job = job
        self.after = after
        self.lost = 0

    def map(self, job, shared, arguments):
        for done, answer in enumerate(super().map(job, shared, arguments)):
            if job.__name__ == self.job and done == self.after and not self.lost:
                self._lose()
            yield answer

    def _lose(self) -> None:
        self.lost = next(iter(self.client.run(os.getpid).values()))
        os.kill(self.lost, signal.SIGKILL)


def test_the_same_bytes_whoever_is_lost_on_the_way(two_workers, asked, tmp_path):
    expected = mapped(asked, Target(tmp_path / "here", folder=True), None, PIECES, rows=100)
    for number, workers in enumerate(
        (
            two_workers,
            Losing(two_workers, "code_piece", 0),
            Losing(two_workers, "code_piece", 3),
        )
    ):
        target = Target(tmp_path / f"there{number}", folder=True)
        found = mapped(asked, target, workers, PIECES, rows=100)
        assert contents(target.path) == contents(tmp_path / "here")
        assert figures(found) == figures(expected)
        assert not isinstance(workers, Losing) or workers.lost
        two_workers.client.wait_for_workers(1, timeout=240)
    assert len(contents(tmp_path / "here")) > 1


@pytest.mark.parametrize(("name", "cell"), [("mondrian", "..1989-12-31]"), ("global", "50-59")])
def test_round_ends_are_the_same_on_every_engine(two_workers, tmp_path, name, cell):
    """A full-domain search publishes labels, not ranges."""
    table = people(120).with_columns(
        pl.Series("born", [f"{1950 + n % 40}-0{1 + n % 9}-1{n % 9}" for n in range(120)])
    )
    table.write_csv(tmp_path / "in.csv")
    quasi = {"role": "quasi", "publish": "rounded"}
    levels = {"builder": "intervals", "widths": [10, 20]}
    asked = project(
        tmp_path / "in.csv",
        attributes={
            "age": {**quasi, "kind": "numeric", "hierarchy": levels},
            "born": {**quasi, "kind": "date"},
        },
        privacy={"k": 3, "max_suppression": 0.1},
        algorithm={"name": name},
    )
    for how in ({}, {"workers": two_workers, "pieces": PIECES}):
        assert check_same(asked, tmp_path, **how) == ""
    assert cell in (tmp_path / "memory.csv").read_text()


class CancelError(Exception):
    """Somebody pressed Esc."""


class Cancelling(Cluster):
    """Raises when the first answer of a kind of job is there, others being at work."""

    job = ""

    def map(self, job, shared, arguments):
        for answer in super().map(job, shared, arguments):
            if job.__name__ == self.job:
                raise CancelError
            yield answer

    def submit(self, job, shared, arguments):
        futures = super().submit(job, shared, arguments)
        if job.__name__ == self.job == "handle_search_job":
            raise CancelError
        return futures


def check_cancelled(two_workers, there, folder, job, work) -> None:
    """Work that is cancelled at a job leaves no task, nobody at work and no file."""
    client = two_workers.client
    before = sorted(os.listdir(folder))
    known = tasks_of(client)
    batches: list[str] = []

    def cancelled() -> None:
        with cluster(there, Target(folder / "release", folder=True)) as workers:
            cancelling = Cancelling(workers.client, workers.folder)
            batches.append(cancelling.batch)
            cancelling.job = job
            with cancelling.stopped_by_errors():
                work(cancelling)

    with pytest.raises(CancelError):
        cancelled()
    assert sorted(os.listdir(folder)) == before
    wait_until(lambda: tasks_of(client) <= known)
    assert not any(client.run(cancel_batch, batches[0]).values())


@pytest.mark.parametrize("job", ["code_piece"])
def test_cancelling_frees_the_cluster_and_leaves_nothing(
    two_workers, certified, asked, tmp_path, job
):
    target = Target(tmp_path / "release", folder=True)

    def work(workers: Cluster) -> None:
        mapped(asked, target, workers, rows=11)

    check_cancelled(two_workers, certified, tmp_path, job, work)


def test_cancelling_a_search_frees_the_cluster(two_workers, certified, tmp_path):
    algorithm = ALGORITHMS["distributed"](part=30, workers=2)

    def search(workers: Cluster) -> None:
        Run(many_attributes(9), algorithm, RunContext(helpers=workers.helpers)).finish()

    check_cancelled(two_workers, certified, tmp_path, "handle_search_job", search)


def tasks_of(client) -> set[str]:
    """The tasks that the scheduler knows."""
    return set(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))


def test_no_value_reaches_keys_or_logs(two_workers, asked, tmp_path):
    mapped(asked, Target(tmp_path / "out.csv"), two_workers, PIECES, rows=40)
    client = two_workers.client
    logs = str(client.get_scheduler_logs(n=10_000)) + str(client.get_worker_logs(n=10_000))
    keys = str(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))
    for value in ("Milan", "Öland", "hiv", "p17", "flu"):
        assert value not in logs
        assert value not in keys
    job = PickledJob(tmp_path, "a", people, ("Milan",))
    assert "Milan" not in repr(job)


def test_a_job_that_fails_says_a_sentence_and_raises_nothing(tmp_path):
    def refuse(shared):
        raise InputError("column 'age' is empty")

    def stumble(shared):
        raise ValueError("Milan")

    (tmp_path / "s").write_bytes(__import__("pickle").dumps(None))
    refused = run_job(PickledJob(tmp_path, "one", refuse, (), "s"))
    assert refused == (False, "InputError", "column 'age' is empty")
    done, kind, said = run_job(PickledJob(tmp_path, "two", stumble, (), "s"))
    assert not done
    assert kind == "InfrastructureError"
    assert "Milan" not in said


def test_a_distributed_search_has_its_parts_solved_by_the_workers(two_workers):
    task = many_attributes(9)
    algorithm = ALGORITHMS["distributed"](part=30, workers=2)
    here = Run(task, algorithm).finish()
    made = []

    def helpers(*setup):
        made.append(two_workers.helpers(*setup))
        return made[-1]

    there = Run(task, algorithm, RunContext(helpers=helpers)).finish()
    assert made
    assert here is not None
    assert there is not None
    assert there.levels == here.levels
    assert there.search["answer"] == here.search["answer"]


def test_the_points_of_a_sweep_are_solved_by_the_workers(two_workers, asked):
    points = sweep(asked, ["mondrian", "global"], [2, 5])
    there = list(points_by(two_workers, points))
    here = points.in_order(list(points))
    assert [replace(each, seconds=None) for each in there] == [
        replace(each, seconds=None) for each in here
    ]


def test_refusals_are_one_sentence_each(two_workers, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "PATIENCE", 1.0)
    unreachable = pytest.raises(InputError, match=r"no scheduler answers at tcp://127.0.0.1:1")
    with unreachable, cluster("tcp://127.0.0.1:1", None, insecure=True):
        pass
    with pytest.raises(InputError, match=r"cannot read .*gone\.csv; put the data"):
        two_workers.check_readable([tmp_path / "gone.csv"])
    monkeypatch.setattr(clusters, "__version__", "9.9.9")
    with pytest.raises(InputError, match=r"has kanon-tui .*, here it is 9\.9\.9"):
        clusters._check_workers(two_workers, None)
    assert os.listdir(tmp_path) == []


def test_a_part_that_is_damaged_is_named(two_workers, tmp_path):
    (tmp_path / "parts").mkdir()
    for name in "ab":
        people(50).write_parquet(tmp_path / "parts" / f"{name}.parquet")
    asked = project(tmp_path / "parts")
    damaged = tmp_path / "parts" / "b.parquet"
    content = damaged.read_bytes()
    damaged.write_bytes(content[:4] + b"\0" * (len(content) - 2000) + content[-1996:])
    with pytest.raises(InputError, match=r"b\.parquet is not a readable Parquet file"):
        mapped(asked, Target(tmp_path / "out", folder=True), two_workers)
    assert os.listdir(tmp_path) == ["parts"]


def test_a_single_file_is_the_same_as_well(two_workers, asked, tmp_path):
    mapped(asked, Target(tmp_path / "here.parquet"), None, PIECES, rows=40)
    mapped(asked, Target(tmp_path / "there.parquet"), two_workers, PIECES, rows=40)
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()
    frame = read_table(tmp_path / "there.parquet", ReadOptions()).frame
    assert isinstance(frame, pl.DataFrame)
