"""How many people of a population are unique, estimated from the classes of a sample of it.

A record that is unique in a sample is in danger only where it is unique in the population as well.
The sample is taken for a simple random one of n people out of N; π = n / N. c₁, c₂, … are the
numbers of classes with one person, two people and so on, u is the number of classes.

- Zayatz: a sample unique comes from a population class of j people with a probability that follows
  from hypergeometric sampling, the distribution of class sizes in the population being taken for
  that of the sample. Uniques: c₁ · P(unique in the population | unique in the sample) / π.
- Pitman: class sizes follow Ewens and Pitman's random partition with parameters θ and α, fitted to
  the sample by maximum likelihood. Uniques: Γ(θ + 1) / Γ(θ + α) · N^α.
- SNB (slide negative binomial): the K classes of the population have 1 + NB(α, p) people each, of
  whom everybody is sampled with probability π. K, α and p are fitted so that N, u and c₁ are met.
  Uniques: K · p^α.
- the rule of Dankar et al.: for π up to 0.1 Pitman, or Zayatz where it does not converge; above,
  the smaller of Zayatz and SNB. Clinical data sets decided it; other data may not be like them.

None of the models is told by the data: estimates may be far off where a population is not like its
model, or the sample not random. None where there is no solution; 0 without sample uniques.

Reference: Zayatz, Estimation of the number of unique population elements using a sample (1991);
Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment (2001); Chen and
Keller-McNulty, Estimation of identification disclosure risk in microdata (1998); Dankar, El Emam,
Neisa and Roffey, Estimating the re-identification risk of clinical data sets (2012). ARX uses the
same models and rule (RiskModelPopulationUniqueness); it fits SNB in another way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np

from kanon_tui.core.numeric import Floats, Int64s

_SMALL_SAMPLE = 0.1


@dataclass(frozen=True)
class Uniqueness:
    """Uniques of a sample, and of the population by every model; None where one has no answer."""

    sample: int
    zayatz: float | None
    pitman: float | None
    snb: float | None
    dankar: float | None
    by: str | None
    """The model that the rule of Dankar et al. chose."""


def uniqueness(sizes: Int64s, population: int) -> Uniqueness:
    """Return the estimates for a population, from the class sizes of a sample of it."""
    n = int(sizes.sum())
    unique = int((sizes == 1).sum())
    if not unique:
        return Uniqueness(0, 0.0, 0.0, 0.0, 0.0, None)
    found = {
        "zayatz": zayatz(sizes, population),
        "pitman": pitman(sizes, population),
        "snb": slide_negative_binomial(sizes, population),
    }
    order = ["pitman", "zayatz"]
    if n / population > _SMALL_SAMPLE:
        order = sorted(("snb", "zayatz"), key=lambda one: found[one] or float("inf"))
    by = next((one for one in order if found[one] is not None), None)
    return Uniqueness(unique, **found, dankar=found[by] if by else None, by=by)


def zayatz(sizes: Int64s, population: int) -> float | None:
    """Return Zayatz's estimate of the uniques of a population; None where there is none."""
    from scipy.stats import hypergeom

    n = int(sizes.sum())
    kinds, counts = np.unique(sizes, return_counts=True)
    one_drawn = hypergeom.pmf(1, population, kinds, n)  # exactly one of a class of each size
    weight = float((counts * one_drawn).sum())
    unique = float((sizes == 1).sum())
    if not weight:
        return None
    certain = unique * float(hypergeom.pmf(1, population, 1, n)) / weight
    return unique * certain / (n / population)


