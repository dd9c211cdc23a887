"""How every algorithm grows with the table, on shapes that are hard in different ways.

    python -m benchmarks.growth --sizes 10000 100000 --algorithms top-down k-member
    python -m benchmarks.growth --million --adult FOLDER

Processor seconds of the search alone, k = 10, at most 5 % suppressed. Exponents are told from the
first size to the last, and of the last step, because growth bends upwards; the worst of all shapes
is what counts. Clusterings work in blocks above 500,000 records, above 20,000 on labels alone, as
they do for everybody. A size that would take longer than `--patience` seconds, by the exponent
so far, is left out.

- census: eight quasi-identifiers with hierarchies; incomes are a wide domain, and most rows differ;
- sets: the same people without hierarchies, zip codes and all;
- numbers: five numeric quasi-identifiers, all rows different, nothing repeats;
- heavy: few different rows, each many times;
- tails: amounts with a long tail and missing cells, days, and a code whose few frequent labels have
  thousands of rare ones beside them, without hierarchies;
- cents: a salary to the cent and an age beside three small categories;
- labels: eight categories of a thousand labels each, a few of them frequent, and no hierarchy;
- distinct: four numbers of which every value occurs once;
- dates: birth dates, a number and two categories, each missing for 15 % of the people;
- zips: a birth date, one of 3,000 zip codes (Zipf), sex and an income to the cent;
- jobs: an age, one of 1,000 zip codes and one of 400 occupations (Zipf), sex and an income;
- outliers: a number with a very long tail, a constant and three categories;
- adult: the table drawn again and again, as it is too small. `--adult` names the folder of a file
  `adult.csv`; without it the sample that comes with Kanon is drawn from.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.pages import markdown_table, renew
from benchmarks.timing import SAMPLES, census_maker, print_table, run_seconds
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Task

CENSUS = ("age", "income", "sex", "zip", "race", "marital_status", "education", "occupation")
PRIVACY = Privacy(k=10, max_suppression=0.05)
SIZES = [10_000, 100_000]
MILLION = 1_000_000
WARM_UP = 300
TOO_QUICK = 0.03
"""Seconds; what takes less is mostly what every run takes, and tells nothing of growth."""
ORDER = list(ALGORITHMS)


def census(records: int, seed: int, hierarchies: bool = True) -> Task:
    """Generated people; incomes are among the eight quasi-identifiers."""
    people = census_maker().people(records, seed)
    frame = pl.DataFrame({name: people[name].astype(str) for name in CENSUS})
    project = Project.load(SAMPLES / "census" / "project.yaml")
    return _task(project, CENSUS, as_table(frame), hierarchies)


def sets(records: int, seed: int) -> Task:
    """The same people without hierarchies: classes of a clustering publish sets of values."""
    return census(records, seed, hierarchies=False)


def adult(records: int, seed: int, table: Table) -> Task:
    """Records of Adult, drawn with replacement where there are not enough."""
    project = Project.load(SAMPLES / "adult" / "project.yaml")
    quasi = tuple(n for n, spec in project.attributes.items() if spec.role is Role.QUASI)
    again = table.frame.sample(records, with_replacement=records > table.frame.height, seed=seed)
    return _task(project, quasi, replace(table, frame=again))


def numbers(records: int, seed: int) -> Task:
    """Five numbers, drawn from wide domains, so that all rows differ."""
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.integers(0, 10**6, records) for i in range(5)}
    return _numeric(columns)


def heavy(records: int, seed: int) -> Task:
    """Five small numbers and hardly more than a thousand different rows."""
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.integers(0, 4, records) for i in range(5)}
    return _numeric(columns)


def tails(records: int, seed: int) -> Task:
    """Long tails: of an amount that some leave out, and of the labels of a code."""
    rng = np.random.default_rng(seed)
    amounts = np.round(rng.lognormal(8, 1.5, records)).astype(np.int64).astype(str)
    amounts[rng.random(records) < 0.1] = ""
    columns = {
        "amount": amounts,
        "days": rng.integers(0, 20_000, records).astype(str),
        "code": np.char.add("c", np.minimum(rng.zipf(1.3, records), 5000).astype(str)),
        "sex": rng.choice(["m", "f", ""], records),
        "group": rng.integers(0, 40, records).astype(str),
        "flag": rng.choice(["a", "b"], records, p=[0.97, 0.03]),
    }
    return _plain(columns, numeric=("amount", "days"))


def cents(records: int, seed: int) -> Task:
    """Salaries to the cent: neighbouring values are closer than a tie."""
    rng = np.random.default_rng(seed)
    return _plain(
        {
            "salary": np.round(rng.lognormal(10.5, 0.6, records), 2),
            "age": rng.integers(17, 91, records),
            "sex": rng.choice(["m", "f"], records),
            "state": np.char.add("s", rng.integers(0, 50, records).astype(str)),
            "job": np.char.add("j", rng.integers(0, 14, records).astype(str)),
        },
        numeric=("salary", "age"),
    )


def labels(records: int, seed: int) -> Task:
    """Eight categories of a thousand labels each, Zipf distributed, without hierarchies."""
    rng = np.random.default_rng(seed)
    return _plain({f"c{i}": _zipf(rng, "v", 1000, records) for i in range(8)})


def distinct(records: int, seed: int) -> Task:
    """Four numbers of which every value occurs once."""
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.permutation(records) for i in range(4)}
    return _plain(columns, numeric=tuple(columns))


def dates(records: int, seed: int) -> Task:
    """Birth dates, a number and two categories, each missing for 15 % of the people."""
    rng = np.random.default_rng(seed)
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, records)
    columns = {
        "born": born.astype(str),
        "income": rng.integers(0, 100_000, records).astype(str),
        "town": np.char.add("t", rng.integers(0, 300, records).astype(str)),
        "sex": rng.choice(["m", "f"], records),
    }
    for own in columns.values():
        own[rng.random(records) < 0.15] = ""
    return _plain(columns, numeric=("income",), dates=("born",))


def zips(records: int, seed: int) -> Task:
    """Birth dates, 3,000 zip codes of which some are frequent, sex, and incomes to the cent."""
    rng = np.random.default_rng(seed)
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, records)
    columns = {
        "born": born.astype(str),
        "zip": _zipf(rng, "z", 3000, records),
        "sex": rng.choice(["m", "f"], records),
        "income": np.round(rng.lognormal(10.3, 0.7, records), 2),
    }
    return _plain(columns, numeric=("income",), dates=("born",))


def jobs(records: int, seed: int) -> Task:
    """Ages, zip codes and occupations of which some are frequent, sex, and incomes in hundreds."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(16, 91, records),
        "zip": _zipf(rng, "z", 1000, records),
        "occupation": _zipf(rng, "o", 400, records),
        "sex": rng.choice(["m", "f"], records),
        "income": np.round(rng.lognormal(10.3, 0.7, records), -2).astype(np.int64),
    }
    return _plain(columns, numeric=("age", "income"))


