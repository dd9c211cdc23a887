"""Hypothesis strategies for projects, with words that YAML has its own ideas about."""

from __future__ import annotations

import string
from typing import Any, get_args

from hypothesis import strategies as st

from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.task.output import Order, Output
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable

ODD_WORDS = """? NA * yes No null ~ none 01234 64 0.5 1.50 1e5 -0 1995-09-20 12:30 ' " {A|B} <<
    [1..2] = é 日本 &a !x % @ ` 0x1F +3 .inf nan 1_000 true --- ...""".split()  # noqa: SIM905
WORDS = st.one_of(
    st.sampled_from([*ODD_WORDS, "", "a: b", "a #b", "- a", "\t", " x ", "a\nb", "\n", "\u2028"]),
    st.just("x" * 200),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.text(string.digits + ".-+e:", max_size=8),
)
NAMES = WORDS.filter(bool)
NUMBERS = st.one_of(st.integers(0, 10**20).map(float), st.floats(0, 1e100), st.floats(0.0001, 1.0))
POSITIVE = NUMBERS.filter(lambda x: x > 0)


def hierarchies() -> st.SearchStrategy[dict[str, Any]]:
    labels = st.lists(WORDS, max_size=3)
    rows = st.dictionaries(WORDS, labels, min_size=1, max_size=4)
    groups = st.dictionaries(NAMES, st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda name: {"file": name}, NAMES),
        st.builds(lambda name, which: {"utd": name, "attribute": which}, NAMES, NAMES),
        st.builds(lambda table: {"levels": table}, rows),
        st.builds(lambda levels: {"builder": "groups", "levels": [levels]}, groups),
        st.builds(
            lambda widths: {"builder": "intervals", "widths": widths},
            st.lists(st.integers(1, 99) | st.floats(0.01, 1e6), min_size=1, max_size=4),
        ),
        st.just({"builder": "mask", "from": "left"}),
    )


RULES = st.one_of(
    st.builds(Boundary, WORDS, WORDS, POSITIVE),
    st.builds(
        Apart,
        st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        POSITIVE,
    ),
)
ENDS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), WORDS)
SPECS = st.builds(
    AttributeSpec,
    role=st.none() | st.sampled_from(Role),
    kind=st.none() | st.sampled_from(Kind),
    format=st.none() | WORDS,
    weight=st.none() | NUMBERS,
    resolution=st.none() | POSITIVE,
    domain=st.none() | st.tuples(ENDS, ENDS),
    hierarchy=st.none() | hierarchies(),
    rules=st.builds(RuleTable, NUMBERS, st.lists(RULES, max_size=3).map(tuple)),
    rule_emphasis=st.none() | st.floats(0, 1),
    magvals=st.lists(WORDS | st.builds(Mark, st.integers(0, 9), WORDS), max_size=3).map(tuple),
    rv=st.none() | st.lists(st.none() | NUMBERS, max_size=4).map(tuple),
)
READ_OPTIONS = st.builds(
    ReadOptions,
    delimiter=st.sampled_from(["auto", ",", ";", "\t", "|", "\\t", " ", "1", "é"]),
    encoding=st.sampled_from(["auto", "utf-8", "latin-1", "437"]),
    header=st.sampled_from(["auto", True, False]) | st.lists(WORDS, max_size=3).map(tuple),
    quote=st.sampled_from(["auto", '"', "'", "none"]),
    missing_tokens=st.lists(WORDS, max_size=3).map(tuple),
    space_after_delimiter=st.sampled_from(["auto", True, False]),
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "relaxed": st.booleans(),
        "rounds": st.integers(1, 10**9),
        "penalty": st.floats(0, 10),
        "label": WORDS,
        "column": st.none() | WORDS,
    },
)
PROJECTS = st.builds(
    Project,
    data=st.builds(
        DataSource,
        path=NAMES.filter(lambda name: "\0" not in name),
        read_options=READ_OPTIONS,
        missing_policy=st.sampled_from(["value", "drop"]),
    ),
    attributes=st.dictionaries(WORDS, SPECS, max_size=4),
    weights=st.sampled_from(["equal", "auto"]),
    privacy=st.builds(Privacy, st.integers(1, 10**9), st.floats(0, 1)),
    algorithm=st.builds(AlgorithmChoice, st.just("toy"), PARAMS),
    seed=st.integers(0, 2**62),
    output=st.builds(Output, st.sampled_from(["drop", "star"]), st.sampled_from(get_args(Order))),
)
