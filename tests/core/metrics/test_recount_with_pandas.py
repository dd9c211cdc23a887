"""Every privacy figure of a survey-like release equals a recount of its cells with pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kanon_tui.core.pipeline.run import Result, conclude, start
from kanon_tui.core.privacy.risk import RiskBound
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table

QUASI = ["age", "region", "size"]


def household_survey(n: int = 900) -> pd.DataFrame:
    """People of households, several records for some, incomes by class: like EU-SILC in small."""
    rng = np.random.default_rng(7)
    who = rng.integers(0, n * 2 // 3, n)
    age = np.random.default_rng(1).integers(16, 80, n)[who]
    region = rng.choice(["AT1", "AT2", "AT3"], n)
    income = rng.choice(["low", "middle", "high", "top"], n, p=[0.4, 0.35, 0.2, 0.05])
    return pd.DataFrame(
        {"pid": who, "age": age, "region": region, "size": rng.integers(1, 6, n), "income": income}
    ).astype(str)


def released(role: Role, algorithm: str) -> tuple[Result, pd.DataFrame]:
    """The result, and its printed cells beside whose they are."""
    frame = household_survey()
    specs = {
        "pid": AttributeSpec(role=role, kind=Kind.CATEGORICAL),
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "region": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
        "size": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "income": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    }
    project = Project(
        data=DataSource("survey.csv"),
        attributes=specs,
        privacy=Privacy(k=5, risk=RiskBound("marketer", 0.12, "average")),
        algorithm=AlgorithmChoice(algorithm),
    )
    result = conclude(
        start(project, as_table(pl.DataFrame({name: frame[name].tolist() for name in frame})))
    )
    printed = pd.DataFrame(result.table.to_dict(as_series=False))
    printed["pid"] = frame["pid"].to_numpy()[result.release.order]
    return result, printed


@pytest.mark.parametrize("algorithm", ["mondrian", "global", "k-member"])
def test_records(algorithm: str) -> None:
    result, printed = released(Role.IDENTIFIER, algorithm)
    table = pd.Series(household_survey()["income"]).value_counts(normalize=True)
    p = pd.crosstab([printed[name] for name in QUASI], printed["income"], normalize="index")
    counts = pd.crosstab([printed[name] for name in QUASI], printed["income"])
    sizes = counts.sum(axis=1)
    q = table.reindex(p.columns)
    found = {name: each["income"] for name, each in result.measures.privacy.figures.items()}
    assert result.measures.privacy.k == sizes.min()
    assert found["l_distinct"] == found["p"] == (counts > 0).sum(axis=1).min()
    assert found["alpha"] == pytest.approx(p.max(axis=1).max())
    entropy = -(p.where(p > 0, 1) * np.log(p.where(p > 0, 1))).sum(axis=1)
    assert found["l_entropy"] == pytest.approx(np.exp(entropy.min()))
    assert found["t"] == pytest.approx(((p - q).abs().sum(axis=1) / 2).max())
    assert found["beta"] == pytest.approx(((p - q) / q).max(axis=1).max())
    with np.errstate(divide="ignore"):
        away = np.log(p / q).abs().max(axis=1).max()
    assert found["delta"] == pytest.approx(away)
    tail = sizes - counts.max(axis=1)
    assert found["l_recursive"] == pytest.approx(
        (counts.max(axis=1) / tail.where(tail > 0, 1)).where(tail > 0, np.inf).max()
    )
    assert result.measures.privacy.risk_max == pytest.approx(1 / sizes.min())
    assert result.measures.privacy.risk_mean == pytest.approx(len(sizes) / sizes.sum())
    assert result.measures.privacy.risk_mean <= 0.12


@pytest.mark.parametrize("algorithm", ["mondrian", "global"])
def test_people(algorithm: str) -> None:
    result, printed = released(Role.PERSON, algorithm)
    people = printed.groupby(QUASI)["pid"].nunique()
    having = printed.groupby([*QUASI, "income"])["pid"].nunique()
    share = having / people.reindex(having.index.droplevel("income")).to_numpy()
    figures = {name: each["income"] for name, each in result.measures.privacy.figures.items()}
    assert result.measures.privacy.k == people.min() >= 5
    assert figures["alpha"] == pytest.approx(share.max())
    once = printed[[*QUASI, "pid", "income"]].drop_duplicates()
    once["part"] = 1 / once.groupby([*QUASI, "pid"])["income"].transform("size")
    p = once.pivot_table("part", QUASI, "income", "sum", fill_value=0).div(people, axis=0)
    whole = household_survey()[["pid", "income"]].drop_duplicates()
    whole["part"] = 1 / whole.groupby("pid")["income"].transform("size")
    q = (whole.groupby("income")["part"].sum() / whole["pid"].nunique()).reindex(p.columns)
    assert figures["t"] == pytest.approx(((p - q).abs().sum(axis=1) / 2).max())
    assert figures["beta"] == pytest.approx(((p - q) / q).max(axis=1).max())
    assert result.measures.privacy.risk_max == pytest.approx(1 / people.min())
    assert result.measures.privacy.risk_mean == pytest.approx(len(people) / people.sum())
    assert result.report["people"] == printed["pid"].nunique()
