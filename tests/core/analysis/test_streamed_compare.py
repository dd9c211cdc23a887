"""Two releases in their files differ as the same two do in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kanon_tui.core.analysis.compare import compare, compare_streamed
from kanon_tui.core.errors import InputError
from kanon_tui.core.processes.memory_limit import AT_LEAST
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["value", "drop"])
def test_everything_that_differs_is_what_differs_in_memory(tmp_path, missing):
    people(160).write_csv(tmp_path / "in.csv")
    data = {"path": str(tmp_path / "in.csv"), "missing": {"policy": missing}}
    asked = [
        project(tmp_path / "in.csv", data=data, algorithm={"name": name}, output=output)
        for name, output in (("mondrian", {}), ("global", {"suppressed": "star"}))
    ]
    one, other = (in_memory(each, tmp_path / "m.csv") for each in asked)
    files = [streamed(each, Target(tmp_path / f"{n}.csv")) for n, each in enumerate(asked)]
    expected, found = compare(one, other), compare_streamed(*files)
    kept = one.task.table.kept
    numbers = range(160) if kept is None else kept.tolist()
    assert found.in_file_order.tolist() == [*numbers]
    wanted = [numbers[place] for place in expected.most_different]
    assert found.most_different.tolist() == wanted
    otherwise = {int(numbers[r]) for flags in expected.differs.values() for r in flags.nonzero()[0]}
    assert set(found.record_differs.nonzero()[0].tolist()) == otherwise
    assert otherwise
    assert found.attributes == expected.attributes
    assert found.rules == expected.rules
    figures = [
        [str(one) for one in each.figures if one.name not in ("seconds", "ncp_class")]
        for each in (expected, found)
    ]
    assert figures[0] == figures[1]
    same = compare_streamed(files[0], files[0])
    assert not same.record_differs.any()

    tight = replace(asked[0], run=replace(asked[0].run, memory=AT_LEAST))
    with pytest.raises(InputError, match="comparing all records takes"):
        compare_streamed(replace(files[0], project=tight), files[1])
    (tmp_path / "in.csv").write_text("something else")
    with pytest.raises(InputError, match="not made of the same files, or these have changed"):
        compare_streamed(*files)
