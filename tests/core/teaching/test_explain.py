"""A run told in sentences: complete, numbered, and true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.task import Family
from kanon_tui.core.teaching.handout import explain

SMALL = ["datafly", "incognito", "mondrian", "locations", "patients", "race-rules", "similarity"]


def sample(name: str, algorithm: str | None = None, k: int | None = None) -> Project:
    project = Project.load(find_sample(name).project)
    if algorithm is not None and algorithm != project.algorithm.name:
        params = {"accept_root": True} if algorithm == "local" else {}
        project = replace(project, algorithm=AlgorithmChoice(algorithm, params))
    if k is not None:
        project = replace(project, privacy=replace(project.privacy, k=k))
    return project


def told(project: Project, most: int = 200) -> tuple[list[str], list[str], list[str]]:
    """Introduction, numbered decisions, outcome."""
    lines = list(explain(project, prepare(project), most))
    assert lines.count("") == 2
    first = lines.index("")
    second = lines.index("", first + 1)
    return lines[:first], lines[first + 1 : second], lines[second + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_tells_its_run_in_whole_sentences(algorithm: str, name: str) -> None:
    project = sample(name, algorithm)
    result = anonymize(project)
    before, decisions, after = told(project, most=10_000)
    assert f"{result.task.n} records" in before[0]
    assert f"k is {result.task.k}:" in before[1]
    assert before[2].startswith(result.algorithm.title)
    assert decisions
    for number, line in enumerate(decisions, start=1):
        assert re.match(rf"{number}\. [^a-z]", line), line
        assert line.endswith("."), line
        assert "decisions; the last" not in line, "one decision each"
    outcome = " ".join(after)
    measures = result.measures
    if measures.classes > 1:
        even = measures.smallest_class == measures.largest_class
        sizes = "each has" if even else "the smallest has"
        assert (
            f"has {measures.classes:,} classes; {sizes} {measures.smallest_class:,} record"
            in outcome
        )
    assert f"NCP is {measures.ncp:.4f}" in outcome
    assert f"research value {measures.rv:.4f}" in outcome
    levels = result.algorithm.family is Family.FULL_DOMAIN
    assert outcome.startswith("Published: ") == levels
    assert all(line.endswith(".") for line in (*before, *after))


@pytest.mark.slow
def test_numbers_agree_with_their_nouns() -> None:
    for name in SMALL:
        for algorithm in ALGORITHMS:
            for line in explain(sample(name, algorithm), prepare(sample(name)), 10_000):
                assert not re.search(
                    r"\b1 (\w+ )?(records|strings|groups|classes|cells)\b", line
                ), line
                assert not re.search(r"\b1 are\b", line), line


def test_datafly_on_table_2_7_raises_birth_twice_and_suppresses_two() -> None:
    """SBC tables 2-7 to 2-9: birth dates end as years, T7 and T8 are suppressed."""
    before, decisions, after = told(sample("datafly"))
    assert "birth, gender, zip and race" in before[0]
    assert sum("Raise birth" in line for line in decisions) == 2
    assert not any(
        f"Raise {other}" in line for other in ("gender", "zip", "race") for line in decisions
    )
    assert decisions[-1].endswith("Suppress the 2 records in classes below 2.")
    assert "2 records of 12 are suppressed." in after


def test_of_many_decisions_the_first_are_told_and_all_are_counted() -> None:
    _, decisions, _ = told(sample("incognito"), most=10_000)
    _, some, after = told(sample("incognito"), most=5)
    assert some[:5] == decisions[:5]
    assert some[5:] == [f"(The first 5 of {len(decisions)} decisions; --most prints more of them.)"]
    assert any("NCP" in line for line in after)


def test_a_k_of_one_and_a_single_attribute_read_well() -> None:
    before, _, _ = told(sample("patients", "mondrian", k=1))
    assert before[1] == "k is 1: every record may stand alone."


def test_without_a_release_the_decisions_come_before_the_reason() -> None:
    project = sample("locations", k=4)  # no group of MAGVals has four people
    lines: list[str] = []
    with pytest.raises(NotReachedError):
        lines.extend(explain(project, prepare(project)))
    assert any(line.startswith("1. ") for line in lines)
