"""Every metric agrees with its slow twin on random releases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from kanon_tui.core.metrics.measure import level_measures, measure
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.task.task import Grouping, Task
from tests.core.metrics.strategies import releases, tasks
from tests.core.metrics.twin import Twin
from tests.tries import tries

pytestmark = pytest.mark.slow


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


@given(releases())
@settings(max_examples=tries(40), deadline=None)
def test_utility(release: Release) -> None:
    twin = Twin(release)
    measures = measure(release)
    quasi = release.task.quasi
    for x, attribute in enumerate(quasi):
        found = measures.attributes[attribute.name]
        assert found.weight == attribute.weight
        assert found.level == (twin.levels[x] if twin.levels else None)
        assert found.ncp == close(twin.ncp(x))
        assert found.rv == close(twin.rv(x))
        assert found.il == close(twin.il(x))
        assert found.mean_span == close(sum(twin.span(i, x) for i in range(twin.n)) / twin.n)
        assert [rule.kept for rule in found.rules] == close(twin.kept(x))
        assert [rule.importance for rule in found.rules] == attribute.rules.importances.tolist()
    weights = release.task.weights
    assert measures.ncp == close(sum(w * twin.ncp(x) for x, w in enumerate(weights)))
    assert measures.utility == close(1 - measures.ncp)
    assert measures.rv == close(sum(twin.rv(x) for x in range(len(quasi))))
    assert measures.il == close(sum(twin.il(x) for x in range(len(quasi))))
    assert measures.iloss == close(twin.iloss())
    assert measures.md == twin.md()
    assert measures.precision == (None if twin.levels is None else close(twin.precision()))


@given(releases())
@settings(max_examples=tries(25), deadline=None)
def test_classes(release: Release) -> None:
    twin = Twin(release)
    measures = measure(release, class_attribute="income")
    sizes = [len(members) for members in twin.classes()]
    incomes = release.task.table.frame["income"].to_list()
    diseases = release.task.table.frame["disease"].to_list()
    assert measures.classes == measures.distinct_published == len(sizes)
    assert measures.smallest_class == min(sizes, default=0)
    assert measures.largest_class == max(sizes, default=0)
    assert measures.dm == twin.dm()
    assert measures.cm == close(twin.cm(incomes))
    assert measure(release).cm == close(twin.cm(diseases))
    assert measures.c_avg == close(twin.n / len(sizes) / release.task.k if sizes else 0.0)
    assert measures.suppressed_records == twin.n - len(twin.published)
    assert measures.suppressed_cells == sum(sum(twin.singly[i]) for i in twin.published)


@given(releases(everything_suppressed=False))
@settings(max_examples=tries(40), deadline=None)
def test_privacy(release: Release) -> None:
    twin = Twin(release)
    privacy = measure(release).privacy
    classes = twin.classes()
    assert privacy.k == min(map(len, classes))
    assert privacy.violations == twin.violations()
    assert privacy.risk_max == close(1 / privacy.k)
    risks = [1 / len(members) for members in classes for _ in members]
    assert privacy.risk_mean == close(sum(risks) / len(risks))
    for threshold in (0.0, 0.3, 0.5, 1.0):
        assert privacy.records_at_risk(threshold) == sum(risk > threshold for risk in risks)
    for name, ordered in (("disease", False), ("income", True)):
        sensitive = release.task.table.frame[name].to_list()
        found = {model: figures[name] for model, figures in privacy.figures.items()}
        assert found["l_distinct"] == found["p"] == twin.l_distinct(sensitive)
        assert found["alpha"] == close(twin.alpha(sensitive))
        assert found["l_entropy"] == close(twin.l_entropy(sensitive))
        assert found["t"] == close(twin.t(sensitive, ordered))


@given(tasks())
@settings(max_examples=tries(25), deadline=None)
def test_levels(task: Task) -> None:
    everyone = np.zeros(task.n, dtype=np.int32)
    for x, attribute in enumerate(task.quasi):
        values = level_research_values(attribute)
        for found in level_measures(attribute, k=3, allowed_suppressed=2):
            level = found.level
            levels = tuple(level if y == x else 0 for y in range(len(task.quasi)))
            twin = Twin(recode(task, Grouping(everyone, levels)))
            paths = [twin.path(x, row[x])[level] for row in twin.original]
            counts = [paths.count(label) for label in set(paths)]
            assert found.labels == len(counts)
            assert found.smallest == min(counts)
            assert found.passes == (sum(count for count in counts if count < 3) <= 2)
            assert found.rv == values[level] == close(twin.level_rv(x, level))
            assert found.ncp == close(twin.ncp(x))
        assert found.level == attribute.hierarchy.height
