"""Diversity is counted in values: against a naive twin that reads cells as a person does."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.metrics.privacy import check_published
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.verify import classes_without
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import GroupValues, Kind, Role
from kanon_tui.core.table.column_coding import value_key
from kanon_tui.core.table.table import as_table
from tests.tries import tries

SPELLINGS = {
    "hiv": ["HIV", "hiv", " Hiv\u00a0", "ＨＩＶ", "H\u200bIV"],
    "strasse": ["Straße", "STRASSE", "straße "],
    "lung cancer": ["lung cancer", "Lung\u00a0 Cancer", "LUNG\tCANCER"],
    "100": ["100", "100.0", "1e2", "+100", " 1E+2"],
    "röte": ["Röte", "Ro\u0308te"],
    "rote": ["Rote"],
    None: ["", "?", "NA", " na ", "  "],
}
NUMBERS = {5.0: ["5", "5.0", "+5", "05"], 7.5: ["7.5", "75e-1"], 100.0: ["100", "1e2"], None: ["?"]}


def told_apart(pool: dict, text: str) -> object:
    return next(value for value, spelt in pool.items() if text in spelt)


def naive(model: str, classes: list[list[object]], ordered: bool) -> list[float]:
    """The figure of every class by the definitions of docs/metrics.md."""
    everybody = [value for held in classes for value in held]

    def shares(values: list[object]) -> dict[object, float]:
        return {value: n / len(values) for value, n in Counter(values).items()}

    def distance(held: list[object], table: list[object]) -> float:
        if not held:
            return 0.0
        p = shares(held)
        q = shares(table)
        if not ordered:
            return sum(abs(p.get(v, 0) - q[v]) for v in q) / 2
        line = sorted(q, key=lambda v: math.inf if v is None else v)  # type: ignore[return-value]
        so_far = 0.0
        total = 0.0
        for value in line:
            so_far += p.get(value, 0) - q[value]
            total += abs(so_far)
        return total / max(len(line) - 1, 1)

    found = []
    for held in classes:
        known = [value for value in held if value is not None]
        if model in ("l_distinct", "p"):
            found.append(max(1, len(set(known))))
        elif model == "l_entropy":
            found.append(math.exp(-sum(p * math.log(p) for p in shares(known).values())))
        elif model == "alpha":
            found.append(max(shares(known).values(), default=0.0))
        else:
            all_known = [value for value in everybody if value is not None]
            found.append(max(distance(held, everybody), distance(known, all_known)))
    return [float(figure) for figure in found]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Kind.CATEGORICAL, Kind.NUMERIC])
@pytest.mark.parametrize("model", ["l_distinct", "l_entropy", "t", "p", "alpha"])
def test_models_verifier_and_check_agree_with_the_definitions(model: str, kind: Kind) -> None:
    pool: dict = NUMBERS if kind is Kind.NUMERIC else SPELLINGS
    for seed in range(tries(12)):
        rng = random.Random(seed)
        few = rng.sample([text for spelt in pool.values() for text in spelt], 6)
        count = rng.randrange(1, 6)
        texts = [[rng.choice(few) for _ in range(rng.randrange(1, 7))] for _ in range(count)]
        classes = [[told_apart(pool, text) for text in held] for held in texts]
        if not any(value is not None for held in classes for value in held):
            continue
        expected = naive(model, classes, kind is Kind.NUMERIC)
        cells = [text for held in texts for text in held]
        groups = [str(number) for number, held in enumerate(texts) for _ in held]
        frame = pl.DataFrame({"x": groups, "ill": cells})
        spec = AttributeSpec(role=Role.SENSITIVE, kind=kind)
        project = Project(
            data=DataSource("t.csv"),
            attributes={"x": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL), "ill": spec},
            privacy=Privacy(k=1),
        )
        task = prepare(project, as_table(frame))
        (column,) = task.sensitive
        values = GroupValues.from_records(np.array(list(map(int, groups))), column.codes, count)
        requirement = MODELS[model](1.0, "ill")
        assert requirement.figures(values, column).tolist() == pytest.approx(expected)
        for figure in expected:
            for bound in {figure, figure * 0.9, figure * 1.1}:
                claim = ColumnRequirement(MODELS[model](bound, "ill"), column).claim()
                missed = [bool(gap) for gap in requirement_gaps(model, expected, bound)]
                assert classes_without(frame, ["x"], claim) == sum(missed)
        if kind is Kind.CATEGORICAL and not all(map(plainly_a_number, cells)):
            worst = min(expected) if requirement.at_least else max(expected)
            assert check_published(frame, ["x"], "ill", 1)[model] == pytest.approx(worst)


@pytest.mark.parametrize("model", sorted(set(MODELS) - {"t_hierarchy"}))
def test_other_spellings_of_the_same_values_change_no_figure(model: str) -> None:
    """Of every model, whatever its definition; the hierarchy of one names spellings by itself."""
    for seed in range(20):
        rng = random.Random(seed)
        count = rng.randrange(1, 5)
        meant = [[rng.choice(list(SPELLINGS)) for _ in range(5)] for _ in range(count)]
        once = [[SPELLINGS[value][0] for value in held] for held in meant]
        mixed = [[rng.choice(SPELLINGS[value]) for value in held] for held in meant]
        figures = [class_figures(model, texts) for texts in (once, mixed)]
        assert figures[0] == pytest.approx(figures[1], nan_ok=True)


def class_figures(model: str, texts: list[list[str]]) -> list[float]:
    groups = [str(number) for number, held in enumerate(texts) for _ in held]
    frame = pl.DataFrame({"x": groups, "ill": [text for held in texts for text in held]})
    project = Project(
        data=DataSource("t.csv"),
        attributes={
            "x": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
            "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=Privacy(k=1),
    )
    (column,) = prepare(project, as_table(frame)).sensitive
    values = GroupValues.from_records(np.array(list(map(int, groups))), column.codes, len(texts))
    return MODELS[model](1.0, "ill").figures(values, column).tolist()


def requirement_gaps(model: str, figures: list[float], bound: float) -> list[float]:
    return MODELS[model](bound, "ill").gaps(np.array(figures)).tolist()


def plainly_a_number(text: str) -> bool:
    return text in SPELLINGS["100"] or text in SPELLINGS[None]


def project(distinct: str = "value", **privacy: object) -> Project:
    return Project(
        data=DataSource("t.csv", distinct=distinct),  # type: ignore[arg-type]
        attributes={
            "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
            "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=Privacy(k=2, requirements=(DistinctLDiversity(2, "ill"),)),
        algorithm=AlgorithmChoice("mondrian"),
    )


def test_spellings_no_longer_pass_for_diversity() -> None:
    frame = pl.DataFrame({"age": ["20", "21", "60", "61"], "ill": ["HIV", "hiv ", "flu", "gout"]})
    spelt = anonymize(project("exact"), frame)
    assert spelt.measures.classes == 2, "counted in spellings every class has two"
    assert anonymize(project(), frame).measures.classes == 1
    assert anonymize(project(), frame).table["ill"].sort().to_list() == sorted(frame["ill"])
    same = frame.with_columns(ill=pl.Series(["HIV", "hiv", "HIV ", "NA"]))
    with pytest.raises(NotReachedError, match="whole table has only 1"):
        anonymize(project(), same)


def test_a_bounded_value_is_bounded_in_every_spelling() -> None:
    frame = pl.DataFrame({"age": ["20", "21", "60", "61"], "ill": ["HIV", "hiv", "flu", "HIV"]})
    asked = project()
    alpha = AlphaKAnonymity(0.5, "ill", ("hiv",))
    asked = replace(asked, privacy=Privacy(k=2, requirements=(alpha,)))
    with pytest.raises(NotReachedError, match=r"the whole table has 0\.75"):
        anonymize(asked, frame)
    missing = replace(asked, privacy=Privacy(k=2, requirements=(replace(alpha, values=("NA",)),)))
    with pytest.raises(InputError, match="it means missing"):
        anonymize(missing, frame.with_columns(ill=pl.Series(["NA", "flu", "cold", "flu"])))


def test_what_is_the_same_and_what_is_not() -> None:
    for spelt in SPELLINGS.values():
        assert len({value_key(text) for text in spelt if text.strip(" ?NAna")}) <= 1
    assert value_key("Röte") != value_key("Rote")
    assert value_key("9007199254740993") != value_key("9007199254740992")
    assert value_key("1e99999999999999999999999") == "1e99999999999999999999999"
    assert value_key("\u22125") == value_key("-5.0")
    assert value_key("1_000") == "1_000"
