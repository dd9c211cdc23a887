"""The workers of a Dask cluster: jobs as tasks, results as files that every machine can read.

The data and results of jobs go through files of a work folder beside the release, for its owner
alone. The scheduler sees numbers and names of files: no value of the data reaches its logs, its
dashboard or the keys of tasks. A job depends on its files alone, so that a job whose worker is lost
is repeated by another worker, and a result that exists already is not computed again. Errors of a
job are returned, not raised: a worker would log them together with the arguments.

Client, scheduler and workers of Dask execute code that the others send. Whoever can connect to one
of them, or takes the place of the scheduler, runs code as the user of the run. So a scheduler that
a project names must be trusted explicitly, and one without TLS allowed explicitly.

Reference: Rocklin, Dask: parallel computation with blocked algorithms and task scheduling (2015).
"""

import os
import pickle
import secrets
import signal
import socket
import sys
import time
import traceback
from asyncio import CancelledError
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from multiprocessing import resource_tracker
from pathlib import Path
from threading import Lock
from typing import Any

from kanon_tui.core import errors
from kanon_tui.core.errors import InfrastructureError, InputError, KanonError
from kanon_tui.core.optional import require
from kanon_tui.core.processes.workers import Job, Processes, Workers, cores
from kanon_tui.core.table.atomic_files import work_folder
from kanon_tui.core.table.writing import Target
from kanon_tui.core.version import __version__

PATIENCE = 20.0
"""Seconds to wait for a scheduler, and for its first worker."""
_QUICK = 5.0
"""Seconds to wait until something listens at the address of a scheduler."""
_RETRIES = 3
_LOOK_AGAIN = 0.2
"""Seconds between two checks of what the workers do."""
_OTHER_ENGINE = "use --engine stream"

_ENVIRONMENT = {
    "PYTHONSAFEPATH": "1",
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
}
"""For processes of our own cluster: they import nothing from the current folder, and when a signal
ends the run, Python does not warn of what it then removes."""

_at_work: Counter[str] = Counter()
"""The number of jobs of each batch that run in this process."""
_given_up: set[str] = set()
"""Batches of which no further job is started in this process."""
_lock = Lock()

JobOutcome = tuple[Any, ...]
"""(True, name of the file with the answer), or (False, kind of error, sentence)."""


@dataclass(eq=False, repr=False)
class PickledJob:
    """A job whose printed form shows nothing of its arguments."""

    folder: Path
    answer: str
    """The name of the file with the result, without its ending."""
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    shared: str = ""
    """The name of the file with the data that all jobs of a pass need."""
    batch: str = ""

    def __repr__(self) -> str:
        return "PickledJob()"

    def __sizeof__(self) -> int:
        return 256


@dataclass(eq=False, repr=False)
class Setup:
    """The setup of a search helper; every worker prepares it once."""

    prepare: Callable[..., Any]
    setup: tuple[Any, ...]

    @cached_property
    def handle(self) -> Callable[[Any], Any]:
        """The function that handles a job."""
        made: Callable[[Any], Any] = self.prepare(*self.setup)
        return made


def handle_search_job(setup: Setup, job: Any) -> Any:
    """Handle one job of a search."""
    return setup.handle(job)


def run_job(job: PickledJob) -> JobOutcome:
    """Run a job and leave its result in a file."""
    path = job.folder / f"{job.answer}.pickle"
    if path.exists():  # done by a worker that was lost since
        return True, path.name
    with _lock:
        if job.batch in _given_up:  # it arrived after all were cancelled
            return False, "InfrastructureError", "cancelled; nothing was written"
        _at_work[job.batch] += 1
    try:
        answer = job.function(_shared(job.folder / job.shared), *job.arguments)
        aside = path.with_suffix(f".{os.getpid()}.aside")
        aside.write_bytes(pickle.dumps(answer, protocol=5))
        aside.replace(path)
    except KanonError as error:
        return False, type(error).__name__, str(error)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return False, "InfrastructureError", (
            f"a worker of the cluster failed ({type(error).__name__} at {place}); nothing was "
            "written"
        )  # fmt: skip
    finally:
        with _lock:
            _at_work[job.batch] -= 1
    return True, path.name


def cancel_batch(batch: str) -> int:
    """Start no further job of a batch on this worker; return how many are running."""
    with _lock:
        _given_up.add(batch)
        return _at_work[batch]


@lru_cache(maxsize=2)
def _shared(path: Path) -> Any:
    """Return the data that all jobs of a pass need, which every worker reads once."""
    return pickle.loads(path.read_bytes())


def own_version() -> str:
    """Return the version of the package on this worker."""
    return __version__


def first_unreadable(paths: Sequence[str]) -> str | None:
    """Return the first of these files and folders that this worker cannot read, or None."""
    return next((path for path in paths if not os.access(path, os.R_OK)), None)


