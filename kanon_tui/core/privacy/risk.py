"""Risk models: how likely an attacker finds somebody, and bounds for it.

With f the people of a class (records, where nobody has several), F those of the population who look
the same and n the published people:

- prosecutor: the attacker knows that the person is in the release; the risk of a record is 1 / f.
- journalist: the attacker knows only that she is in the population; the risk is 1 / F.
- marketer: the attacker tries to find everybody; the risk is the share of the release that is found
  on average, (1 / n) Σ f / F over the classes.

F is f · N / n where the size N of the population is given: the release is taken for a random sample
of it. Without a population F is f, which is the highest that the risk can be.

A bound is for the highest risk of a record, for the average risk, or for the share of records whose
risk is above a threshold: `risk: {model: marketer, max: 0.05}`. Where nothing else is said it is
for the highest with prosecutor and journalist, for the average with marketer.

The highest risk is a matter of every class: classes of at least 1 / max (· n / N) people, which is
a larger k. The other two are a matter of the whole release. While nothing is suppressed, they only
fall when classes are merged; with suppression they may rise, and searches prune by k alone.

Reference: El Emam, Guide to the de-identification of personal health information (2013), chapters
16 to 18; ARX has the same definitions (RiskModelSampleRisks).
"""

from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

from kanon_tui.core.fields.declaration import (
    Field,
    FieldType,
    choice,
    number,
    read_given,
    whole_number,
)
from kanon_tui.core.fields.located import LocatedValue, Plain
from kanon_tui.core.numeric import TIE, Floats, Int64s

Model = Literal["prosecutor", "journalist", "marketer"]
Measure = Literal["highest", "average", "share"]
MODELS: tuple[Model, ...] = ("prosecutor", "journalist", "marketer")
MEASURES: tuple[Measure, ...] = ("highest", "average", "share")
THRESHOLD = 0.2
"""The risk above which a record is at risk where nothing else is given: classes below 5."""


@dataclass(frozen=True)
class RiskFigures:
    """The risk of a release by one model."""

    highest: float
    average: float
    share: float
    """The share of the records (people) whose risk is above the threshold."""


def risk_figures(sizes: Int64s, population: Floats, threshold: float = THRESHOLD) -> RiskFigures:
    """Return the risk of classes of these sizes; `population` has the people who look like each."""
    if not len(sizes):
        return RiskFigures(0.0, 0.0, 0.0)
    risks = 1.0 / population
    n = float(sizes.sum())
    return RiskFigures(
        highest=float(risks.max()),
        average=float((sizes * risks).sum() / n),
        share=float(sizes[risks > threshold + TIE].sum() / n),
    )


@dataclass(frozen=True)
class RiskBound:
    """A bound for the risk of a release by one model of the attacker."""

    model: Model
    max: float
    measure: Measure = "highest"
    threshold: float = THRESHOLD
    population: int | None = None
    """How many people the release is a sample of."""

    @property
    def of_sample(self) -> bool:
        """Whether the risk, and the k it asks for, depend on the number of people in the table."""
        return self.model != "prosecutor" and self.population is not None

    def scale(self, people: int) -> float:
        """Return the factor from a prosecutor's risk to this model's, in a table of `people`."""
        return min(people / (self.population or people), 1.0) if self.of_sample else 1.0

    def least_k(self, people: int) -> int:
        """Return the smallest class that keeps the highest risk; 1 for a bound of another."""
        return ceil(self.scale(people) / self.max - TIE) if self.measure == "highest" else 1

    def figure(self, sizes: Int64s, people: int) -> float:
        """Return the figure that is bounded, of classes of these sizes."""
        figures = risk_figures(sizes, sizes / self.scale(people), self.threshold)
        return float(getattr(figures, self.measure))

    def holds(self, sizes: Int64s, people: int) -> bool:
        """Return whether classes of these sizes keep the bound."""
        return self.figure(sizes, people) <= self.max + TIE

    def __str__(self) -> str:
        what = f"{self.measure} {self.model} risk"
        if self.measure == "share":
            what = f"share of records with a {self.model} risk above {self.threshold:g}"
        of = "" if self.population is None else f" in a population of {self.population:,}"
        article = "an" if what.startswith("average") else "a"
        return f"{article} {what} of at most {self.max:g}{of}"


_SHARE = number(above=0, high=1, words="a share above 0, at most 1")
_EXAMPLE = "for instance risk: {model: marketer, max: 0.05}"
_FIELDS = (
    Field("model", choice(MODELS), required=_EXAMPLE),
    Field("max", _SHARE, required=_EXAMPLE),
    Field("measure", choice(MEASURES)),
    Field("threshold", _SHARE),
    Field("population", whole_number(low=1)),
)


def _usual_measure(model: str) -> Measure:
    """Return the measure that a bound is for where nothing else is given."""
    return "average" if model == "marketer" else "highest"


def _read(located: LocatedValue) -> RiskBound | None:
    if located.value is None:
        return None
    settings = {"measure": None} | read_given(_FIELDS, located)
    settings["measure"] = settings["measure"] or _usual_measure(settings["model"])
    at = located.entries()
    if "threshold" in at and settings["measure"] != "share":
        raise at["threshold"].refuse("a threshold is for measure: share; leave it out")
    if "population" in at and settings["model"] == "prosecutor":
        raise at["population"].refuse(
            "a prosecutor knows who is in the release, so that a population changes nothing; leave "
            "it out or choose journalist"
        )
    return RiskBound(**settings)


def _write(bound: RiskBound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    written: dict[str, Any] = {"model": bound.model, "max": bound.max}
    if bound.measure != _usual_measure(bound.model):
        written["measure"] = bound.measure
    if bound.measure == "share":
        written["threshold"] = bound.threshold
    if bound.population is not None:
        written["population"] = bound.population
    return written


RISK = FieldType(
    "a mapping with the keys model, max, measure, threshold and population",
    _read,
    _write,
    optional=True,
)


# -- in a form, where it is typed in words

_WORDS = "words like: marketer 0.05, journalist 0.1 of 5000, prosecutor share 0.1 above 0.2"

_NUMBERS = {"above": "threshold", "of": "population"}
"""Words before a number, and the key of the number."""


def _read_words(located: LocatedValue) -> RiskBound | None:
    if located.value is None:
        return None
    words = iter(located.text(_WORDS).lower().split())
    settings: dict[str, Any] = {}
    for word in words:
        kind = "model" if word in MODELS else "measure" if word in MEASURES else "max"
        if word in _NUMBERS:
            kind = _NUMBERS[word]
            word = next(words, word)
        if kind == "max" and kind in settings:
            raise located.wrong(_WORDS)
        settings[kind] = word
    if not {"model", "max"} <= settings.keys():
        raise located.wrong(_WORDS)
    plain = {key: Plain(value) for key, value in settings.items()}
    return _read(LocatedValue(located.file, located.key, plain))


def _in_words(bound: RiskBound | None) -> str:
    written = _write(bound) or {}
    texts = [str(written[key]) for key in ("model", "measure", "max") if key in written]
    texts += [f"above {written['threshold']:g}"] if "threshold" in written else []
    texts += [f"of {written['population']}"] if "population" in written else []
    return " ".join(texts)


RISK_IN_WORDS = FieldType(_WORDS, _read_words, _in_words, name="str", optional=True)
"""A bound of the risk as a form shows it: `marketer 0.05`."""