def pitman(sizes: Int64s, population: int) -> float | None:
    """Return the uniques by Pitman's model, at the maximum of its likelihood."""
    n, classes = int(sizes.sum()), len(sizes)
    kinds, counts = np.unique(sizes[sizes > 1], return_counts=True)
    up_to_classes = np.arange(1, classes, dtype=np.float64)
    up_to_n = np.arange(1, n, dtype=np.float64)
    below = np.arange(1, int(sizes.max()), dtype=np.float64)

    def slopes(at: Floats) -> tuple[float, float]:
        """Return the derivatives of the likelihood by θ and α."""
        theta, alpha = at
        parts = 1 / (theta + up_to_classes * alpha)
        running = np.concatenate([[0.0], np.cumsum(1 / (below - alpha))])
        by_alpha = (up_to_classes * parts).sum() - (counts * running[kinds - 1]).sum()
        return parts.sum() - (1 / (theta + up_to_n)).sum(), by_alpha

    solved = _solved(slopes, _start(sizes, n, classes), (1.0, 0.5), (10.0, 0.1))
    if solved is None:
        return None
    theta, alpha = solved
    estimate = exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * log(population))
    return estimate if 0 <= estimate <= population else None


def _start(sizes: Int64s, n: int, classes: int) -> tuple[float, float]:
    """Return Hoshino's first guess of θ and α."""
    one = float((sizes == 1).sum())
    c = one * (one - 1) / max(float((sizes == 2).sum()), 1.0)
    below = 2 * one * classes + one * c - n * c
    theta = (n * classes * c - one * (n - 1) * (2 * classes + c)) / below if below else 1.0
    alpha = (theta * (one - n) + (n - 1) * one) / (n * classes)
    if not (0 < alpha < 1 and theta > -alpha):
        return 1.0, 0.5
    return theta, alpha


def _solved(
    slopes: Callable[[Floats], tuple[float, float]], *starts: tuple[float, float]
) -> tuple[float, float] | None:
    """Return where both slopes are 0, from the first start that leads to allowed values."""
    from scipy.optimize import root

    for start in starts:
        with np.errstate(all="ignore"):  # steps may leave the allowed values
            found = root(slopes, start, tol=1e-12)
        theta, alpha = map(float, found.x)
        if np.abs(found.fun).max() < 1e-6 and 0 < alpha < 1 and theta > -alpha:
            return theta, alpha
    return None


def slide_negative_binomial(sizes: Int64s, population: int) -> float | None:
    """Return the uniques by the slide negative binomial model, fitted to N, classes and uniques."""
    n, classes, unique = int(sizes.sum()), len(sizes), int((sizes == 1).sum())
    pi = n / population
    if pi >= 1:
        return float(unique)

    def fitted(p: float) -> tuple[float, float, float] | None:
        """Return K, α and the expected sample uniques, such that N and the classes are met."""
        left = 1 - (1 - p) * (1 - pi)

        def expected(alpha: float) -> float:
            k = population / (1 + alpha * (1 - p) / p)
            return float(k * (1 - (1 - pi) * (p / left) ** alpha))

        alpha = _root(lambda a: expected(a) - classes, 1e-9, 1e9)
        if alpha is None:
            return None
        k = population / (1 + alpha * (1 - p) / p)
        none = (p / left) ** alpha
        ones = k * none * pi * (1 + alpha * (1 - pi) * (1 - p) / left)
        return k, alpha, ones

    def missing(p: float) -> float:
        found = fitted(p)
        return float("nan") if found is None else found[2] - unique

    grid = np.concatenate([np.geomspace(1e-6, 0.5, 60), 1 - np.geomspace(0.5, 1e-6, 60)[1:]])
    values = [missing(float(p)) for p in grid]
    for low, high, one, two in zip(grid, grid[1:], values, values[1:], strict=False):
        if one * two <= 0:  # false where one of them has no answer
            p = _root(missing, float(low), float(high))
            found = fitted(p) if p is not None else None
            if p is not None and found is not None:
                return float(found[0] * p ** found[1])
    return None


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Return a zero of a function between two positive numbers; None without a change of sign."""
    from scipy.optimize import brentq

    try:
        return exp(brentq(lambda at: function(exp(at)), log(low), log(high), xtol=1e-13))
    except ValueError:
        return None
