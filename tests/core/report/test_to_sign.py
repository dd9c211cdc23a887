"""The report to sign: a page of summary first, its figures recounted, free text escaped."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.analysis.utility.utility import utility_sections
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.project.project import project_from_mapping, project_to_mapping
from kanon_tui.core.report.reproduce import same_setup
from kanon_tui.core.report.story import story
from kanon_tui.core.report.to_sign import checklist_section
from tests.helpers import report_text

PROJECT = {
    "data": {"path": "people.csv"},
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"builder": "intervals", "widths": [10, 80]}},
        "town": {"role": "quasi"},
        "flu": {"role": "sensitive"},
    },
    "privacy": {"k": 4, "l": {"attribute": "flu", "distinct": 1}},
    "algorithm": {"name": "mondrian"},
    "report": {
        "purpose": "Teaching <script>alert(1)</script>",
        "recipients": "Students | of [the] course",
        "decisions": ["k = 4, decided by A. Meier", "towns are kept"],
        "signed_by": ["A. Meier (data protection officer)", "B. Roe"],
    },
}


@pytest.fixture(scope="module")
def result() -> Result:
    chance = np.random.default_rng(5)
    people = pl.DataFrame(
        {
            "name": [f"Secret {i}" for i in range(300)],
            "age": chance.integers(20, 80, 300),
            "town": [*chance.choice(["a", "b", "c"], 299).tolist(), "Rareville"],
            "flu": chance.choice(["yes", "no"], 300, p=[0.3, 0.7]),
        }
    )
    return anonymize(project_from_mapping(PROJECT), people)


def reports(result: Result) -> dict[str, str]:
    utility = utility_sections(kn.utility(result))
    return {
        end: report_text(result, Path(f"r.{end}"), utility, public=False) for end in ("html", "md")
    }


def test_the_summary_comes_first_and_the_rest_follows(result: Result) -> None:
    sections = story(result, utility_sections(kn.utility(result))).sections
    titles = [section.title for section in sections]
    assert titles[:3] == [
        "Summary",
        "Decisions and signatures",
        "The data and the roles of its columns",
    ]
    for title in (
        "Distributions, original and release", "Privacy",
        "What k-anonymity does not do", "Versions and hashes", "Words",
    ):  # fmt: skip
        assert title in titles
    summary = sections[0]
    assert ("k-anonymity", "4", str(result.measures.privacy.k)) == tuple(summary.rows[0][:3])
    assert len(summary.rows) == 2  # l-diversity was required, too
    assert any("age and town of a person" in each for each in summary.paragraphs)


def test_what_was_decided_is_there_and_does_no_harm(result: Result) -> None:
    page, text = reports(result).values()
    assert "Teaching &lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert "A. Meier (data protection officer)" in page
    assert "towns are kept" in page
    assert r"Students \| of \[the\] course" in text
    assert "| B. Roe |  |  |" in text


def test_risks_are_those_of_a_recount(result: Result) -> None:
    frame = pd.DataFrame(result.table.to_dict(as_series=False))
    classes = frame.groupby(["age", "town"])["flu"]
    alone = classes.transform("nunique") == 1
    sizes = classes.transform("size")
    told = next(s for s in story(result).sections if s.title == "Privacy").rows
    said = {row[0]: row[1] for row in told}
    assert float(str(said["Highest risk"])) == pytest.approx(1 / sizes.min(), rel=1e-3)
    assert float(str(said["Mean risk"])) == pytest.approx((1 / sizes).mean(), rel=1e-3)
    assert said["Risk above 10%"] == f"{int((sizes < 10).sum()):,}"
    assert said["Revealed: flu"] == f"{int(alone.sum()):,}"


def test_no_report_has_people_or_rare_values(result: Result) -> None:
    for text in reports(result).values():
        assert "Secret" not in text
    page = reports(result)["html"]
    drawn = page[page.index('<div class="pictures">') :]
    assert "Rareville" not in drawn[: drawn.index("</section>")]


class _Balanced(HTMLParser):
    """Every tag that is opened is closed, in order; nothing is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.addresses += [v or "" for n, v in attrs if n in ("src", "href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_has_pictures_and_prints(result: Result) -> None:
    page = reports(result)["html"]
    parser = _Balanced()
    parser.feed(page)
    assert parser.open == []
    assert parser.addresses == []
    assert "@page" in page
    assert "@media print" in page
    assert page.count("<figure>") == 3  # age, town, flu
    utility = kn.utility(result)
    for each in utility.marginals:
        for share in (*each.original, *each.release):
            assert f"</span>{share:.1%}</td>" in page


def test_markdown_has_the_shares_of_every_group(result: Result) -> None:
    text = reports(result)["md"]
    assert "**age**" in text
    assert "| Group | Original | Release |" in text


def test_what_a_report_says_is_kept_in_the_project_and_changes_no_run() -> None:
    project = project_from_mapping(PROJECT)
    assert project_to_mapping(project)["report"] == PROJECT["report"]
    silent = project_from_mapping({k: v for k, v in PROJECT.items() if k != "report"})
    assert same_setup(project, silent)


def test_a_required_risk_has_its_row(result: Result) -> None:
    privacy = {"k": 4, "risk": {"model": "marketer", "max": 0.2}}
    project = project_from_mapping({**PROJECT, "privacy": privacy})
    found = anonymize(project, result.task.table)
    row = story(found).sections[0].rows[-1]
    sizes = found.table.group_by("age", "town").len()["len"]
    assert row[0] == "Marketer risk"
    assert float(str(row[2])) == pytest.approx(len(sizes) / sizes.sum(), rel=1e-3)
    assert float(str(row[2])) <= 0.2


def test_the_checklist_counts_the_people_whose_class_has_one_value(result: Result) -> None:
    frame = pd.DataFrame(result.table.to_dict(as_series=False))
    alone = frame.groupby(["age", "town"])["flu"].transform("nunique") == 1
    assert checklist_section(result).rows[0][1] == f"flu: {int(alone.sum()):,} people"
