"""`kn.sklearn.KAnonymizer` in pipelines, and against scikit-learn's own checks.

Tests import scikit-learn themselves: it takes seconds, and every worker imports this module.
"""

from __future__ import annotations

import pickle
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanon_tui as kn

SUBTRACT_CELLS = {
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
}
"""Checks that subtract the cells of two answers; published cells are texts."""


def table(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    zips = [f"46{z:03}" for z in rng.integers(0, 6, n)]
    return pd.DataFrame({"age": rng.integers(20, 70, n), "zip": zips, "pay": rng.random(n)})


def test_checks_of_scikit_learn() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = check_estimator(kn.sklearn.KAnonymizer(k=2), on_skip=None, on_fail=None)
    failures = [check for check in checks if check["status"] == "failed"]
    assert all("unsupported operand type(s) for -" in str(one["exception"]) for one in failures)
    failed = {check["check_name"] for check in failures}
    assert failed == SUBTRACT_CELLS
    assert sum(check["status"] == "passed" for check in checks) > 30


def test_what_those_checks_are_about_holds_for_texts() -> None:
    from sklearn.base import clone

    people = table()[["age", "zip"]]
    fitted = kn.sklearn.KAnonymizer(k=3).fit(people)
    cells = fitted.transform(people)
    assert min(Counter(map(tuple, cells)).values()) >= 3
    release = fitted.release_.table.select("age", "zip").rows()
    assert Counter(map(tuple, cells)) == Counter(tuple(map(str, row)) for row in release)
    for same in (clone(fitted).fit(people), pickle.loads(pickle.dumps(fitted))):
        assert (same.transform(people) == cells).all()
    order = np.random.default_rng(2).permutation(len(people))
    assert (fitted.transform(people.iloc[order]) == cells[order]).all()


def test_rows_without_a_class_are_hidden() -> None:
    ages = pd.DataFrame({"age": [21, 22, 38, 39, 40]})
    fitted = kn.sklearn.KAnonymizer(k=2, hierarchies={"age": kn.intervals(10, 30)}).fit(ages)
    new = pd.DataFrame({"age": [21, 22, 38, 99]})
    expected = ["[21..22]", "[21..22]", "[38..40]", "*"]
    assert fitted.transform(new).ravel().tolist() == expected
    alone = [fitted.transform(new.iloc[[row]]).item() for row in range(len(new))]
    assert alone == expected, "what a row gets does not depend on those beside it"
    strict = kn.sklearn.KAnonymizer(k=2, unseen="error").fit(ages)
    with pytest.raises(kn.InputError, match=r"1 of 4 rows .* the first is row 3"):
        strict.transform(new)
    assert fitted.get_feature_names_out().tolist() == ["age"]
    with pytest.raises(ValueError, match="minimum of 9"):
        kn.sklearn.KAnonymizer(k=9).fit(ages)


def test_a_pipeline_learns_from_what_would_be_published() -> None:
    from sklearn.compose import make_column_transformer
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    people = table()
    quasi = make_pipeline(kn.sklearn.KAnonymizer(k=3), OrdinalEncoder())
    step = make_column_transformer((quasi, ["age", "zip"]))
    model = make_pipeline(step, CategoricalNB(min_categories=60))
    assert model.fit(people, people["pay"] > 0.5).score(people, people["pay"] > 0.5) > 0.5


def test_dates_and_texts_pass_and_polars_comes_back_as_polars() -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 6), eager=True)
    people = pl.DataFrame({"born": days, "city": ["Ulm", "Ulm", "Bonn"] * 2})
    fitted = kn.KAnonymizer(k=3, hierarchies={"born": ["month"]}).fit(people)
    cells = fitted.transform(people)
    assert isinstance(cells, pl.DataFrame)
    assert cells.columns == ["born", "city"]
    assert (
        cells.to_numpy().tolist()
        == fitted.transform(pd.DataFrame(people.to_dict(as_series=False))).tolist()
    )
    assert fitted.transform(people.head(1)).row(0) == cells.row(0)
    in_pandas = fitted.set_output(transform="pandas").transform(people)
    assert isinstance(in_pandas, pd.DataFrame)
    assert in_pandas.to_numpy().tolist() == cells.to_numpy().tolist()
