"""Makes `adult.csv.gz` from the raw Adult file: complete records, eleven columns, one header.

The raw file is `fairness/data/raw/adult.csv` of the source distribution of `fairness` 0.1.8 (see
../SOURCES.md), which has UCI's 32,561 records under a header; `?` stands for missing. Nothing is
changed but the name of the last column, which is `salary` here.

    python make_adult.py raw/adult.csv adult.csv.gz
"""

from __future__ import annotations

import argparse
import csv
import gzip
from pathlib import Path

COLUMNS = {  # raw name → name here, in the order written
    "age": "age",
    "workclass": "workclass",
    "education": "education",
    "education-num": "education-num",
    "marital-status": "marital-status",
    "occupation": "occupation",
    "race": "race",
    "sex": "sex",
    "capital-gain": "capital-gain",
    "native-country": "native-country",
    "income-per-year": "salary",
}


def complete_records(raw: Path) -> list[str]:
    """The lines to write: the header, then every record without a `?` in any of its 15 columns."""
    with raw.open(encoding="ascii", newline="") as file:
        records = [record for record in csv.DictReader(file) if "?" not in record.values()]
    return [
        ",".join(COLUMNS.values()),
        *(",".join(record[name] for name in COLUMNS) for record in records),
    ]


def main() -> None:
    """Write the compressed table; the same input always gives the same bytes."""
    parser = argparse.ArgumentParser(description="Make adult.csv.gz from the raw Adult file.")
    parser.add_argument("raw", type=Path, help="the raw csv file, with a header")
    parser.add_argument("out", type=Path, help="the .csv.gz file to write")
    options = parser.parse_args()

    text = "\n".join(complete_records(options.raw)) + "\n"
    with (
        options.out.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed,
    ):
        packed.write(text.encode("ascii"))


if __name__ == "__main__":
    main()