def outliers(records: int, seed: int) -> Task:
    """A number with a very long tail, a constant and three categories."""
    rng = np.random.default_rng(seed)
    columns = {
        "amount": np.round(rng.pareto(0.7, records) * 1000, 2),
        "constant": np.ones(records, dtype=np.int64),
        "sex": rng.choice(["m", "f"], records),
        "state": _zipf(rng, "s", 50, records),
        "job": _zipf(rng, "j", 14, records),
    }
    return _plain(columns, numeric=("amount", "constant"))


def _zipf(rng: np.random.Generator, letter: str, labels: int, records: int) -> npt.NDArray[np.str_]:
    """Return labels of which the i-th is drawn in proportion to 1 / i."""
    share = 1.0 / np.arange(1, labels + 1)
    return np.char.add(letter, rng.choice(labels, records, p=share / share.sum()).astype(str))


def _plain(
    columns: dict[str, np.ndarray], numeric: tuple[str, ...] = (), dates: tuple[str, ...] = ()
) -> Task:
    """Return a table of quasi-identifiers without hierarchies; all others are categories."""
    kinds = dict.fromkeys(numeric, Kind.NUMERIC) | dict.fromkeys(dates, Kind.DATE)
    specs = {
        name: AttributeSpec(role=Role.QUASI, kind=kinds.get(name, Kind.CATEGORICAL))
        for name in columns
    }
    table = as_table(pl.DataFrame({name: own.astype(str) for name, own in columns.items()}))
    return _task(Project(DataSource("table.csv"), specs), tuple(columns), table)


