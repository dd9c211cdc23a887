"""Runs beyond memory: wall, CPU and peak memory from 10^4 to 10^8 generated records.

    python -m benchmarks.scale --records 10000,100000,1000000 --algorithm mondrian
    python -m benchmarks.scale --records 10000000 --memory 2GB --format parquet
    python -m benchmarks.scale --records 1000000 --engines floor,memory,stream,dask

Every measurement is a process of its own, so that its peak memory is its own. The floor is what
Polars takes to scan the same file, group it once by the quasi-identifiers and sink it. Figures are
printed, never asserted; the exponent is that of the time from one size to the next.
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
from pathlib import Path

import numpy as np
import polars as pl

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


def work(engine: str, folder: Path, data: Path, memory: str | None) -> dict[str, float]:
    """One measurement, in this process."""
    phases: dict[str, float] = {}
    began = last = time.perf_counter()
    doing = "read"

    def progress(what: str, share: float) -> None:
        nonlocal doing, last
        if what != doing:
            now = time.perf_counter()
            phases[doing] = phases.get(doing, 0.0) + now - last
            doing, last = what, now

    if engine == "floor":
        lazy = pl.scan_parquet(data) if data.suffix == ".parquet" else pl.scan_csv(data)
        lazy.group_by(QUASI).len().collect(engine="streaming")
        out = folder / f"floor{data.suffix}"
        lazy.sink_parquet(out) if data.suffix == ".parquet" else lazy.sink_csv(out)
    else:
        from dataclasses import replace

        from kanon_tui.core.engine.stream import run_stream, workers_of
        from kanon_tui.core.engine.target import Target
        from kanon_tui.core.project.overrides import with_overrides
        from kanon_tui.core.project.project import Project
        from kanon_tui.core.run.result import anonymize

        project = Project.load(folder / "project.yaml")
        project = with_overrides(project, run={"memory": memory, "engine": engine})
        out = folder / f"release-{engine}{data.suffix}"
        if engine == "memory":
            project = replace(project, data=replace(project.data, read_options=replace(
                project.data.read_options, limit=10**12)))  # fmt: skip
            anonymize(project).write(out, force=True)
        else:
            target = Target(out)
            with workers_of(project, target) as workers:
                run_stream(project, workers, target, None, True, progress)
    progress("", 1.0)
    own, children = (resource.getrusage(who) for who in
                     (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))  # fmt: skip
    return {
        "wall": time.perf_counter() - began,
        "cpu": sum(u.ru_utime + u.ru_stime for u in (own, children)),
        "peak_mb": own.ru_maxrss / 1024,
        **{f"· {name}": seconds for name, seconds in phases.items()},
    }


def measure(engine: str, folder: Path, data: Path, memory: str | None) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale", "--work", engine, str(folder), str(data)]
    if memory:
        command += ["--memory", memory]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": math.nan, done.stderr.strip().splitlines()[-1][:200]: math.nan}
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


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
    before: dict[str, tuple[int, float]] = {}
    with tempfile.TemporaryDirectory(dir=args.folder) as place:
        folder = Path(place)
        for records in map(int, args.records.split(",")):
            data = folder / f"people.{args.format}"
            if args.data is None:
                generate(data, records)
            else:
                data = args.data
            (folder / "project.yaml").write_text(project_text(data, args.algorithm, args.k))
            print(f"{records:,} records, {data.stat().st_size / 1e6:,.1f} MB {args.format}, "
                  f"{args.algorithm}, k = {args.k}", flush=True)  # fmt: skip
            for engine in args.engines.split(","):
                found = measure(engine, folder, data, args.memory)
                figures = "  ".join(f"{name} {value:,.1f}" for name, value in found.items())
                if engine in before and "wall" in found:
                    size, wall = before[engine]
                    exponent = math.log(found["wall"] / wall) / math.log(records / size)
                    figures += f"  exponent {exponent:.2f}"
                if "wall" in found:
                    before[engine] = records, found["wall"]
                print(f"  {engine:7} {figures}", flush=True)


if __name__ == "__main__":
    main()
