"""Pictures of cuts, from the recorded steps of Mondrian on SBC table 2-12."""

from __future__ import annotations

from kanon_tui.core.teaching.charts import ClassSizes, Curve
from kanon_tui.core.teaching.cut_diagram import CutDiagram, CutTree
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.teaching.why_this_one import WhyThisOne
from tests.core.teaching.recorded import WIDE, drawn, scene


def test_the_cut_is_a_line_between_the_records_it_parts() -> None:
    picture = drawn(CutDiagram(), "mondrian", "mondrian", 1)
    lines = picture.split("\n")
    assert lines[0].startswith("zip × age")
    drawn_rows = [line for line in lines if "┤" in line]
    assert all("│" in line for line in drawn_rows)
    assert picture.count("●") == 6 + 1  # every record, and the legend
    line = drawn_rows[0].index("│")
    assert sum(row[line + 1 :].count("●") for row in drawn_rows) == 2


def test_arrows_choose_the_axes() -> None:
    drawing = CutDiagram()
    shown = scene("mondrian", "mondrian", 1)
    drawing.move(shown, 0, 1)
    assert drawing.draw(shown, *WIDE).plain().startswith("zip × gender")
    drawing.move(shown, 1, 0)
    assert drawing.draw(shown, *WIDE).plain().startswith("age × gender")


def test_the_tree_has_a_row_per_part() -> None:
    assert drawn(CutTree(), "mondrian", "mondrian", 2).split("\n")[:5] == [
        "all   6",
        "├ zip ≤ 23111   4",
        "│ ├ age ≤ 36   2 … ◂",
        "│ └ age > 36   2 …",
        "└ zip > 23111   2 …",
    ]
    assert drawn(CutTree(), "mondrian", "mondrian", -1).count("✓") == 3 + 1


def test_the_widest_attribute_is_told_with_the_others() -> None:
    picture = drawn(WhyThisOne(), "mondrian", "mondrian", 2)
    assert [line.split()[-1] for line in picture.split("\n")[2:5]] == ["1", "0.5", "0"]
    assert "▸ age" in picture
    assert "runner-up 0.5 behind" in picture


def test_the_records_of_the_part_turn_into_ranges() -> None:
    picture = drawn(Records(), "mondrian", "mondrian", 2, WIDE)
    assert "▸1  23111" in picture
    assert "35→[35..36]" in picture
    assert "▸ 4 concerned" in picture


def test_class_sizes_and_the_curve_have_axes() -> None:
    sizes = drawn(ClassSizes(), "mondrian", "mondrian", -1)
    assert sizes.startswith("3 classes  ✓ 0 records in classes below 2")
    assert "3 ┤" in sizes
    curve = drawn(Curve(), "mondrian", "mondrian", 2)
    assert curve.startswith("NCP 0.2037 now")
    assert "0.4074 ┤█" in curve


def test_earlier_cuts_stay_as_the_lines_of_regions() -> None:
    picture = drawn(CutDiagram(), "race-rules", "mondrian", 5)
    assert "┤────" in picture  # race was cut first
    assert "┤────" not in drawn(CutDiagram(), "race-rules", "mondrian", 4).split("\n")[1]


def test_top_down_draws_two_sides_and_its_tree() -> None:
    picture = drawn(CutDiagram(), "race-rules", "top-down", 3)
    assert picture.startswith("age × race  ● first side  ○ second")
    assert sum(line.count("○") for line in picture.split("\n")[1:]) == 3
    assert drawn(CutTree(), "race-rules", "top-down", 3).split("\n")[:6] == [
        "all   30",
        "├ race any   27",
        "│ ├ race White   6",
        "│ │ ├ age 38–61   3 … ◂",
        "│ │ └ age 66–90   3 …",
        "│ └ race any   21 …",
    ]
    why = drawn(WhyThisOne(), "race-rules", "top-down", 3)
    assert "▸ age" in why