def _numeric(columns: dict[str, np.ndarray]) -> Task:
    widths = {name: int(values.max()) + 1 for name, values in columns.items()}
    specs = {
        name: AttributeSpec(
            role=Role.QUASI,
            kind=Kind.NUMERIC,
            hierarchy={"builder": "intervals", "widths": [width / 64, width / 16, width / 4]},
        )
        for name, width in widths.items()
    }
    project = Project(DataSource("table.csv"), specs)
    frame = pl.DataFrame({name: values.astype(str) for name, values in columns.items()})
    return _task(project, tuple(columns), as_table(frame))


def _without_hierarchy(kind: Kind) -> AttributeSpec:
    """Return a quasi-identifier without a hierarchy, of which classes publish sets of values."""
    if kind is not Kind.CATEGORICAL:
        return AttributeSpec(role=Role.QUASI, kind=kind)
    return AttributeSpec(role=Role.QUASI, kind=kind, hierarchy={"builder": "flat"}, publish="set")


def _task(project: Project, quasi: tuple[str, ...], table: Table, hierarchies: bool = True) -> Task:
    """The quasi-identifiers of a project with their hierarchies, and nothing else of it."""
    kept = {}
    for name in quasi:
        spec = project.attributes[name]
        kept[name] = AttributeSpec(role=Role.QUASI, kind=spec.kind, hierarchy=spec.hierarchy)
        if not hierarchies:
            kept[name] = _without_hierarchy(spec.kind)
    others = {name: AttributeSpec(role=Role.OTHER) for name in table.names if name not in kept}
    return prepare(replace(project, attributes=kept | others, privacy=PRIVACY), table)


def shapes(adult_folder: Path | None) -> dict[str, Callable[[int], Task]]:
    """A table of so many records of every shape."""
    folder = adult_folder or SAMPLES / "adult"
    path = next(folder / name for name in ("adult.csv", "adult.csv.gz") if (folder / name).exists())
    table = read_table(path)
    return {
        "census": lambda records: census(records, 1790),
        "sets": lambda records: sets(records, 1790),
        "numbers": lambda records: numbers(records, 1),
        "heavy": lambda records: heavy(records, 1),
        "tails": lambda records: tails(records, 3),
        "cents": lambda records: cents(records, 5),
        "labels": lambda records: labels(records, 6),
        "distinct": lambda records: distinct(records, 7),
        "dates": lambda records: dates(records, 8),
        "zips": lambda records: zips(records, 9),
        "jobs": lambda records: jobs(records, 10),
        "outliers": lambda records: outliers(records, 11),
        "adult": lambda records: adult(records, 1, table),
    }


def grown(sizes: list[int], seconds: list[float]) -> float:
    """The exponent between the last two sizes, and none where there are not two that take time."""
    if len(seconds) < 2 or seconds[-2] < TOO_QUICK:
        return math.nan
    return _power(sizes, seconds, len(seconds) - 2)


def grown_in_all(sizes: list[int], seconds: list[float]) -> float:
    """The exponent from the first size to the last."""
    return _power(sizes, seconds, 0) if len(seconds) > 1 else math.nan


def _power(sizes: list[int], seconds: list[float], since: int) -> float:
    last = len(seconds) - 1
    return math.log(seconds[last] / seconds[since]) / math.log(sizes[last] / sizes[since])


