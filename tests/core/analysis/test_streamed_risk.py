"""The risk of a release in its files is that of the same release in memory."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

from kanon_tui.core.analysis.population_risk import KnownPopulation, release_risk
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project


def both(folder, **sections):
    """A project, and its releases in memory and in files."""
    table = people(150).with_columns(pl.Series("weight", [f"{1 + n % 7}" for n in range(150)]))
    table.write_csv(folder / "in.csv")
    asked = project(folder / "in.csv", **sections)
    weight = AttributeSpec(role=Role.OTHER, kind=Kind.NUMERIC)
    asked = replace(asked, attributes={**asked.attributes, "weight": weight})
    return asked, in_memory(asked, folder / "m.csv"), streamed(asked, Target(folder / "s.csv"))


def rounded(risk):
    """All figures; classes may be summed in another order."""
    return json.loads(json.dumps(risk.mapping()), parse_float=lambda text: round(float(text), 12))


def test_every_figure_is_the_one_of_memory(tmp_path):
    asked, whole, files = both(tmp_path)
    assert "weight" in files.columns
    for known in (KnownPopulation(), KnownPopulation(10_000), KnownPopulation(weights="weight")):
        expected = release_risk(whole, asked, known)
        assert rounded(release_risk(files, asked, known)) == rounded(expected)
    everybody = pl.concat([pl.read_csv(tmp_path / "in.csv", infer_schema=False)] * 3)
    everybody.write_csv(tmp_path / "all.csv")
    population = read_table(tmp_path / "all.csv", ReadOptions(header=True))
    expected = release_risk(whole, asked, KnownPopulation(), population)
    assert expected.presence is not None
    assert rounded(release_risk(files, asked, KnownPopulation(), population)) == rounded(expected)


def test_starred_records_are_a_class_and_weights_that_are_not_published_are_refused(tmp_path):
    sections = {"output": {"suppressed": "star"}, "privacy": {"k": 3, "max_suppression": 0.3}}
    asked, whole, files = both(tmp_path, algorithm={"name": "global"}, **sections)
    assert whole.release.suppressed.any()
    assert release_risk(files, asked).mapping() == release_risk(whole, asked).mapping()
    with pytest.raises(InputError, match=r"age is not in the release as it is, .* weights can be"):
        release_risk(files, asked, KnownPopulation(weights="age"))
    (tmp_path / "s.csv").unlink()
    with pytest.raises(InputError, match="no longer there"):
        release_risk(files, asked, KnownPopulation(weights="weight"))
