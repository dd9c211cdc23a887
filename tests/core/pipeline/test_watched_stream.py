"""A streaming run is watched, stopped in any pass, and copied: a whole release, or nothing."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline import stream as engine
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import State, anonymize, conclude
from kanon_tui.core.pipeline.stream import PASSES, StoppedError, WatchedStream
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.table.writing import Target
from kanon_tui.core.teaching.candidates import Candidates
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline, pictures_of, watched, watched_run
from kanon_tui.core.teaching.records import Records
from tests.core.pipeline.compared import figures, streamed
from tests.core.pipeline.test_stream import people, project

COUNTABLE = [name for name, each in ALGORITHMS.items() if each.works_on_counted_rows]


def watching(asked, target, **how):
    return WatchedStream(asked, target, False, lambda run: watched(run, **how))


def untimed(live):
    """The steps of a run without their times, which no picture of a twin shares."""
    made = new_timeline(live.run.algorithm)
    for _, step in live.timeline.steps(1, live.timeline.last):
        made.add(step)
    return made


@pytest.mark.parametrize("algorithm", COUNTABLE)
def test_pictures_of_counted_rows_are_those_of_records(tmp_path, algorithm):
    people(150).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv", algorithm={"name": algorithm})
    stream = watching(asked, Target(tmp_path / "out.csv"))
    result = stream.run()
    assert [one.name for one in stream.passes] == list(PASSES)
    assert stream.over
    live, other = stream.live, watched_run(asked, prepare(asked, asked.read_data()))
    other.drive()
    steps = [[one.timeline.step(number).sentence for number in range(1, one.timeline.last + 1)]
             for one in (live, other)]  # fmt: skip
    assert steps[0] == steps[1]
    for number in {1, live.timeline.last // 2 + 1, live.timeline.last}:
        scenes = [Scene(one.run.task, one.run.algorithm, untimed(one), number)
                  for one in (live, other)]  # fmt: skip
        for drawing in (*pictures_of(ALGORITHMS[algorithm]), Candidates()):
            is_map = drawing.name == "map"  # there a mark may stand for several records
            room = (2_000, 18) if is_map else (70, 18)
            counted, records = (drawing.draw(scene, *room).plain() for scene in scenes)
            if is_map:
                counted, records = (
                    sorted(re.findall(r": (\d+[✓/]\d* .*?)(?:  |$)", text, re.M))
                    for text in (counted, records)
                )
            assert counted == records, drawing.name
        drawn = [Records().draw(scene, 70, 18).plain() for scene in scenes]
        assert "×" in drawn[0]  # how many records a row stands for
        assert "×" not in drawn[1]
    both = figures(result), figures(conclude(other.run, asked))
    if any(result.task.counted_levels):  # values below a level that fails alone were not counted
        assert both[0]["metrics"].pop("ncp_class") is None
        both[1]["metrics"].pop("ncp_class")
    assert both[0] == both[1]


@pytest.mark.parametrize("algorithm", COUNTABLE)
def test_the_search_of_very_many_rows_is_told_and_not_drawn(tmp_path, algorithm, monkeypatch):
    monkeypatch.setattr(engine, "MOST_DRAWN", 5)
    people(120).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv", algorithm={"name": algorithm})
    stream = watching(asked, Target(tmp_path / "out.csv"))
    stream.run()
    live = stream.live
    assert not live.run.context.watched
    assert live.timeline.step(live.timeline.last).sentence
    scene = Scene(live.run.task, live.run.algorithm, live.timeline, live.timeline.last)
    for drawing in (*pictures_of(ALGORITHMS[algorithm]), Candidates(), Records()):
        assert drawing.draw(scene, 70, 18).plain()


@pytest.mark.parametrize("where", PASSES)
@pytest.mark.parametrize("name", ["out.parquet", "out"])
def test_a_run_that_is_stopped_in_a_pass_leaves_nothing(tmp_path, where, name, monkeypatch):
    people(100).write_csv(tmp_path / "in.csv")
    stream = watching(project(tmp_path / "in.csv"), Target.parse(f"{tmp_path}/{name}"))
    note = stream._note

    def noted(what, share):
        note(what, share)
        if what == where:
            stream.stop()

    monkeypatch.setattr(stream, "_note", noted)
    with pytest.raises(StoppedError, match="stopped; nothing was written"):
        stream.run()
    assert os.listdir(tmp_path) == ["in.csv"]
    assert stream.over


def test_a_search_that_is_cancelled_ends_with_the_best_so_far(tmp_path):
    people(200).write_csv(tmp_path / "in.csv")
    target = Target(tmp_path / "out.csv")
    stream = watching(project(tmp_path / "in.csv"), target)
    watch = stream.watch

    def cancelled_at_once(run):
        live = watch(run)
        next(run)
        stream.live = live
        stream.cancel()
        return live

    stream.watch = cancelled_at_once
    result = stream.run()
    assert stream.live.run.state is State.CANCELLED
    assert result.files[0].path == target.path
    assert result.measures.smallest_class >= 3


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out"])
def test_copies_are_the_proved_bytes_or_nothing(tmp_path, name):
    people(150).write_csv(tmp_path / "in.csv")
    target = Target.parse(f"{tmp_path}/{name}")
    result = streamed(project(tmp_path / "in.csv"), target)
    other = Target.parse(f"{tmp_path}/copy{target.path.suffix}")
    result.copy_to(other)
    copied = [file.path.read_bytes() for file in other.written()]
    assert copied == [file.path.read_bytes() for file in result.files]
    with pytest.raises(InputError, match="exists and is kept"):
        result.copy_to(other)
    wrong = "again.parquet" if name != "out.parquet" else "again.csv"
    with pytest.raises(InputError, match="copied as it was proved; name a"):
        result.copy_to(Target.parse(f"{tmp_path}/{wrong}"))
    result.files[0].path.write_bytes(b"something else")
    third = Target.parse(f"{tmp_path}/third{target.path.suffix}")
    with pytest.raises(InputError, match="was changed after it had been proved"):
        result.copy_to(third)
    assert not third.path.exists()
    assert not [each for each in os.listdir(tmp_path) if each.startswith(".")]


def test_the_command_says_how_it_was_streamed(tmp_path):
    people(100).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv", run={"memory": "4GB"})
    result = streamed(asked, None)
    assert " --engine stream --memory 4GB --out " in reproduce(result)
    for scheduler, words in (
        ("tls://host:8786", "--scheduler tls://host:8786"),
        ("tcp://host:8786", "--scheduler tcp://host:8786 --insecure"),
    ):
        on_cluster = {"engine": "dask", "scheduler": scheduler}
        other = replace(result, project=project(tmp_path / "in.csv", run=on_cluster))
        assert f" --engine dask {words} --out " in reproduce(other)
    assert "--engine" not in reproduce(anonymize(asked))
