"""Random releases of both families, with everything that makes a metric stumble."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.task import Grouping, Task
from tests.helpers import make_task

CITIES = {
    "San Diego": ["California", "West Coast", "United States"],
    "Los Angeles": ["California", "West Coast", "United States"],
    "Wichita": ["Kansas", "Midwest", "United States"],
    "Kansas City": ["Kansas", "Midwest", "United States"],
    "Lincoln": ["Lincoln", "Midwest", "United States"],
}
AGES = ["7", "20", "21", "21.0", "40", "64", "65", "90"]
AGE_LEVELS = {
    "7": ["minor", "under 65", "*"],
    "20": ["20-21", "under 65", "*"],
    "21": ["20-21", "under 65", "*"],
    "21.0": ["20-21", "under 65", "*"],
    "40": ["40-64", "under 65", "*"],
    "64": ["40-64", "under 65", "*"],
    "65": ["old", "65 up", "*"],
    "90": ["old", "65 up", "*"],
}
JOBS = ["cook", "guard", "nurse", "?"]


emphases = st.sampled_from([None, 0.5, 0.0, 1.0]) | st.floats(0, 1)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    n = draw(st.integers(1, 14))

    def column(values: list[str]) -> list[str]:
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    ages = column(AGES + ["?"] * draw(st.integers(0, 3)))
    if all(age == "?" for age in ages):
        ages[0] = "40"
    cities = column(list(CITIES))
    jobs = column(JOBS)
    specs = {
        "age": AttributeSpec(
            kind=Kind.NUMERIC,
            weight=draw(st.sampled_from([None, 0.0, 0.5])),
            domain=draw(st.sampled_from([None, (0, 100)])),
            resolution=draw(st.sampled_from([None, 0.5])),
            hierarchy=draw(st.sampled_from([None, {"levels": AGE_LEVELS}])),
            rules=draw(age_rules()),
            rule_emphasis=draw(emphases),
        ),
        "city": AttributeSpec(
            kind=Kind.CATEGORICAL,
            hierarchy={"levels": CITIES},
            rules=draw(apart_rules(sorted(set(cities)))),
            magvals=draw(st.sampled_from([(), ("California", "Kansas", "Midwest"), ("Wichita",)])),
            rv=draw(st.sampled_from([None, (0.9, None, 0.2, 0.1)])),
            rule_emphasis=draw(emphases),
        ),
        "job": AttributeSpec(kind=Kind.CATEGORICAL, rules=draw(apart_rules(sorted(set(jobs))))),
        "disease": AttributeSpec(kind=Kind.CATEGORICAL, role=Role.SENSITIVE),
        "income": AttributeSpec(kind=Kind.NUMERIC, role=Role.SENSITIVE),
    }
    if specs["age"].hierarchy and draw(st.booleans()):
        specs["age"] = AttributeSpec(**{**specs["age"].__dict__, "magvals": ("20-21", "under 65")})
    columns = {
        "age": ages,
        "city": cities,
        "job": jobs,
        "disease": column(["flu", "cancer", "?"]),
        "income": column(["1", "2", "3.5", "10", "?"]),
    }
    return make_task(columns, k=1, specs=specs, rule_emphasis=draw(emphases) or 0.0)


@st.composite
def age_rules(draw: st.DrawFn) -> RuleTable:
    boundaries = draw(st.lists(st.sampled_from([("20", "21"), ("64", "65"), ("30", "50")])))
    rules = tuple(Boundary(low, high, draw(_importances)) for low, high in boundaries[:3])
    return RuleTable(draw(st.sampled_from([0.0, 10.0])), rules)


@st.composite
def apart_rules(draw: st.DrawFn, values: list[str]) -> RuleTable:
    if len(values) < 2:
        return RuleTable()
    rules = []
    for _ in range(draw(st.integers(0, 2))):
        order = draw(st.permutations(values))
        cut = draw(st.integers(1, len(values) - 1))
        rules.append(Apart((order[0],), tuple(order[cut:]), draw(_importances)))
    return RuleTable(draw(st.sampled_from([0.0, 4.0])), tuple(rules))


_importances = st.sampled_from([1.0, 5.0, 20.0])


@st.composite
def releases(draw: st.DrawFn, everything_suppressed: bool = True) -> Release:
    task = draw(tasks())
    lowest = -1 if everything_suppressed else 0
    labels = draw(st.lists(st.integers(lowest, 4), min_size=task.n, max_size=task.n))
    if not everything_suppressed:
        labels[1:] = [draw(st.sampled_from([-1, label])) for label in labels[1:]]
    array = np.array(labels, dtype=np.int32)
    if draw(st.booleans()):
        levels = tuple(draw(st.integers(0, a.hierarchy.height)) for a in task.quasi)
        return recode(task, Grouping(array, levels))
    cells = None
    if draw(st.booleans()):
        flags = draw(st.lists(st.booleans(), min_size=3 * task.n, max_size=3 * task.n))
        cells = np.array(flags, dtype=bool).reshape(task.n, 3)
    return recode(task, Grouping(array, suppressed_cells=cells))