def measure(
    names: list[str], made: dict[str, Callable[[int], Task]], sizes: list[int], patience: float
) -> Found:
    """Seconds per algorithm and shape, size by size, as far as patience goes."""
    found: Found = {}
    for shape, make in made.items():
        tiny = make(WARM_UP)
        for place, size in enumerate(sizes):
            task = make(size)
            for attribute in task.quasi:
                assert attribute.hierarchy.height  # built now, not by the first search
            for name in names:
                seconds = found.setdefault((name, shape), [])
                power = grown(sizes[:place], seconds)
                power = 1.0 if math.isnan(power) else power
                ahead = (size / sizes[place - 1]) ** power * seconds[-1] if seconds else 0.0
                if len(seconds) < place or ahead > patience:
                    continue
                algorithm = ALGORITHMS[name]()
                try:
                    if place == 0:
                        run_seconds(tiny, algorithm)  # compiles
                    seconds.append(run_seconds(task, algorithm)[1])
                except KanonError:
                    continue
                print(f"{shape}, {size:,} records, {name}: {seconds[-1]:.2f} s", flush=True)
    return found


Found = dict[tuple[str, str], list[float]]
"""Seconds of an algorithm on a shape, size by size."""


def heads(sizes: list[int]) -> tuple[str, ...]:
    measured = (f"{size:,}" for size in sizes)
    return ("algorithm", "shape", *measured, "n^, first to last", "n^, last step")


def all_rows(found: Found, sizes: list[int]) -> list[tuple[object, ...]]:
    """What was measured, algorithm by algorithm."""
    rows: list[tuple[object, ...]] = []
    for (name, shape), seconds in sorted(found.items(), key=lambda item: ORDER.index(item[0][0])):
        missing = ["–"] * (len(sizes) - len(seconds))
        powers = grown_in_all(sizes, seconds), grown(sizes, seconds)
        told = ("–" if math.isnan(power) else power for power in powers)
        rows.append((name, shape, *seconds, *missing, *told))
    return rows


def worst_rows(found: Found, sizes: list[int]) -> list[tuple[object, ...]]:
    """Of every algorithm the shape on which it grows fastest."""

    def growth(row: tuple[object, ...]) -> tuple[float, ...]:
        *_, power = row
        last = [each for each in row[2:-2] if isinstance(each, float)][-1:]
        return power if isinstance(power, float) else -math.inf, *last

    worst: dict[object, tuple[object, ...]] = {}
    for row in all_rows(found, sizes):
        worst[row[0]] = max(worst.get(row[0], row), row, key=growth)
    return list(worst.values())


def beside_global(found: Found, sizes: list[int]) -> list[tuple[object, ...]]:
    """Seconds of `incognito`, which finds all minimal strings, to those of `global`, which one."""
    made: list[tuple[object, ...]] = []
    for (name, shape), seconds in found.items():
        if name == "incognito":
            pairs = zip(seconds, found["global", shape], strict=False)
            ratios = [one / other for one, other in pairs]
            made.append((shape, *ratios, *["–"] * (len(sizes) - len(ratios))))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--million", action="store_true", help="a million records as well")
    parser.add_argument("--algorithms", nargs="+", default=ORDER)
    parser.add_argument("--shapes", nargs="+")
    parser.add_argument("--adult", type=Path, help="folder of adult.csv")
    parser.add_argument("--patience", type=float, default=300.0, help="seconds for one run")
    parser.add_argument("--renew", action="store_true", help="put the tables into the page")
    options = parser.parse_args()
    sizes = sorted({*options.sizes, *([MILLION] if options.million else [])})
    made = {n: m for n, m in shapes(options.adult).items() if n in (options.shapes or [n])}
    found = measure(options.algorithms, made, sizes, options.patience)
    print_table("processor seconds of the search", heads(sizes), all_rows(found, sizes))
    worst = worst_rows(found, sizes)
    print_table("worst growth of all shapes", heads(sizes), worst)
    if options.renew:
        renew("growth", markdown_table(heads(sizes), worst))
    if {"global", "incognito"} <= {*options.algorithms}:
        ratios = ("incognito to global", *(f"{size:,}" for size in sizes))
        beside = beside_global(found, sizes)
        print_table("incognito to global", ratios, beside)
        if options.renew:
            renew("incognito", markdown_table(ratios, beside))


if __name__ == "__main__":
    main()
