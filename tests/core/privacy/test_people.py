"""People, not records: every figure, search, clustering and proof counts each person once."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, permutations
from math import exp, log

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.twins.full_domain import Levels, all_strings, best
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, conclude, start
from kanon_tui.core.pipeline.trial import sampled
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, PSensitivity
from kanon_tui.core.privacy.requirements import PeopleRequirement
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.privacy.verify import classes_without, verify
from kanon_tui.core.privacy.verify_figures import People
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import GroupValues, Kind, Role
from kanon_tui.core.table.table import Table, as_table, code_column
from kanon_tui.core.task.task import Family, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import classes
from tests.tries import tries

CLUSTERING = [name for name, a in ALGORITHMS.items() if a.family is Family.CLUSTERING]
REQUIREMENTS = (
    (),
    (),
    (DistinctLDiversity(2, "label"),),
    (PSensitivity(3, "label"),),
    (AlphaKAnonymity(0.7, "label"),),
    (AlphaKAnonymity(0.6, "label", ("a",)),),
    (EntropyLDiversity(1.6, "label"),),
    (TCloseness(0.3, "label"),),
)


def shared(task: Task, seed: int, required: bool = True) -> Task:
    """The task with fewer people than records, and some requirement."""
    rng = random.Random(seed)
    people = max(1, rng.choice([task.n // 2, task.n * 2 // 3, task.n - 1]))
    texts = pl.Series("patient", [f"p{rng.randrange(people)}" for _ in range(task.n)])
    known = set(next(c for c in task.sensitive if c.name == "label").values)
    chosen = rng.choice([r for r in REQUIREMENTS if not r or known.issuperset(r[0].only_values)])
    frame = task.table.frame.with_columns(texts)
    roles = {**task.roles, "patient": Role.PERSON}
    return replace(
        task,
        table=Table(frame, missing_tokens=task.table.missing_tokens),
        roles=roles,
        person=code_column(texts, Kind.CATEGORICAL),
        privacy=replace(task.privacy, requirements=chosen if required else ()),
    )


# --- slow twins, over plain lists


def values_of(task: Task, records: list[int], name: str = "label") -> dict[str, set[str]]:
    """What everybody of some records has, each once."""
    column = next(c for c in task.sensitive if c.name == name)
    found: dict[str, set[str]] = defaultdict(set)
    for i in records:
        found[task.table.frame["patient"][i]].add(column.values[column.codes[i]])
    return found


def spread(people: dict[str, set[str]]) -> dict[str, float]:
    """Each person in equal parts of hers."""
    shares: Counter[str] = Counter()
    for held in people.values():
        for value in held:
            shares[value] += 1 / len(held) / len(people)
    return shares


def matched(people: dict[str, set[str]]) -> int:
    """The most different values that different people can be given, by trying everything."""
    values = sorted(set().union(*people.values()))
    for count in range(min(len(values), len(people)), 0, -1):
        for chosen in combinations(values, count):
            for givers in permutations(people, count):
                if all(v in people[p] for v, p in zip(chosen, givers, strict=True)):
                    return count
    return 1


def misses(task: Task, records: list[int]) -> bool:
    """Whether a class may not be published."""
    people = values_of(task, records)
    if len(people) < task.k:
        return True
    for required in task.privacy.requirements:
        shares = spread(people)
        bound = required.bound
        match required:
            case DistinctLDiversity():
                bad = matched(people) < bound
            case AlphaKAnonymity(values=only):
                having = [sum(v in held for held in people.values()) for v in only or shares]
                bad = max(having) / len(people) > bound + 1e-9
            case EntropyLDiversity():
                bad = exp(-sum(p * log(p) for p in shares.values())) < bound * (1 - 1e-9)
            case _:
                whole = spread(values_of(task, list(range(task.n))))
                apart = [abs(shares.get(value, 0) - q) for value, q in whole.items()]
                bad = sum(apart) / 2 > bound + 1e-9
        if bad:
            return True
    return False


def must_go(task: Task, levels: Levels) -> set[int]:
    return {i for records in classes(task, levels) if misses(task, records) for i in records}


def passes(task: Task, levels: Levels) -> bool:
    gone = must_go(task, levels)
    people = {task.table.frame["patient"][i] for i in gone}
    return len(people) <= task.allowed_people and len(gone) < task.n


def kept(result: Result) -> None:
    """Every printed class has all that is required, counted in people."""
    cells = defaultdict(list)
    names = [attribute.name for attribute in result.task.quasi]
    rows = result.table.select(names).rows()
    for record, row in zip(result.release.order.tolist(), rows, strict=True):
        cells[row].append(record)
    for records in cells.values():
        assert not misses(result.task, records)


# --- searches and clusterings


@pytest.mark.parametrize("seed", range(tries(15)))
def test_searches_are_exact_against_exhaustive_search(seed: int) -> None:
    task = shared(searchable_task(seed), seed)
    strings = [string for string in all_strings(task) if passes(task, string)]
    for name in ("global", "hybrid", "distributed", "incognito"):
        if not strings:
            with pytest.raises(NotReachedError):
                Run(task, ALGORITHMS[name]()).finish()
            continue
        result = conclude(Run(task, ALGORITHMS[name]()))
        assert result.grouping.levels in strings, name
        gone = set(np.flatnonzero(result.grouping.labels < 0).tolist())
        assert gone == must_go(task, result.grouping.levels), name
        if name != "incognito":
            assert result.grouping.levels == best(task, strings), name
        kept(result)


@pytest.mark.parametrize("name", [*CLUSTERING, "datafly", "local"])
@pytest.mark.parametrize("seed", range(tries(5)))
def test_every_algorithm_keeps_it_or_says_why(name: str, seed: int) -> None:
    task = shared(random_task(seed), seed)
    try:
        result = conclude(Run(task, ALGORITHMS[name]()))
    except NotReachedError:
        whole = misses(task, list(range(task.n)))
        assert whole or name in ("gcka", "datafly", "local")
        return
    kept(result)


# --- figures


@pytest.mark.parametrize("seed", range(40))
def test_figures_equal_their_definitions(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(2, 14)
    people = [f"p{rng.randrange(max(2, n // 2))}" for _ in range(n)]
    label = [rng.choice(["a", "b", "c", "d", "?"]) for _ in range(n)]
    group = np.array([rng.randrange(2) for _ in range(n)])
    group[0], group[-1] = 0, 1
    person = code_column(pl.Series("who", people), Kind.CATEGORICAL)
    column = code_column(pl.Series("label", label), Kind.CATEGORICAL)
    frame = pd.DataFrame({"who": people, "label": label, "class": group}).drop_duplicates()
    known = frame[frame["label"] != "?"]
    having = known.groupby(["class", "label"])["who"].nunique()
    share = having / known.groupby("class")["who"].nunique()
    models = [DistinctLDiversity(2, "label"), AlphaKAnonymity(0.5, "label")]
    required = [_joined(model, column) for model in models]
    distinct, alpha = PeopleRequirement.from_requirements(required, person)
    groups = GroupValues.from_records(group, distinct.column.codes, 2)
    for one in range(2):
        own = known[known["class"] == one]
        held = {who: set(rows["label"]) for who, rows in own.groupby("who")}
        assert distinct.figures(groups)[one] == (matched(held) if held else 1)
        assert alpha.figures(groups)[one] == pytest.approx(share[one].max() if held else 0.0)


def _joined(model: object, column: object) -> object:
    from kanon_tui.core.privacy.requirements import ColumnRequirement

    return ColumnRequirement(model, column)  # type: ignore[arg-type]


def test_one_person_cannot_make_a_class_diverse() -> None:
    """Four have flu; the fifth has been there with three diagnoses."""
    people = ["a", "b", "c", "d", "e", "e", "e"]
    ills = ["flu"] * 4 + ["flu", "cold", "gout"]
    result = conclude(start(visits(k=5), table(people, ills)))
    found = result.measures.privacy.figures
    assert found["l_distinct"]["ill"] == 2  # she is one of them, whatever she has
    assert found["alpha"]["ill"] == 1.0  # everybody has flu
    assert result.measures.privacy.k == 5
    assert result.measures.privacy.risk_max == 0.2
    assert result.measures.smallest_class == 7


def test_two_classes_that_hold_may_not_hold_together() -> None:
    """One ill and one well in either class; together two of three people are ill."""
    people = ["x", "y", "z", "y"]
    ills = ["hiv", "flu", "hiv", "flu"]
    task = shared_task(people, ills, AlphaKAnonymity(0.5, "ill", ("hiv",)))
    (required,) = task.sensitive_requirements
    apart = GroupValues.from_records(np.array([0, 0, 1, 1]), required.column.codes, 2)
    together = GroupValues.from_records(np.zeros(4, dtype=np.int64), required.column.codes, 1)
    assert required.figures(apart).tolist() == [0.5, 0.5]
    assert required.figures(together)[0] == pytest.approx(2 / 3)
    assert not required.closed


# --- projects


def visits(k: int = 2, **privacy: object) -> Project:
    specs = {
        "patient": AttributeSpec(role=Role.PERSON),
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    }
    given = Privacy(**{"k": k, **privacy})  # type: ignore[arg-type]
    algorithm = AlgorithmChoice("mondrian")
    return Project(
        data=DataSource("visits.csv"), attributes=specs, privacy=given, algorithm=algorithm
    )


def table(people: list[str], ills: list[str]) -> Table:
    ages = [str(30 + i) for i in range(len(people))]
    return as_table(pl.DataFrame({"patient": people, "age": ages, "ill": ills}))


def shared_task(people: list[str], ills: list[str], *required: object) -> Task:
    return prepare(visits(requirements=required), table(people, ills))


def test_k_counts_people_and_the_column_is_not_published() -> None:
    people = ["a", "a", "a", "b", "b", "c", "d", "d", "e", "f"]
    result = conclude(start(visits(k=3), table(people, ["flu"] * 10)))
    assert result.table.columns == ["age", "ill"]
    printed = pd.DataFrame(
        {"age": result.table["age"], "who": np.array(people)[result.release.order]}
    )
    assert printed.groupby("age")["who"].nunique().min() == result.measures.privacy.k == 3
    report = result.report
    assert (report["records"], report["people"], report["privacy"]["k"]) == (10, 6, 3)
    assert report["left_out"] == ["patient"]


def test_suppression_is_a_share_of_people() -> None:
    """Twenty visits of one patient may go for one of eleven."""
    people = ["much"] * 20 + [f"p{i}" for i in range(10)]
    ages = ["90"] * 20 + ["30"] * 10
    frame = pl.DataFrame({"patient": people, "age": ages, "ill": ["flu"] * 30})
    chosen = replace(visits(k=5, max_suppression=0.1), algorithm=AlgorithmChoice("global"))
    result = conclude(start(chosen, as_table(frame)))
    assert (result.measures.suppressed_records, result.measures.suppressed_people) == (20, 1)
    assert result.grouping.levels == (0,)
    fewer = replace(chosen, privacy=replace(chosen.privacy, max_suppression=0.09))
    assert conclude(start(fewer, as_table(frame))).measures.suppressed_records == 0


def test_one_record_each_is_counted_as_ever() -> None:
    people = [f"p{i}" for i in range(8)]
    task = shared_task(people, ["flu", "cold"] * 4, DistinctLDiversity(2, "ill"))
    assert task.repeated is None
    assert len(task.requirements) == 1


def test_a_sample_of_the_records_knows_whose_they_are() -> None:
    people = [f"p{i // 3}" for i in range(90)]
    small = sampled(prepare(visits(), table(people, ["flu"] * 90)), 30)
    assert small.person is not None
    assert [small.person.values[c] for c in small.person.codes] == small.table.frame[
        "patient"
    ].to_list()
    conclude(Run(small, ALGORITHMS["mondrian"]()))


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (["a", "", "b", "c"], "patient has the role person, but 1 record has no value in it"),
        (["a", "a", "b", "b"], "k is 3 but the table has records of only 2 people"),
    ],
)
def test_refused(people: list[str], message: str) -> None:
    with pytest.raises((InputError, NotReachedError), match=message):
        conclude(start(visits(k=3), table(people, ["flu"] * 4)))


def test_two_columns_cannot_both_say_whose_it_is() -> None:
    frame = table(["a", "a", "b", "c"], ["flu"] * 4).frame.with_columns(other=pl.lit("x"))
    made = visits()
    made = replace(made, attributes={**made.attributes, "other": AttributeSpec(role=Role.PERSON)})
    with pytest.raises(InputError, match="patient and other have the role person"):
        prepare(made, as_table(frame))


# --- the verifier


def test_the_verifier_counts_people_by_itself() -> None:
    release = pl.DataFrame({"age": ["[20..23]"] * 3 + ["[40..43]"] * 3})
    three = People(["a", "b", "c", "d", "e", "f"], [], {})
    assert verify(release, ["age"], (), 3, people=three) == 3
    two = People(["a", "b", "b", "d", "e", "f"], [], {})
    with pytest.raises(NotReachedError, match="smallest class has 2 people, k is 3"):
        verify(release, ["age"], (), 3, people=two)
    with pytest.raises(NotReachedError, match="6 records and 1 people beside them"):
        verify(release, ["age"], (), 3, people=People(["a"], [], {}))
    with pytest.raises(NotReachedError, match="would publish the identifier 'patient'"):
        verify(release.with_columns(patient=pl.lit("a")), ["age"], ["patient"], 1)


@pytest.mark.parametrize("seed", range(60))
def test_the_verifier_and_the_models_agree(seed: int) -> None:
    task = shared(searchable_task(seed), seed)
    strings = list(all_strings(task))
    levels = strings[random.Random(seed).randrange(len(strings))]
    labels = np.zeros(task.n, dtype=np.int64)
    for number, records in enumerate(classes(task, levels)):
        labels[records] = number
    printed = pl.DataFrame({"cell": labels.astype(str)}).with_columns(
        **{column.name: task.table.frame[column.name] for column in task.sensitive}
    )
    whose = task.table.frame["patient"].to_list()
    original = {column.name: task.table.frame[column.name].to_list() for column in task.sensitive}
    people = People(whose, whose, original)
    for required in task.sensitive_requirements:
        groups = GroupValues.from_records(labels, required.column.codes, int(labels.max()) + 1)
        missed = int((required.gaps(groups) > 0).sum())
        claim = required.claim(task.table.missing_tokens)
        assert classes_without(printed, ["cell"], claim, people=people) == missed


def test_a_release_by_a_wrong_count_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Task, "requirements", ())
    people = ["a", "a", "a", "b", "b", "c", "d", "d", "e", "f"]
    with pytest.raises(NotReachedError, match="people, k is 3"):
        conclude(start(visits(k=3), table(people, ["flu"] * 10)))
