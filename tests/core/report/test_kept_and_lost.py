"""What a release has kept and lost by attribute, in words, signs and a table."""

from __future__ import annotations

import pytest

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.report.kept_and_lost import (
    KEPT_SIGNS,
    LOST_SIGNS,
    gauge,
    kept_text,
    lost_text,
    release_shares,
    table_lines,
)


@pytest.mark.parametrize(
    ("share", "kept", "lost"),
    [
        (None, "–", "–"),
        (0.0, "0%", "0"),
        (0.001, "<1%", ".01"),
        (0.416, "42%", ".42"),
        (0.9999, "99%", ".99"),
        (1.0, "100%", "1"),
    ],
)
def test_only_what_is_whole_is_100_and_only_nothing_is_0(share, kept, lost) -> None:
    assert kept_text(share) == kept
    assert lost_text(share) == lost


def test_bars_tell_good_from_bad_without_colours() -> None:
    assert gauge("42%", 0.42, KEPT_SIGNS, 11) == "42% ███░░░"
    assert gauge(".01", 0.001, LOST_SIGNS, 11) == ".01 ▒·····"
    assert gauge("99%", 0.999, KEPT_SIGNS, 11) == "99% █████░"
    assert gauge("42%", 0.42, KEPT_SIGNS, 5) == "42%", "no room for a bar"


def test_a_table_of_a_full_domain_release_and_of_a_clustering() -> None:
    project = Project.load(find_sample("census").project)
    full_domain = anonymize(project.with_(algorithm="global"))
    shares = release_shares(full_domain)
    lines = table_lines(shares, bars=False)
    assert lines[0].split() == ["attribute", "level", "RV", "kept", "NCP", "lost"]
    assert len(lines) == 1 + len(full_domain.task.quasi)
    assert len({line.index("RV kept") for line in lines[:1]}) == 1
    assert not set("".join(lines)) & set(KEPT_SIGNS + LOST_SIGNS)
    for name, share in shares.attributes.items():
        assert share.lost == full_domain.measures.attributes[name].ncp
    clustered = anonymize(project.with_(algorithm="mondrian"))
    with_bars = table_lines(release_shares(clustered), bars=True)
    assert "span" in with_bars[0]
    assert any("█" in line and "·" in line for line in with_bars[1:])