class Cluster(Workers):
    """Workers of a Dask cluster."""

    def __init__(self, client: Any, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.batch = secrets.token_hex(8)
        """The batch of jobs that are cancelled together."""
        self._futures: list[Any] = []

    def map(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results in the order of the arguments."""
        futures = self.submit(job, shared, arguments)
        for future in futures:
            self._await(future, futures)
            yield self.answer(future)

    def _await(self, future: Any, jobs: Sequence[Any]) -> None:
        """Wait for a result, and report meanwhile how many of the jobs are done."""
        import distributed

        wait: Callable[..., Any] = distributed.wait
        while True:
            self.report_progress(sum(job.done() for job in jobs), len(jobs))
            if future.done():
                return
            try:
                wait([future], timeout=_LOOK_AGAIN)
            except TimeoutError:
                continue
            except (Exception, CancelledError):  # the cluster is lost: `answer` raises the error
                return

    @property
    def helpers(self) -> Callable[..., Processes]:
        """The workers as helpers of a search."""
        return partial(ClusterHelpers, self)

    def check_readable(self, paths: Sequence[Path]) -> None:
        """Refuse files that not all workers can read."""
        found = self.client.run(first_unreadable, list(map(str, paths)))
        for worker, path in found.items():
            if path is not None:
                raise InputError(
                    f"the worker {worker} cannot read {path}; put the data and the release where "
                    "every worker sees them under the same path, as the same user"
                )

    def stop(self) -> None:
        """Cancel jobs that have not begun, and wait for those that workers are in the middle of."""
        with suppress(Exception):
            self.client.cancel(self._futures, force=True)
        self._futures.clear()
        batch = self.batch
        self.batch = secrets.token_hex(8)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                busy = self.client.run(cancel_batch, batch, on_error="ignore")
            except Exception:  # the cluster is lost, and with it all jobs
                return
            if not any(busy.values()):
                return
            time.sleep(_LOOK_AGAIN)

    def submit(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the futures of jobs, one for every tuple of arguments."""
        self._futures = [future for future in self._futures if not future.done()]
        token = secrets.token_hex(4)
        path = self.folder / f"shared-{token}.pickle"
        path.write_bytes(pickle.dumps(shared, protocol=5))
        futures = []
        for number, each in enumerate(arguments):
            name = f"{token}-{number:06}"
            sent = PickledJob(self.folder, f"answer-{name}", job, each, path.name, self.batch)
            key = f"kanon-{job.__name__}-{name}"
            futures.append(self.client.submit(run_job, sent, key=key, pure=False, retries=_RETRIES))
        self._futures += futures
        return futures

    def answer(self, future: Any) -> Any:
        """Return the result of a task, or raise the error that it met."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            done, *outcome = future.result()
        except KilledWorker:
            raise InfrastructureError(
                "workers of the cluster ended again and again while they worked on one piece; "
                "give them more memory, or use --engine stream"
            ) from None
        except (FutureCancelledError, OSError, RuntimeError, TimeoutError):
            raise InfrastructureError(
                "the cluster was lost while it worked; nothing was written. Start it again, or use "
                "--engine stream"
            ) from None
        if not done:
            kind, sentence = outcome
            raise getattr(errors, kind, InputError)(sentence)
        path = self.folder / outcome[0]
        answer = pickle.loads(path.read_bytes())
        path.unlink(missing_ok=True)
        return answer


class ClusterHelpers(Processes):
    """The workers of a cluster in place of helper processes."""

    def __init__(
        self, workers: Cluster, count: int, prepare: Callable[..., Any], *setup: Any
    ) -> None:
        self._workers = workers
        self._setup = Setup(prepare, setup)
        self._waiting: dict[Any, int] = {}

    def __exit__(self, *error: object) -> None:
        with suppress(Exception):
            self._workers.client.cancel(list(self._waiting), force=True)

    def submit(self, jobs: Sequence[Any]) -> None:
        """Hand out jobs, which are numbered from 0."""
        futures = self._workers.submit(handle_search_job, self._setup, [(job,) for job in jobs])
        self._waiting = {future: number for number, future in enumerate(futures)}

    def result(self, seconds: float) -> tuple[int, Any] | None:
        """Return the next result, or None if there is none within `seconds`."""
        import distributed

        wait: Callable[..., Any] = distributed.wait
        with suppress(TimeoutError):
            wait(list(self._waiting), timeout=seconds, return_when="FIRST_COMPLETED")
        done = next((future for future in self._waiting if future.done()), None)
        if done is None:
            return None
        number = self._waiting.pop(done)
        return number, self._workers.answer(done)


@contextmanager
def cluster(
    scheduler: str | None, target: Target | None, insecure: bool = False
) -> Iterator[Cluster]:
    """Connect to a scheduler, or start a cluster on this machine, and end it with the block.

    A scheduler without TLS is refused unless `insecure` allows it.
    """
    check_scheduler(scheduler, insecure)
    distributed = require("distributed", "--engine dask", instead=_OTHER_ENGINE)
    with work_folder(target.path if target else None) as folder, ExitStack() as stack:
        address: Any = scheduler or stack.enter_context(_own_cluster(folder))
        security = client_security(scheduler) if scheduler else address.security
        where = scheduler or "of this machine"
        client = stack.enter_context(_closed(_client(distributed.Client, where, address, security)))
        workers = Cluster(client, folder)
        _check_workers(workers, where)
        stack.callback(workers.stop)
        yield workers


@contextmanager
def _closed(connected: Any) -> Iterator[Any]:
    """Give a client or a cluster, and close it after the block."""
    try:
        yield connected
    finally:
        with suppress(Exception):
            connected.close(timeout=5)


@contextmanager
def _own_cluster(folder: Path) -> Iterator[Any]:
    """Start a cluster on this machine that nobody else can talk to, and end it with the block.

    Scheduler, workers and client show a certificate that is made here and kept in memory. The HTTP
    servers, which Dask starts in any case, have no page. A worker that replaces a lost one reads
    these settings again: they hold until the end.
    """
    import dask
    import distributed

    local, security = (getattr(distributed, name) for name in ("LocalCluster", "Security"))
    settings = {
        "distributed.worker.daemon": True,
        "distributed.scheduler.http.routes": [],
        "distributed.worker.http.routes": [],
        "temporary-directory": str(folder),  # workers import modules from it: it must belong to us
    }
    require("cryptography", "--engine dask", instead=_OTHER_ENGINE)
    temporary = security.temporary()
    with dask.config.set(settings), _environment(_ENVIRONMENT):
        _start_tracker()
        with _threads_without_interrupts():
            own = local(
                n_workers=max(cores(), 2),
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any port, without pages
                host="127.0.0.1",
                memory_limit=0,
                silence_logs=50,
                local_directory=str(folder),
                security=temporary,
            )
        with _closed(own):
            yield own


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables for the processes that are started in the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ |= values
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _threads_without_interrupts() -> Iterator[None]:
    """Block Ctrl-C in threads that are started in the block, and in the processes they start.

    A terminal sends it to every process of a run, and the workers of Dask would print tracebacks.
    They end when this process does.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_tracker() -> None:
    """Start the process in which Python notes what its processes share.

    It is given the number of stderr, and the one that the application has put in the place of
    stderr has none, so that no worker could start.
    """
    with redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()


def _client(client: Any, name: str, address: Any, security: Any) -> Any:
    try:
        if isinstance(address, str):  # Dask would try for long: a wrong address is known at once
            host, _, port = address.rpartition("/")[2].rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), _QUICK).close()
        return client(address, timeout=PATIENCE, security=security)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise InputError(
            f"no scheduler answers at {name} ({type(error).__name__}); start it, check the "
            "address (tls://host:8786) and the certificates, or leave --scheduler out"
        ) from None


