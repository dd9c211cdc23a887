"""The same table by other tools: anonypy, anjana and pycanon, against Kanon.

    python -m benchmarks.peers [--renew]

They are installed from pip into a folder that is thrown away, never into this environment. Every
tool is a process of its own that reads Adult, k-anonymises eight attributes with k = 10 and writes
the answer; pycanon only measures, as `kanon-tui check` does. Seconds and memory are of the whole
process, as a person waits for it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl

from benchmarks.pages import markdown_table, renew
from benchmarks.timing import SAMPLES, print_table
from benchmarks.whole_runs import Use, measured, quickest

PEERS = ("anonypy", "anjana", "pycanon")
QUASI = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
SENSITIVE = "salary-class"
K = 10
REPEATS = 1

ANONYPY = """\
import sys
import anonypy, pandas as pd
source, target, sensitive, k, *quasi = sys.argv[1:]
table = pd.read_csv(source)
for name in quasi:
    if table[name].dtype == object or str(table[name].dtype).startswith("str"):
        table[name] = table[name].astype("category")
rows = anonypy.Preserver(table, quasi, sensitive).anonymize_k_anonymity(k=int(k))
pd.DataFrame(rows).to_csv(target)
"""
ANJANA = """\
import sys
import pandas as pd
from anjana.anonymity import k_anonymity
source, target, sensitive, k, *quasi = sys.argv[1:]
table = pd.read_csv(source, dtype=str)
trees = {}
for name in quasi:
    rows = pd.read_csv(f"{source}.{name}.csv", header=None, dtype=str)
    trees[name] = {level: rows[level].values for level in rows.columns}
k_anonymity(table, [], quasi, int(k), 5, trees).to_csv(target)
"""
PYCANON = """\
import sys
import pandas as pd
from pycanon import anonymity
source, target, sensitive, k, *quasi = sys.argv[1:]
open(target, "w").write(str(anonymity.k_anonymity(pd.read_csv(source, dtype=str), quasi)))
"""


def install(folder: Path) -> Path:
    """A throw-away environment with the peers; gives its Python."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([str(python), "-m", "pip", "install", *quiet, *PEERS], check=True)
    return python


def write_adult(folder: Path) -> tuple[Path, Path]:
    """Adult with a hierarchy file per attribute, and a project for the same."""
    table = pl.read_csv(SAMPLES / "adult" / "adult.csv.gz", infer_schema=False)
    sensitive = SENSITIVE if SENSITIVE in table.columns else table.columns[-1]
    source = folder / "adult.csv"
    table.select(*QUASI, pl.col(sensitive).alias(SENSITIVE)).write_csv(source)
    lines = []
    for name in QUASI:
        path = folder / f"adult.csv.{name}.csv"
        path.write_text(
            "".join(f"{','.join(levels)}\n" for levels in _levels(table[name], name)),
        )
        kind = "numeric" if name == "age" else "categorical"
        lines.append(f"  {name}: {{role: quasi, kind: {kind}, hierarchy: {{file: {path.name}}}}}")
    project = folder / "adult.yaml"
    project.write_text(
        "data: {path: adult.csv}\nattributes:\n" + "\n".join(lines)
        + f"\n  {SENSITIVE}: {{role: sensitive, kind: categorical}}\n"
        + f"privacy: {{k: {K}, max_suppression: 0.05}}\n"
    )  # fmt: skip
    return source, project


def _levels(column: pl.Series, name: str) -> list[list[str]]:
    """Every value with what it becomes: bands of years, or itself and then nothing."""
    values = column.unique().sort().to_list()
    if name != "age":
        return [[value, "*"] for value in values]
    bands = [(value, *(int(value) // width * width for width in (5, 10, 20))) for value in values]
    return [
        [
            value,
            *(f"{low}-{low + width - 1}" for low, width in zip(lows, (5, 10, 20), strict=True)),
            "*",
        ]
        for value, *lows in bands
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--renew", action="store_true", help="put the table into the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        python = install(folder / "peers")
        source, project = write_adult(folder)
        target = folder / "answer.csv"
        given = [str(source), str(target), SENSITIVE, str(K), *QUASI]
        ours = ["-m", "kanon_tui", "run", str(project), "--force", "--out", str(target)]
        check = ["-m", "kanon_tui", "check", str(source), "--quasi", ",".join(QUASI), "--k", "1"]
        commands: dict[str, tuple[str, list[str]]] = {
            "kanon-tui run, mondrian": (sys.executable, [*ours, "--algorithm", "mondrian"]),
            "anonypy, mondrian": (str(python), ["-c", ANONYPY, *given]),
            "kanon-tui run, global": (sys.executable, [*ours, "--algorithm", "global"]),
            "anjana, full-domain": (str(python), ["-c", ANJANA, *given]),
            "kanon-tui check": (sys.executable, check),
            "pycanon, k of a table": (str(python), ["-c", PYCANON, *given]),
        }
        found: dict[str, list[Use]] = {name: [] for name in commands}
        for turn in range(REPEATS + 1):
            for name, (interpreter, command) in commands.items():
                use = measured(command, interpreter=interpreter)
                print(f"{name}: {use.cpu:.2f} s", flush=True)
                if turn:  # the first one may have compiled
                    found[name].append(use)
    best = {name: quickest(uses) for name, uses in found.items()}
    rows = [(name, use.cpu, use.clock, use.megabytes) for name, use in best.items()]
    heads = ("tool", "CPU s", "clock s", "MB")
    print_table(f"Adult, 8 quasi-identifiers, k = {K}", heads, rows)
    if options.renew:
        renew("peers", markdown_table(heads, rows))


if __name__ == "__main__":
    main()
