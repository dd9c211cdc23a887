"""The map of records and the cockpit, from recorded steps of the papers' samples."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.clustering.cutting_events import GroupSplit
from kanon_tui.core.clustering.events import SUPPRESSED, UNPLACED, GroupEvent
from kanon_tui.core.clustering.features import ranks
from kanon_tui.core.task.task import Family
from kanon_tui.core.teaching.candidates import Candidates
from kanon_tui.core.teaching.clusters import RecordMap, Tree, mark_of
from kanon_tui.core.teaching.cockpit import Cockpit, objective_points
from kanon_tui.core.teaching.picture import Tone
from kanon_tui.core.teaching.records import Records
from tests.core.teaching.recorded import MIDDLE, WIDE, drawn, number_of, recorded, scene

CLUSTERINGS = [name for name, each in ALGORITHMS.items() if each.family is Family.CLUSTERING]


def area_of(picture: str) -> str:
    """The rows of a map above its axis, without the title and the list of clusters."""
    return picture[picture.index("\n") : picture.index("└─")]


def groups_of_steps(name: str, number: int) -> list[int] | None:
    """The cluster of every record, worked out from the events of the steps by themselves."""
    _, timeline = recorded(ALGORITHMS[name].sample, name)
    groups: list[int] | None = None
    for _, step in timeline.steps(1, number):
        if isinstance(step.event, GroupEvent):
            groups = groups if step.event.start is None else step.event.start.tolist()
            moves = step.event.moves
            for row, group in zip(moves.records.tolist(), moves.groups.tolist(), strict=True):
                groups[row] = group
    return groups


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_every_record_has_the_mark_of_its_cluster(name: str) -> None:
    sample = ALGORITHMS[name].sample
    run, timeline = recorded(sample, name)
    for number in range(1, timeline.last + 1):
        groups = groups_of_steps(name, number)
        shown = scene(sample, name, number)
        if groups is None:
            continue
        step = timeline.step(number)
        rows = step.event.records
        decided = set(rows.tolist() if len(rows) == 1 else ())
        if isinstance(step.event, GroupSplit):
            decided = set(step.event.seeds)
        lit = {groups[row] for row in rows}
        sizes = Counter(groups)
        wanted: Counter[str] = Counter()
        for record, group in enumerate(groups):
            single = sizes[group] == 1 and group not in lit
            alone = "○" if single else mark_of(shown.state, group)[0]
            mark = {UNPLACED: "○", SUPPRESSED: "×"}.get(group, alone)
            wanted["◎" if record in decided and group >= 0 and not single else mark] += 1
        picture = area_of(RecordMap().draw(shown, *MIDDLE).plain())
        drawn_marks = Counter(sign for sign in picture if sign in "×○◎●■▲◆▼◉▣◈✚✦◐◧")
        assert drawn_marks == wanted, (number, picture)
    assert run.task.n == len(groups_of_steps(name, timeline.last) or ())


def test_the_cut_is_a_line_between_the_records_it_parts() -> None:
    picture = drawn(RecordMap(), "mondrian", "mondrian", 1, MIDDLE)
    assert picture.startswith("age ↑  zip →")
    lines = area_of(picture).split("\n")
    at = {n for line in lines for n, sign in enumerate(line) if sign == "┃"}
    assert len(at) == 1
    assert sum(sign in "●■" for line in lines for sign in line[max(at) :]) == 2


def test_earlier_cuts_stay_as_lines_of_another_colour() -> None:
    def tones(number: int) -> set[Tone]:
        rows = RecordMap().draw(scene("mondrian", "mondrian", number), *MIDDLE).rows
        return {tone for row in rows for text, tone in row if set(text) & set("┃━╎╌")}

    assert tones(1) == {"warn"}
    assert tones(2) == {"warn", "dim"}


def test_arrows_turn_the_map_and_hidden_attributes_are_said() -> None:
    drawing = RecordMap()
    shown = scene("mondrian", "mondrian", 1)
    assert "hidden: gender" in drawing.draw(shown, *WIDE).plain()
    drawing.move(shown, 0, 1)
    assert drawing.draw(shown, *WIDE).plain().startswith("gender ↑  zip →")
    drawing.move(shown, 1, 0)
    assert drawing.draw(shown, *WIDE).plain().startswith("gender ↑  age →")


def test_principal_axes_come_after_the_last_attribute() -> None:
    """The map agrees with components that a singular value decomposition of the records finds."""
    drawing = RecordMap()
    shown = scene("spatial-distance", "sd", 4)
    assert drawing.draw(shown, *WIDE).plain().startswith("nationality ↑  age →")
    for _ in range(3):
        drawing.move(shown, 1, 0)
        picture = drawing.draw(shown, *WIDE).plain()
        if "principal" in picture:
            break
    assert picture.startswith("principal axis 2 ↑  principal axis 1 →")
    assert "hidden" not in picture
    age, *others = shown.task.quasi
    ages = np.array([float(age.column.values[code]) for code in age.column.codes])
    columns = [(ages - ages.min()) / np.ptp(ages)]
    for other in others:
        rank = ranks(other)
        columns.append(rank[other.column.codes] / rank.max())
    points = np.column_stack(columns)
    values = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) ** 2
    shares = [int(share) for share in re.findall(r"\((\d+)% of the variance\)", picture)]
    assert len(shares) == 2
    assert sum(area_of(picture).count(mark) for mark in "○●◎") == shown.task.n
    assert shares == [round(100 * value / values.sum()) for value in values[:2]]
    drawing.move(shown, 1, 0)
    assert "principal" not in drawing.draw(shown, *WIDE).plain()


def test_categories_stand_under_their_columns() -> None:
    lines = drawn(RecordMap(), "similarity", "sbc", 4, WIDE).split("\n")
    axis = next(n for n, line in enumerate(lines) if "└" in line)
    assert lines[axis].count("┬") == 4
    for word in ("Bachelor", "High", "Master", "PhD"):
        assert word in lines[axis + 1]


def test_the_candidate_is_tethered_with_its_distance() -> None:
    picture = drawn(RecordMap(), "patients", "k-member", 4, WIDE)
    assert "◎" in picture
    assert re.search(r"\b3\b", picture.replace("36", "").replace("33", ""))
    merged = drawn(RecordMap(), "race-rules", "udc", 8, WIDE)
    assert "0.542" in merged


def test_the_centre_of_sd_leaves_a_trail() -> None:
    picture = drawn(RecordMap(), "spatial-distance", "sd", 4, WIDE)
    assert picture.count("✛") == 1
    assert "✛" not in drawn(RecordMap(), "similarity", "sbc", 4, WIDE)


def test_top_down_marks_its_two_seeds() -> None:
    run, timeline = recorded("race-rules", "top-down")
    split = timeline.step(1).event
    one, other = split.seeds
    upper = set(split.moves.records.tolist())
    assert (one in upper) != (other in upper)  # a seed on either side
    assert drawn(RecordMap(), "race-rules", "top-down", 1, MIDDLE).count("◎") == 2
    assert run.task.n == 30


def test_gcka_tints_the_groups_of_magvals() -> None:
    rows = RecordMap().draw(scene("locations", "gcka", 4), *MIDDLE).rows
    tones = {tone for row in rows for text, tone in row if "○" in text}
    assert len(tones - {"dim"}) == 2  # two groups wait, each with its hue


def test_the_list_names_the_clusters_with_what_they_publish() -> None:
    first = drawn(RecordMap(), "patients", "k-member", 2, WIDE)
    assert "1 cluster" in first
    assert "✗ 1 below k = 3" in first
    assert "○ 4 not placed" in first
    last = drawn(RecordMap(), "patients", "k-member", -1, (120, 30))
    assert "✓ 0 below k = 3" in last
    assert "3✓ 4790*, Person, 33" in last


def test_large_tables_are_dots() -> None:
    picture = drawn(RecordMap(), "census", "mondrian", 40, WIDE)
    assert sum("⠀" < sign <= "⣿" for sign in picture) > 200


def test_the_tree_has_a_row_per_part() -> None:
    assert drawn(Tree(), "mondrian", "mondrian", 2).split("\n")[:5] == [
        "all   6",
        "├ zip ≤ 23111   4",
        "│ ├ ▸ age ≤ 36   2 …",
        "│ └ age > 36   2 …",
        "└ zip > 23111   2 …",
    ]
    assert drawn(Tree(), "mondrian", "mondrian", -1).count("✓") == 3 + 1
    assert drawn(Tree(), "race-rules", "top-down", 3).split("\n")[:4] == [
        "all   30",
        "├ race any   27",
        "│ ├ race White   6",
        "│ │ ├ ▸ age 38–61   3 …",
    ]


def test_the_widest_attribute_is_told_with_the_others() -> None:
    picture = drawn(Candidates(), "mondrian", "mondrian", 2)
    assert [line.split()[-1] for line in picture.split("\n")[2:5]] == ["1.0", "0.5", "0"]
    assert "▸ age" in picture
    assert "runner-up 0.5 behind" in picture


def test_the_records_of_the_part_turn_into_ranges() -> None:
    picture = drawn(Records(), "mondrian", "mondrian", 2, WIDE)
    assert "▸1  23111" in picture
    assert "35→[35..36]" in picture
    assert "▸ 4 concerned" in picture


def test_records_of_a_large_table_are_drawn_at_rest_alone(monkeypatch) -> None:
    monkeypatch.setattr("kanon_tui.core.teaching.records.MOST_ROWS", 5)
    pane = Records()
    pane.at_rest = False
    assert "space pauses" in drawn(pane, "mondrian", "mondrian", 2, WIDE)
    pane.at_rest = True
    assert "▸ 4 concerned" in drawn(pane, "mondrian", "mondrian", 2, WIDE)


def test_the_cockpit_has_a_curve_with_numbers_and_a_histogram_with_k() -> None:
    picture = drawn(Cockpit(), "race-rules", "udc", -1, MIDDLE)
    number = number_of("race-rules", "udc", "joins")
    assert number == 1
    _, timeline = recorded("race-rules", "udc")
    name, points = objective_points(timeline, timeline.last)
    assert name == "RV"
    assert points[0] == (1, timeline.step(1).counters["rv"])
    ticks = re.findall(r"^ *([\d.]+)┤", picture, re.M)
    assert len(set(ticks)) == len(ticks) == 3
    assert f"step {timeline.last}" in picture
    assert "✓ 9 classes, 0 below k = 3" in picture
    assert "records per class, k = 3 at │" in picture


def test_a_figure_that_does_not_change_has_one_number_at_its_axis() -> None:
    picture = drawn(Cockpit(), "patients", "k-member", 1, MIDDLE)
    assert re.findall(r"^ *([\d.]+)┤⠤", picture, re.M) == ["0.0000"]