def _check_workers(workers: Cluster, where: str) -> None:
    """Refuse a cluster without workers, or whose workers have another version of the package."""
    try:
        workers.client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError(
            f"the scheduler {where} has no workers; start some, with dask worker {where}"
        ) from None
    try:
        versions = workers.client.run(own_version)
    except KanonError:
        raise
    except Exception as error:  # the error of a worker without the package has many classes
        raise InputError(
            f"the workers {where} have no kanon-tui {__version__} ({type(error).__name__}); "
            "install the same version there as here"
        ) from None
    for worker, version in versions.items():
        if version != __version__:
            raise InputError(
                f"the worker {worker} has kanon-tui {version}, here it is {__version__}; install "
                "the same version everywhere"
            )
    workers.check_readable([workers.folder])


def check_trusted(scheduler: str | None, trust: bool) -> None:
    """Refuse a scheduler that the project names unless whoever starts the run trusts it."""
    if scheduler is not None and not trust:
        raise InputError(
            f"the project sends the run to the scheduler {scheduler}, which can read the data and "
            "run code as you; add --trust if you know it, or take run.scheduler out of the project"
        )


def check_scheduler(scheduler: str | None, insecure: bool) -> None:
    """Refuse a scheduler without TLS unless the command line allows it."""
    if scheduler is not None and not scheduler.startswith("tls://") and not insecure:
        problem = (
            f"the scheduler {scheduler} is reached without TLS: whoever reaches it or takes its "
            "place can read the data and run code as you; name a tls:// address"
        )
        raise InputError(
            f"{problem}, or add --insecure if nobody else is on the way",
            f"{problem}, or run it with kanon-tui run --insecure if nobody else is on the way",
        )


def client_security(scheduler: str) -> Any:
    """Return the certificates of a client of this scheduler, from Dask's settings."""
    import distributed

    if not scheduler.startswith("tls://"):  # no protocol means tcp://
        return None
    security: Any = getattr(distributed, "Security")(require_encryption=True)  # noqa: B009
    remedy = (
        "name the files in Dask's settings (distributed.comm.tls.ca-file, client.cert and "
        "client.key; see docs/scale.md)"
    )
    try:
        context = security.get_connection_args("client")["ssl_context"]
    except OSError as error:
        raise InputError(
            f"a certificate or key for {scheduler} cannot be read ({type(error).__name__}); "
            f"{remedy}"
        ) from None
    if context is None:
        raise InputError(f"{scheduler} needs a certificate of this program; {remedy}")
    return security
