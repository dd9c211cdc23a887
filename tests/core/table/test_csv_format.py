"""A release is written as its data file was, or as the project chooses."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat, EncodingError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import write_table

TABLE = pl.DataFrame({"Größe": ["1,5", "12", ""], "Ort": ["Köln", 'a;"b"', "c,d"]})


@pytest.mark.parametrize(
    "data",
    [
        "Größe;Ort\n1,5;Köln\n12;Bonn\n".encode("latin-1"),
        "Größe;Ort\r\n1,5;Köln\r\n12;Bonn\r\n".encode("cp1252"),
        "\ufeffGröße,Ort\r\n12,Köln\r\n13,Bonn\r\n".encode(),
        "Größe|Ort\r12|Köln\r13|Bonn\r".encode(),
        '"Größe","Ort"\n"12","Köln"\n"13","Bonn"\n'.encode(),
        '"Größe","Ort"\n12,"Köln"\n13,"Bonn"\n'.encode(),
        '"Größe";"Ort"\n1,5;"Köln"\n13;"Bo;nn"\n'.encode(),
        "'Größe','Ort'\n'12','Kö,ln'\n".encode(),
        "Größe\tOrt\n12\tKöln\n".encode("utf-16"),
    ],
)
def test_a_file_is_written_as_it_was(data: bytes, tmp_path: Path) -> None:
    source = tmp_path / ("in.tsv" if b"\t" in data else "in.csv")
    source.write_bytes(data)
    table = read_table(source)
    assert table.facts is not None
    out = source.with_stem("out")
    write_table(out, table.frame, csv=CsvChoice().resolved(table.facts.csv, out))
    assert out.read_bytes() == data


def test_what_the_project_chooses_wins(tmp_path: Path) -> None:
    source = CsvFormat(";", "latin-1", "\r\n", quoting="always")
    chosen = CsvChoice("|", "utf-8", "lf", "necessary")
    assert chosen.resolved(source, Path("a.csv")) == CsvFormat("|")
    assert CsvChoice().resolved(source, Path("a.csv")) == source
    assert CsvChoice().resolved(source, Path("a.tsv")).delimiter == "\t"
    assert CsvChoice().resolved(CsvFormat("\t"), Path("a.csv")).delimiter == ","
    assert CsvChoice().resolved(None, Path("a.csv")) == CsvFormat()
    project = project_from_mapping(
        {"data": {"path": "x.csv"}, "output": {"delimiter": "\\t", "encoding": "utf-16"}}
    )
    assert project.output.csv.resolved(source, Path("a.csv")).delimiter == "\t"


@pytest.mark.parametrize("quoting", ["necessary", "texts", "always"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", " ", "é"])
def test_every_cell_reads_back(quoting, delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for table in (TABLE, TABLE.select("Ort"), TABLE.clear()):
        write_table(path, table, force=True, csv=CsvFormat(delimiter, quoting=quoting))
        if table.height:
            options = ReadOptions(delimiter=delimiter, header=True, quote='"')
            assert read_table(path, options).frame.equals(table)


def test_a_character_without_a_place_leaves_nothing_behind(tmp_path: Path) -> None:
    table = pl.DataFrame({"city": ["Köln", "Łódź"]})
    with pytest.raises(
        EncodingError, match="'Ł' in city cannot be written in the encoding latin-1"
    ):
        write_table(tmp_path / "t.csv", table, csv=CsvFormat(";", "latin-1"))
    assert list(tmp_path.iterdir()) == []


def german_csv(folder: Path, records: int = 120) -> Path:
    """A file as German offices write it: `;`, Latin-1, decimal commas, days first."""
    towns = ("München", "Köln", "Düsseldorf", "Würzburg")
    rows = [
        f"{towns[i % 4]};{1 + i % 28:02}.{1 + i % 12:02}.{1950 + i % 50};"
        f"{1 + i % 17}.{(i * 37) % 1000:03},{i % 100:02};{'mw'[i % 2]}"
        for i in range(records)
    ]
    path = folder / "kunden.csv"
    text = "\r\n".join(["Wohnort;Geburtsdatum;Gehalt;Geschlecht", *rows, ""])
    path.write_bytes(text.encode("latin-1"))
    return path


@pytest.mark.parametrize("algorithm", ["global", "mondrian"])
def test_a_german_file_and_its_release(algorithm: str, tmp_path: Path) -> None:
    source = german_csv(tmp_path)
    project = project_from_mapping(
        {
            "data": {"path": str(source)},
            "attributes": {
                "Wohnort": {"role": "quasi"},
                "Geburtsdatum": {"role": "quasi"},
                "Gehalt": {"role": "quasi"},
                "Geschlecht": {"role": "quasi"},
            },
            "algorithm": {"name": algorithm},
        }
    )
    result = anonymize(project)
    out = tmp_path / "release.csv"
    result.write(out)
    data = out.read_bytes()
    assert b";" in data
    assert data.count(b"\r\n") == data.count(b"\n") == result.table.height + 1
    data.decode("latin-1")
    release = read_table(out)
    assert release.facts is not None
    assert (release.facts.csv.delimiter, release.facts.csv.line_end) == (";", "\r\n")
    assert release.frame.equals(result.table)
    if algorithm == "mondrian":  # labels in the format of the source
        assert release.frame["Gehalt"].str.contains(r"^\[[0-9.]+,[0-9]{2}\.\.").any()
        assert release.frame["Geburtsdatum"].str.contains(r"\.19[0-9]{2}\.\.").any()
