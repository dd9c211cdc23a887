"""A run as a handout: steps, pictures, nothing from the data read as markup."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.teaching.handout import handout_html, handout_markdown, make_handout


def handout(first: int = 1, last: int | None = None, records: bool = False):
    project = Project.load(find_sample("mondrian").project)
    return make_handout(project, prepare(project), first, last, records)


class Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_both_formats_have_every_step_with_its_picture() -> None:
    made = handout(records=True)
    page = Texts()
    page.feed(handout_html(made))
    plain = handout_markdown(made)
    assert [step.number for step in made.steps] == [1, 2, 3, 4, 5]
    assert page.tags.count("pre") == 15
    assert "script" not in page.tags
    for text in ("Cut 4 records by age", "▸ age", "35→[35..36]", "The release has 3 classes"):
        assert text in page.text
        assert text in plain
    assert "e: the formula" not in plain


def test_a_stretch_of_steps_knows_what_came_before() -> None:
    made = handout(2, 2)
    assert [step.number for step in made.steps] == [2]
    assert "zip ↑  age →" in handout_markdown(made)
    with pytest.raises(InputError, match="the run has 5 steps, --from is 9"):
        handout(9)


def test_records_are_left_out_of_what_is_not_bundled() -> None:
    assert "35→[35..36]" not in handout_markdown(handout())
    assert "not for publication" in handout_html(handout())
