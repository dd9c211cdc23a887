"""Runs beyond memory: clock, CPU and peak memory, phase by phase, from 10^4 to 10^8 records.

    python -m benchmarks.scale --records 10000,100000,1000000 --algorithm mondrian,global
    python -m benchmarks.scale --records 10000000,100000000 --memory 8GB --engines floor,stream
    python -m benchmarks.scale --records 1000000 --engines floor,memory,stream,dask:1,dask:2

Every measurement is a process of its own, so that its peak memory is its own. The floor is what
Polars takes to scan the same file, group it once by the quasi-identifiers and sink it. `dask:2` is
a cluster of two worker processes on this machine. Figures are printed, never asserted.

Processor seconds are those of the process that runs, with its threads; of a cluster only those of
all its processes together are known, and its phases are told by the clock. The exponents are those
from one size to the next, of the same figures: what others do on the machine changes the clock.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from kanon_tui.core.project.project import Project

QUASI = ("age", "sex", "state", "education", "job", "children", "born")
ILLNESSES = ["none", "flu", "cancer", "asthma", "hiv"]
PIECE = 1_000_000


def generate(path: Path, records: int, seed: int = 0) -> None:
    """A census of people that never were: seven quasi-identifiers, two sensitive columns."""
    writer_parts = []
    for start in range(0, records, PIECE):
        n = min(PIECE, records - start)
        rng = np.random.default_rng([seed, start])
        age = np.clip(rng.normal(42, 18, n), 0, 99).astype(int)
        part = pl.DataFrame(
            {
                "id": np.arange(start, start + n),
                "age": age,
                "sex": rng.integers(0, 2, n),
                "state": rng.zipf(1.6, n).clip(1, 50),
                "education": rng.binomial(15, 0.5, n),
                "job": rng.zipf(1.4, n).clip(1, 400),
                "children": rng.poisson(1.2, n).clip(0, 9),
                "born": 2026 - age,
                "income": (rng.lognormal(10, 0.6, n) / 100).astype(int) * 100,
                "ill": rng.integers(0, 5, n),
            }
        ).with_columns(
            sex=pl.lit(pl.Series(["female", "male"])).gather(pl.col("sex")),
            state=pl.format("S{}", "state"),
            education=pl.format("E{}", "education"),
            job=pl.format("J{}", "job"),
            ill=pl.lit(pl.Series(ILLNESSES)).gather(pl.col("ill")),
        )
        writer_parts.append(path.with_name(f"{path.stem}.{start:012}.parquet"))
        part.write_parquet(writer_parts[-1])
    lazy = pl.scan_parquet(writer_parts)
    if path.suffix == ".parquet":
        lazy.sink_parquet(path, row_group_size=250_000)
    else:
        lazy.sink_csv(path)
    for part_path in writer_parts:
        part_path.unlink()


def project_text(data: Path, algorithm: str, k: int) -> str:
    """The project that is run."""
    roles = dict.fromkeys(QUASI, "{role: quasi, kind: categorical}")
    roles |= {
        "age": "{role: quasi, kind: numeric, hierarchy: {builder: intervals, widths: [5, 10, 20]}}",
        "born": "{role: quasi, kind: numeric, hierarchy: {builder: intervals, widths: [5, 20]}}",
        "children": "{role: quasi, kind: numeric, hierarchy: {builder: intervals, widths: [3]}}",
        "id": "{role: identifier, kind: categorical}",
        "income": "{role: sensitive, kind: numeric}",
        "ill": "{role: sensitive, kind: categorical}",
    }
    lines = [f"data: {{path: {data.resolve()}, header: true}}", "attributes:"]
    lines += [f"  {name}: {spec}" for name, spec in roles.items()]
    lines += [f"privacy: {{k: {k}, max_suppression: 0.01}}", f"algorithm: {{name: {algorithm}}}"]
    return "\n".join(lines) + "\n"


PHASES = ("reading", "search", "recoding", "measuring", "writing", "verifying")
_PHASES = {"read": "reading", "prepare": "reading", "recode": "recoding", "verify": "verifying",
           "measure": "measuring", "write": "writing"}  # fmt: skip


def floor(folder: Path, data: Path) -> None:
    """What Polars takes for the least that has to be done."""
    lazy = pl.scan_parquet(data) if data.suffix == ".parquet" else pl.scan_csv(data)
    lazy.group_by(QUASI).len().collect(engine="streaming")
    out = folder / f"floor{data.suffix}"
    lazy.sink_parquet(out) if data.suffix == ".parquet" else lazy.sink_csv(out)


def run(project: Project, out: Path) -> dict[str, float]:
    """Run a project; return the processor seconds of its phases."""
    from kanon_tui.core.pipeline.engine_choice import workers_of
    from kanon_tui.core.pipeline.run import conclude, start
    from kanon_tui.core.report import finished_run
    from kanon_tui.core.table.writing import Target

    finished_run.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[assignment]
    options = replace(project.data.read_options, limit=10**12)
    project = replace(project, data=replace(project.data, read_options=options))
    with workers_of(project, Target(out), trust=True, insecure=True) as workers:
        made = start(project, accept_guesses=True, workers=workers)
        result = conclude(made, made.project)
    with finished_run.timed(result.phases, "write"):
        result.write(out, force=True)
    seconds: dict[str, float] = {}
    for name, spent in result.phases.items():
        phase = _PHASES.get(name, name)
        seconds[phase] = seconds.get(phase, 0.0) + spent
    return seconds


def work(engine: str, folder: Path, data: Path, memory: str | None) -> dict[str, float]:
    """One measurement, in this process."""
    from kanon_tui.core.project.project import Project, with_overrides

    began = time.perf_counter()
    phases = {}
    kind, _, workers = engine.partition(":")
    out = folder / f"release-{kind}{data.suffix}"
    if kind == "floor":
        floor(folder, data)
    elif kind == "dask":
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=int(workers or 2), threads_per_worker=1, processes=True,
            dashboard_address=None, memory_limit=0, silence_logs=50,
        ) as cluster:  # fmt: skip
            given = {"memory": memory, "engine": kind, "scheduler": cluster.scheduler_address}
            began = time.perf_counter()
            phases = run(with_overrides(Project.load(folder / "project.yaml"), run=given), out)
    else:
        given = {"memory": memory, "engine": kind}
        project = with_overrides(Project.load(folder / "project.yaml"), run=given)
        phases = run(project, out)
    wall = time.perf_counter() - began
    own, children = (resource.getrusage(who) for who in
                     (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip
    peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
    return {
        "wall": wall,
        "cpu": sum(u.ru_utime + u.ru_stime for u in (own, children)),
        "peak GB": int(peak) * 1024 / 1e9,
        **{name: phases[name] for name in PHASES if name in phases},
    }


def measure(engine: str, folder: Path, data: Path, memory: str | None) -> dict[str, float] | str:
    """The figures of one measurement, or what went wrong."""
    command = [sys.executable, "-m", "benchmarks.scale", "--work", engine, str(folder), str(data)]
    if memory:
        command += ["--memory", memory]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1][:200]
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def exponents(small: dict[str, float], large: dict[str, float], times: float) -> str:
    """How every figure grew while the records grew so many times."""
    grown = (
        f"{name} {math.log(large[name] / small[name]) / math.log(times):.2f}"
        for name in large
        if min(small.get(name, 0.0), large[name]) >= 0.01
    )
    return "  ".join(grown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", default="10000,100000,1000000")
    parser.add_argument("--engines", default="floor,memory,stream")
    parser.add_argument("--algorithm", default="mondrian")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--format", choices=("csv", "parquet"), default="parquet")
    parser.add_argument("--memory")
    parser.add_argument("--folder", type=Path, help="where files are made; needs some space")
    parser.add_argument("--data", type=Path, help="a file that was generated before")
    parser.add_argument("--work", nargs=3, metavar=("ENGINE", "FOLDER", "DATA"))
    args = parser.parse_args()
    if args.work:
        engine, folder, data = args.work
        print(json.dumps(work(engine, Path(folder), Path(data), args.memory)))
        return
    before: dict[tuple[str, str], tuple[int, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory(dir=args.folder) as place:
        folder = Path(place)
        for records in map(int, args.records.split(",")):
            data = folder / f"people.{args.format}"
            if args.data is None:
                generate(data, records)
            else:
                data = args.data
            for algorithm in args.algorithm.split(","):
                (folder / "project.yaml").write_text(project_text(data, algorithm, args.k))
                print(f"{records:,} records, {data.stat().st_size / 1e6:,.1f} MB {args.format}, "
                      f"{algorithm}, k = {args.k}", flush=True)  # fmt: skip
                for engine in args.engines.split(","):
                    found = measure(engine, folder, data, args.memory)
                    if isinstance(found, str):
                        print(f"  {engine:8} failed: {found}", flush=True)
                        continue
                    figures = "  ".join(f"{name} {value:,.2f}" for name, value in found.items())
                    print(f"  {engine:8} {figures}", flush=True)
                    if (engine, algorithm) in before:
                        size, small = before[engine, algorithm]
                        grown = exponents(small, found, records / size)
                        print(f"  {'':8} like n^  {grown}", flush=True)
                    before[engine, algorithm] = records, found


if __name__ == "__main__":
    main()
