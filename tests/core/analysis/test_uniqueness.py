"""Estimates of population uniques: by their definitions, and on populations of their own models."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from kanon_tui.core.analysis.population_risk import (
    pitman,
    slide_negative_binomial,
    uniqueness,
    zayatz,
)


def sampled(sizes: np.ndarray, share: float, seed: int) -> np.ndarray:
    """The classes of a random sample of a population."""
    people = np.repeat(np.arange(len(sizes)), sizes)
    drawn = np.random.default_rng(seed).choice(people, round(share * len(people)), replace=False)
    counts = np.bincount(drawn)
    return counts[counts > 0]


@pytest.mark.parametrize("seed", range(10))
def test_zayatz_by_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 40)
    n = int(sizes.sum())
    population = 900
    ways = comb(population, n)
    chance = {j: j * comb(population - j, n - 1) / ways for j in range(1, 10)}
    shares = {j: (sizes == j).mean() for j in range(1, 10)}
    certain = shares[1] * chance[1] / sum(shares[j] * chance[j] for j in shares)
    expected = (sizes == 1).sum() * certain * population / n
    assert zayatz(sizes, population) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_a_slide_negative_binomial_population_is_found_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    population = 1 + rng.negative_binomial(0.6, 0.25, 12_000)
    sample = sampled(population, 0.3, seed)
    unique = int((population == 1).sum())
    found = slide_negative_binomial(sample, int(population.sum()))
    assert found == pytest.approx(unique, rel=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_a_pitman_population_is_found_again(seed: int) -> None:
    """Ewens and Pitman's partition, person by person."""
    rng = np.random.default_rng(seed)
    theta = 40.0
    alpha = 0.6
    sizes = [1]
    who = [0]
    for n in range(1, 20_000):
        if rng.random() < (theta + alpha * len(sizes)) / (theta + n):
            who.append(len(sizes))
            sizes.append(1)
        else:  # a class by its size less α: somebody of it, refused with probability α / size
            while True:
                one = who[rng.integers(n)]
                if rng.random() >= alpha / sizes[one]:
                    break
            sizes[one] += 1
            who.append(one)
    population = np.array(sizes)
    sample = sampled(population, 0.05, seed)
    found = pitman(sample, int(population.sum()))
    assert found == pytest.approx((population == 1).sum(), rel=0.15)


def test_the_rule_of_dankar() -> None:
    rng = np.random.default_rng(0)
    population = 1 + rng.negative_binomial(0.6, 0.25, 4_000)
    people = int(population.sum())
    small = uniqueness(sampled(population, 0.05, 1), people)
    assert (small.by, small.dankar) == ("pitman", small.pitman)
    large = uniqueness(sampled(population, 0.4, 1), people)
    assert large.zayatz is not None
    assert large.snb is not None
    assert large.dankar == min(large.zayatz, large.snb)
    nobody = uniqueness(np.array([2, 3, 5]), 100)
    assert (nobody.dankar, nobody.by) == (0.0, None)


def test_a_whole_population_is_counted() -> None:
    sizes = np.array([1, 1, 1, 2, 3, 4])
    assert slide_negative_binomial(sizes, 12) == 3
    assert zayatz(sizes, 12) == pytest.approx(3)
