"""The applied mapping: applied to the data once more, it gives the release."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.applying.mapping_file import applied_mapping
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task


def run(task: Task, name: str) -> Result:
    return conclude(Run(task, find_algorithm(name)()))


def test_labels_put_in_for_values_give_the_full_domain_release() -> None:
    seen = 0
    for seed in range(30):
        task = random_task(seed)
        task = replace(task, privacy=replace(task.privacy, max_suppression=0.2))
        try:
            result = run(task, "datafly")
        except NotReachedError:
            continue
        mapping = applied_mapping(result)
        assert mapping.columns == ["attribute", "value", "level", "published"]
        for x, attribute in enumerate(task.quasi):
            part = mapping.filter(pl.col("attribute") == attribute.name)
            assert set(part["level"]) == {(result.grouping.levels or ())[x]}
            if attribute.typed_hierarchy is None:
                assert part["published"].to_list() == list(result.release.cells[x].texts)
                told = set(part["value"].drop_nulls())
                assert told <= set(result.table[attribute.name]), "no value that is not published"
                continue
            labels = dict(zip(part["value"], part["published"], strict=True))
            codes = attribute.column.codes[result.release.order].tolist()
            made = [labels.get(value := attribute.column.values[c], value) for c in codes]
            assert made == result.table[attribute.name].to_list()
            seen += len(made)
    assert seen > 200


def test_every_class_of_a_clustering_has_its_row() -> None:
    suppressed = 0
    for seed in range(30):
        try:
            result = run(random_task(seed, city=("Italy", "France", "Japan", "India")), "gcka")
        except NotReachedError:
            continue
        suppressed += result.measures.suppressed_records
        mapping = applied_mapping(result)
        quasi = [attribute.name for attribute in result.task.quasi]
        assert mapping["class"].to_list() == list(range(1, mapping.height + 1))
        counted = result.table.group_by(quasi).len(name="records")
        assert sorted(mapping.select(*quasi, "records").rows()) == sorted(
            counted.select(*quasi, "records").rows()
        )
        for number, row in enumerate(result.table.select(quasi).rows()):
            here = int(result.classes[number])
            assert mapping.select(quasi).row(here) == row
    assert suppressed > 20


def test_no_identifier_and_no_clash_of_names() -> None:
    columns = {"name": ["Zoe", "Ann", "Bob", "Cem"], "class": [1, 2, 3, 4], "records": [5, 6, 7, 8]}
    specs = {"name": AttributeSpec(role=Role.IDENTIFIER)}
    for algorithm in ("mondrian", "datafly"):
        mapping = applied_mapping(run(make_task(columns, 2, specs), algorithm))
        assert "Zoe" not in mapping.write_csv()
        assert "name" not in mapping.columns
        if algorithm == "mondrian":
            assert mapping.columns == ["class_", "records_", "class", "records"]
