"""What people wait for: whole runs of the command against the least that any program must do.

    python -m benchmarks.whole_runs                    Adult, and a generated census of 100,000
    python -m benchmarks.whole_runs --sizes 1000000    as many records as one likes
    python -m benchmarks.whole_runs --first-use        what the first run of an algorithm compiles

The floor is a process that reads the same file with Polars, counts its classes with one group_by
and writes it again. Every figure is of a process of its own: processor seconds of all its cores,
seconds on the clock, and the most memory it had. All rows of a size are measured in turn.

`--renew` puts the tables into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import yaml

from benchmarks.pages import markdown_table, renew
from benchmarks.timing import SAMPLES, census_maker, print_table
from kanon_tui.core.algorithms import ALGORITHMS as ALL_ALGORITHMS
from kanon_tui.core.report.finished_run import PHASES

QUASI = ("age", "income", "sex", "zip", "race", "marital_status", "education", "occupation")
ALGORITHMS = ("global", "mondrian")
REPEATS = 3
FLOOR = """\
import sys
import polars as pl
source, target, *quasi = sys.argv[1:]
table = pl.read_csv(source, infer_schema=False)
assert table.group_by(quasi).len()["len"].sum() == table.height
table.write_csv(target)
"""
MEASURE = """\
import os, sys, time
began = time.perf_counter()
nothing = os.open(os.devnull, os.O_RDWR)
quiet = [(os.POSIX_SPAWN_DUP2, nothing, stream) for stream in (1, 2)]
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(process, 0)
clock = time.perf_counter() - began
print([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, clock, used.ru_maxrss])
"""


@dataclass(frozen=True)
class Use:
    """What a process took."""

    cpu: float
    clock: float
    megabytes: float


def measured(
    command: list[str],
    environment: dict[str, str] | None = None,
    interpreter: str = sys.executable,
) -> Use:
    """Run a command of Python to its end."""
    # A process begins with the peak of the one that started it: a small one starts it.
    said = subprocess.run(
        [sys.executable, "-ISc", MEASURE, interpreter, *command],
        check=True,
        capture_output=True,
        env={**os.environ, **(environment or {})},
    ).stdout
    code, cpu, clock, kilobytes = json.loads(said)
    if code:
        raise SystemExit(f"{' '.join(command[:4])} ended with code {code}")
    return Use(cpu, clock, kilobytes / 1024)


def quickest(uses: list[Use]) -> Use:
    """The one that other work on the machine disturbed least."""
    return min(uses, key=lambda use: use.cpu)


def census(folder: Path, records: int, cents: bool = False) -> Path:
    """A project of generated people with the hierarchies of the sample, and income among them."""
    people = census_maker().people(records, 1790)
    if cents:
        people["income"] = (
            people["income"] + np.random.default_rng(1).integers(0, 100, records) / 100
        )
    frame = pl.DataFrame({name: people[name].astype(str) for name in (*QUASI, "diagnosis")})
    frame.write_csv(folder / "census.csv")
    project = yaml.safe_load((SAMPLES / "census" / "project.yaml").read_text())
    known = project["attributes"]
    project["data"] = {"path": "census.csv"}
    project["privacy"] = {"k": 10, "max_suppression": 0.05}
    project["attributes"] = {
        name: {"role": "quasi", "kind": known[name]["kind"], "hierarchy": _found(known[name])}
        for name in QUASI
    }
    project["attributes"]["diagnosis"] = {"role": "sensitive", "kind": "categorical"}
    project.pop("algorithm", None)
    path = folder / "census.yaml"
    path.write_text(yaml.safe_dump(project))
    return path


def made_elsewhere(folder: Path, records: int, cents: bool = False) -> Path:
    """The same, by a process of its own: one that is started by a large one counts as large."""
    made = "census(Path(sys.argv[1]), int(sys.argv[2]), bool(sys.argv[3]))"
    code = f"from benchmarks.whole_runs import *; print({made})"
    command = [sys.executable, "-c", code, str(folder), str(records), "cents" if cents else ""]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Path(said.strip())


def _found(attribute: dict) -> dict:
    """The hierarchy of an attribute, its file found from anywhere."""
    hierarchy = dict(attribute["hierarchy"])
    if "file" in hierarchy:
        hierarchy["file"] = str(SAMPLES / "census" / hierarchy["file"])
    return hierarchy


def adult(folder: Path) -> Path:
    """The Adult sample as a plain file, so that the floor reads the same."""
    pl.read_csv(SAMPLES / "adult" / "adult.csv.gz", infer_schema=False).write_csv(
        folder / "adult.csv"
    )
    project = yaml.safe_load((SAMPLES / "adult" / "project.yaml").read_text())
    project["data"]["path"] = str(folder / "adult.csv")
    for attribute in project["attributes"].values():
        if "file" in attribute.get("hierarchy", {}):
            attribute["hierarchy"]["file"] = str(SAMPLES / "adult" / attribute["hierarchy"]["file"])
    path = folder / "adult.yaml"
    path.write_text(yaml.safe_dump(project))
    return path


def rows_of(name: str, project: Path, repeats: int) -> list[tuple[object, ...]]:
    """The floor, and every algorithm against it."""
    folder = project.parent
    asked = yaml.safe_load(project.read_text())
    quasi = [n for n, a in asked["attributes"].items() if a["role"] == "quasi"]
    source = folder / Path(asked["data"]["path"]).name
    floor_command = ["-c", FLOOR, str(source), str(folder / "floor.csv"), *quasi]
    uses: dict[str, list[Use]] = {"floor": [], **{each: [] for each in ALGORITHMS}}
    phases: dict[str, list[dict[str, float]]] = {each: [] for each in ALGORITHMS}
    for _ in range(repeats + 1):
        uses["floor"].append(measured(floor_command))
        for algorithm in ALGORITHMS:
            files = ["--out", str(folder / "release.csv"), "--report", str(folder / "report.json")]
            run = ["-m", "kanon_tui", "run", str(project), "--algorithm", algorithm, "--force"]
            uses[algorithm].append(measured([*run, *files]))
            phases[algorithm].append(json.loads((folder / "report.json").read_text())["phases"])
    floor = quickest(uses["floor"][1:])
    rows: list[tuple[object, ...]] = []
    for what, taken in uses.items():
        use = quickest(taken[1:])  # the first one of each may have compiled
        spent = [
            float(np.min([each[phase] for each in phases[what][1:]])) if what in phases else "–"
            for phase in PHASES
        ]
        rows.append((name, what, use.cpu, use.clock, use.megabytes, use.cpu / floor.cpu, *spent))
    return rows


def first_uses(folder: Path, project: Path) -> list[tuple[object, ...]]:
    """Measure the first and the second run of every algorithm with an empty home folder."""
    rows: list[tuple[object, ...]] = []
    for algorithm in ALL_ALGORITHMS:
        home = folder / "homes" / algorithm
        home.mkdir(parents=True)
        command = ["-m", "kanon_tui", "run", str(project), "--algorithm", algorithm]
        first = measured(command, {"HOME": str(home)})
        second = measured(command, {"HOME": str(home)})
        rows.append((algorithm, first.cpu, second.cpu, first.clock, second.clock))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000])
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--cents", action="store_true", help="also with incomes to the cent")
    parser.add_argument("--first-use", action="store_true")
    parser.add_argument("--renew", action="store_true", help="put the tables into the page")
    options = parser.parse_args()
    rows: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rows += rows_of("Adult, 30,162", adult(folder), options.repeats)
        for size in options.sizes:
            repeats = options.repeats if size < 1_000_000 else 1
            rows += rows_of(f"census, {size:,}", made_elsewhere(folder, size), repeats)
            if options.cents:
                made_of_cents = made_elsewhere(folder, size, cents=True)
                rows += rows_of(f"census to the cent, {size:,}", made_of_cents, repeats)
        heads = ("table", "work", "CPU s", "clock s", "MB", "× floor", *PHASES)
        print_table("whole runs, k as the project says", heads, rows)
        if options.renew:
            renew("whole runs", markdown_table(heads, rows))
        if options.first_use:
            heads = ("algorithm", "CPU s", "CPU s, second", "clock s", "clock s, second")
            found = first_uses(folder, made_elsewhere(folder, 100_000))
            print_table("first use on a machine, 100,000 records", heads, found)
            if options.renew:
                renew("first use", markdown_table(heads, found))


if __name__ == "__main__":
    main()
