"""The context of a release in the project and in the report."""

from __future__ import annotations

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project, project_from_mapping, project_to_mapping
from kanon_tui.core.project.sections import PRESETS, ReleaseContext
from kanon_tui.core.report.formats import markdown
from kanon_tui.core.report.story import story

FRAME = pl.DataFrame({"age": [str(age) for age in (20, 21, 40, 41)], "ill": list("abab")})


def project(**context: object):
    attributes = {"age": {"role": "quasi", "kind": "numeric"}, "ill": {"role": "sensitive"}}
    return project_from_mapping(
        {
            "data": {"path": "x.csv"},
            "attributes": attributes,
            "privacy": {"k": 2},
            "algorithm": {"name": "mondrian"},
            "context": context,
        }
    )


def text_of(made: Project) -> str:
    return markdown(story(anonymize(made, FRAME)))


def test_a_preset_fills_the_threshold_and_names_its_source() -> None:
    assert ReleaseContext(preset="ema-0070").bound == 0.09
    assert ReleaseContext(preset="ema-0070", threshold=0.05).bound == 0.05
    assert ReleaseContext(preset="wp29").bound is None
    assert all(preset.source for preset in PRESETS.values())
    assert round(1 / PRESETS["small-cells"].threshold) == 11


def test_the_report_holds_the_risk_against_what_is_accepted() -> None:
    made = project(preset="public", recipient="public", decided_by="A. Jones", review="2027-05-01")
    assert project_to_mapping(made)["context"]["recipient"] == "public"
    text = text_of(made)
    assert "Context of the release" in text
    assert "0.5, EXCEEDS what is accepted" in text
    assert "not a legal verdict" in text
    assert "A. Jones" in text
    assert "is within what is accepted" in text_of(project(threshold=0.5))
    assert "Context of the release" not in text_of(project())


@pytest.mark.parametrize("wrong", [{"preset": "gdpr"}, {"recipient": "all"}, {"threshold": 2}])
def test_what_is_not_allowed_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=f"context.{next(iter(wrong))}"):
        project(**wrong)
