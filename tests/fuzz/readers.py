"""Data and hierarchy files: sound ones are read exactly, damaged ones refused in a sentence."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from random import Random

import polars as pl

from kanon_tui.core.errors import KanonError
from kanon_tui.core.hierarchy.specification import read_hierarchy_file
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from tests.fuzz.texts import random_name, random_text
from tests.zstd import zstd

DELIMITERS = (",", ";", "\t", "|")


def try_once(random: Random, folder: Path) -> str:
    kind = random.random()
    if kind < 0.4:
        return sound_table(random, folder)
    if kind < 0.8:
        return damaged_table(random, folder)
    return some_hierarchy(random, folder)


def cells(random: Random, most: int = 12) -> list[list[str]]:
    """A header and rows; no cell is empty, so that no row can be taken for a blank line."""
    width = random.randint(1, 6)
    height = random.randint(1, most)
    names: list[str] = []
    while len(names) < width:
        name = random_name(random)
        if name not in names:
            names.append(name)
    rows = [[random_text(random) or "x" for _ in range(width)] for _ in range(height)]
    return [names, *rows]


def written(random: Random, table: list[list[str]], delimiter: str) -> bytes:
    out = io.StringIO()
    ending = random.choice(["\n", "\r\n"])
    csv.writer(out, delimiter=delimiter, lineterminator=ending).writerows(table)
    return out.getvalue().encode("utf-8")


def sound_table(random: Random, folder: Path) -> str:
    """What csv writes is what Kanon reads."""
    table = cells(random)
    delimiter = random.choice(DELIMITERS)
    content = written(random, table, delimiter)
    ending, pack = random.choice(
        [("", lambda b: b), (".gz", gzip.compress), (".zst", zstd.compress)]
    )
    path = folder / f"table.csv{ending}"
    path.write_bytes(pack(content))
    read = read_table(path, ReadOptions(delimiter=delimiter, header=True, encoding="utf-8"))
    assert list(read.names) == table[0]
    for x, name in enumerate(read.names):
        assert [row[x] for row in table[1:]] == list(read.frame[name]), name
    return "read exactly"


def damaged_table(random: Random, folder: Path) -> str:
    """Whatever happens to a file on its way, it is read or refused."""
    table = cells(random)
    if random.random() < 0.2:
        path = folder / "table.parquet"
        pl.DataFrame(dict(zip(table[0], zip(*table[1:], strict=True), strict=True))).write_parquet(
            path
        )
        content = bytearray(path.read_bytes())
    else:
        path = folder / random.choice(["t.csv", "t.tsv", "t.csv.gz", "t.csv.zst", "t.txt"])
        content = bytearray(written(random, table, random.choice(DELIMITERS)))
        if path.suffix == ".gz":
            content = bytearray(gzip.compress(bytes(content)))
        elif path.suffix == ".zst":
            content = bytearray(zstd.compress(bytes(content)))
    damage(random, content)
    path.write_bytes(content)
    options = ReadOptions(
        delimiter=random.choice(["auto", *DELIMITERS]),
        encoding=random.choice(["auto", "utf-8", "latin-1", "utf-16", "cp1252", "ascii"]),
        header=random.choice(["auto", True, False]),
        quote=random.choice(["auto", '"', "'", "none"]),
    )
    try:
        read = read_table(path, options)
    except KanonError:
        return "refused"
    assert len(set(read.names)) == len(read.names) > 0
    return "read"


def damage(random: Random, content: bytearray) -> None:
    for _ in range(random.choice([0, 1, 1, 3, 20])):
        at = random.randrange(len(content) + 1)
        what = random.random()
        if what < 0.3:
            content[at:at] = bytes(random.randrange(256) for _ in range(random.randint(1, 4)))
        elif what < 0.5:
            del content[at : at + random.randint(1, 30)]
        elif what < 0.7:
            content[at:at] = random.choice([b'"', b"\0", b"\r", b"\n\n", b"\xef\xbb\xbf", b",;"])
        elif what < 0.8:
            del content[at:]
        elif content:
            content[min(at, len(content) - 1)] ^= 1 << random.randrange(8)


def some_hierarchy(random: Random, folder: Path) -> str:
    values = [random_text(random) for _ in range(random.randint(1, 6))]
    kind = random.choice([".csv", ".yaml", ".xml"])
    if kind == ".csv":
        rows = [[value, *(random_text(random) for _ in range(random.randint(0, 3)))]
                for value in values]  # fmt: skip
        content = bytearray(written(random, rows, ";"))
    elif kind == ".yaml":
        content = bytearray("\n".join(f"{value}: [a, b]" for value in values).encode())
    else:
        lines = (f'<value int="{n}" cat="{value}"/>' for n, value in enumerate(values))
        content = bytearray(
            f'<config><attribute name="a"><map>{"".join(lines)}</map></attribute></config>'.encode()
        )
    damage(random, content)
    path = folder / f"levels{kind}"
    path.write_bytes(content)
    try:
        read_hierarchy_file(path, "a")
    except KanonError:
        return "hierarchy refused"
    return "hierarchy read"
