"""The risk of a release whose project is at hand: people, weights, suppressed records."""

from __future__ import annotations

import pandas as pd
import pytest

import kanon_tui as kn
from kanon_tui.core.analysis.population_risk import KnownPopulation, release_risk
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.guesses import planned_columns
from kanon_tui.core.project.project import AlgorithmChoice, DataSource, Project
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table

ROWS = pd.DataFrame(
    {
        "who": ["a", "a", "b", "c", "d", "e", "f", "g", "h"],
        "town": ["X"] * 4 + ["Y"] * 4 + ["Z"],
        "weight": ["3", "5", "4", "4", "10", "10", "10", "10", "99"],
    }
)


def released(role: Role) -> Result:
    project = Project(
        data=DataSource(path="people.csv"),
        attributes={
            "who": AttributeSpec(role=role, kind=Kind.CATEGORICAL),
            "town": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
            "weight": AttributeSpec(role=Role.IDENTIFIER, kind=Kind.NUMERIC),
        },
        privacy=Privacy(k=2, max_suppression=0.2),
        algorithm=AlgorithmChoice("global"),
    )
    result = anonymize(project, as_table(ROWS))
    assert result.measures.suppressed_records == 1  # the one of Z
    assert "weight" not in result.table.columns
    return result


@pytest.mark.parametrize("asked", [False, True])
def test_a_survey_weight_is_used_and_published_only_when_asked(asked: bool, tmp_path) -> None:
    people = ROWS.iloc[:8]
    people.to_csv(tmp_path / "people.csv", index=False)
    roles = {"town": "quasi", "who": "identifier"}
    weight = {"role": "weight", "publish_unique": asked}
    project = kn.Project.from_dict(
        {"data": {"path": str(tmp_path / "people.csv")}, "privacy": {"k": 2},
         "attributes": {**{n: {"role": r} for n, r in roles.items()}, "weight": weight}}
    )  # fmt: skip
    treatments = {plan.name: plan.treatment for plan in planned_columns(project)}
    assert (treatments["weight"] == "published as it is") is asked
    release = kn.anonymize(project)
    assert ("weight" in release.table.columns) is asked
    found = kn.risk(project)
    assert (found.by, found.population) == ("weights", 56)
    assert kn.risk(project, population=100).by == "size"  # what is said counts more


def test_suppressed_people_were_drawn_too_as_a_required_risk_counts_them() -> None:
    result = released(Role.IDENTIFIER)
    found = release_risk(result, result.project, KnownPopulation(90))
    assert (found.records, found.classes) == (8, 2)
    bound = RiskBound("journalist", 0.5, population=90)
    asked = bound.figure(result.measures.privacy.class_sizes, result.task.people)
    assert found.models["journalist"].highest == pytest.approx(asked) == pytest.approx(1 / 40)
    with pytest.raises(InputError, match="8 people, but the table has 9"):
        release_risk(result, result.project, KnownPopulation(8))


def test_people_and_weights_are_those_of_the_original_records() -> None:
    result = released(Role.PERSON)
    found = release_risk(result, result.project, KnownPopulation(weights="weight"))
    assert (found.records, found.people) == (8, 7)
    assert found.models["prosecutor"].highest == pytest.approx(1 / 3)  # a, b and c of X
    assert found.models["journalist"].highest == pytest.approx(1 / 12)  # a stands for (3 + 5) / 2
    assert found.population == 52
