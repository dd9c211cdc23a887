"""Nobody else can talk to a cluster of our own, and no run goes where nobody agreed to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import dask
import psutil
import pytest
from distributed import LocalCluster

from kanon_tui.core.dask.cluster import cluster
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.stream import stream, workers_of
from tests.core.pipeline.test_stream import people, project
from tests.waiting import PATIENCE

INTRUDER = """
import asyncio, json, os, ssl, sys, urllib.request
import dask
from distributed import Client, Security, rpc

PATHS = (
    "", "status", "health", "metrics", "json/counts.json", "json/identity.json", "sitemap.json",
    "info/main/workers.html", "statics/css/base.css", "api/v1/get_workers", "proxy/1/127.0.0.1",
)

def mark(path):
    open(path, "w").close()

async def told(address, security):
    try:
        arguments = security.get_connection_args("client")
        async with rpc(address, timeout=2, connection_args=arguments) as remote:
            return [address, str(await asyncio.wait_for(remote.identity(), 5))]
    except Exception:
        return None

def page(address):
    try:
        context = ssl._create_unverified_context()
        with urllib.request.urlopen(address, timeout=5, context=context) as answer:
            return [address, answer.read().decode()]
    except Exception:
        return None

async def ask(addresses):
    tries = [told(f"tcp://{each}", Security()) for each in addresses]
    tries += [told(f"tls://{each}", Security.temporary()) for each in addresses]
    for path in PATHS:
        tries += [asyncio.to_thread(page, f"http://{each}/{path}") for each in addresses]
    tries += [asyncio.to_thread(page, f"https://{each}/") for each in addresses]
    return [found for found in await asyncio.gather(*tries) if found]

marker, scheduler, *ports = sys.argv[1:]
dask.config.set({"distributed.comm.timeouts.connect": "2s"})
found = asyncio.run(ask([f"127.0.0.1:{port}" for port in ports]))
for protocol, security in (("tcp", None), ("tls", Security.temporary())):
    try:
        client = Client(f"{protocol}://{scheduler}", timeout=2, security=security)
        client.run_on_scheduler(mark, marker)
        found.append([protocol, "client"])
    except Exception:
        pass
print(json.dumps(found), flush=True)
os._exit(0)
"""


def listening() -> set[int]:
    """The ports at which this process and those that it started listen."""
    own = psutil.Process()
    return {
        each.laddr.port
        for process in (own, *own.children(recursive=True))
        for each in process.net_connections("inet")
        if each.status == psutil.CONN_LISTEN
    }


def intrude(folder: Path, scheduler: str, ports: set[int]) -> tuple[dict[str, str], bool]:
    """Return what another process is told by address, and whether it had code executed."""
    script = folder / "intruder.py"
    marker = folder / "marker"
    script.write_text(INTRUDER)
    place = scheduler.partition("://")[2]
    done = subprocess.run(
        [sys.executable, "-P", script, marker, place, *map(str, sorted(ports))],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)), marker.exists()


@pytest.mark.slow
def test_a_process_without_the_key_is_told_nothing_and_runs_nothing(tmp_path: Path) -> None:
    before = listening()
    with cluster(None, None) as workers:
        ports = listening() - before
        assert len(ports) >= 8  # scheduler, two workers, their HTTP servers, and two nannies
        told, executed = intrude(tmp_path, workers.client.scheduler_info()["address"], ports)
        assert workers.client.submit(len, "abc").result() == 3
    assert not executed
    # Dask always answers there, with the list of its pages: this one alone
    assert all(address.endswith("/sitemap.json") for address in told)
    assert set(told.values()) <= {'{"paths": ["/sitemap.json"]}'}


@pytest.mark.slow
def test_the_same_process_gets_into_a_cluster_that_is_open(tmp_path: Path) -> None:
    """Every way in that is closed above leads somewhere."""
    before = listening()
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as open_to_all:
        ports = listening() - before
        told, executed = intrude(tmp_path, open_to_all.scheduler_address, ports)
    assert executed
    assert sum(address.startswith("tcp://") for address in told) >= 5
    assert sum(address.endswith("/health") for address in told) >= 3


def search_path() -> list[str]:
    return list(sys.path)


@pytest.mark.slow
def test_modules_come_from_no_folder_that_others_can_write_to() -> None:
    before = set(sys.path)
    with cluster(None, None) as workers:
        by_workers = workers.client.run(search_path).values()
        added = {entry for path in (sys.path, *by_workers) for entry in path} - before
        assert added
        assert all(Path(entry).is_relative_to(workers.folder) for entry in added)
        assert workers.folder.stat().st_mode & 0o077 == 0
    assert set(sys.path) == before


def sent_to(folder: Path, scheduler: str):
    people(20).write_csv(folder / "in.csv")
    return project(folder / "in.csv", run={"engine": "dask", "scheduler": scheduler})


def test_a_project_cannot_send_a_run_anywhere_by_itself(tmp_path: Path) -> None:
    for scheduler in ("tls://127.0.0.1:1", "tcp://127.0.0.1:1"):
        with pytest.raises(InputError, match=rf"{scheduler}.*--trust"):
            stream(sent_to(tmp_path, scheduler), tmp_path / "out.csv", insecure=True)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:1", "127.0.0.1:1", "ws://127.0.0.1:1"])
def test_without_tls_only_the_command_line_allows_it(tmp_path: Path, scheduler: str) -> None:
    refused = pytest.raises(InputError, match=rf"{scheduler} .*without TLS.*--insecure")
    with refused, workers_of(sent_to(tmp_path, scheduler), None, trust=True):
        pass


def test_certificates_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"certificate.*distributed\.comm\.tls\.ca-file"):
        stream(sent_to(tmp_path, "tls://127.0.0.1:1"), trust=True)
    gone = str(tmp_path / "gone.pem")
    names = ("ca-file", "client.cert", "client.key")
    with (
        dask.config.set({f"distributed.comm.tls.{name}": gone for name in names}),
        pytest.raises(InputError, match=r"cannot be read \(FileNotFoundError\)"),
    ):
        stream(sent_to(tmp_path, "tls://127.0.0.1:1"), trust=True)
