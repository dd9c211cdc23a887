"""Errors with one sentence that a person can act on.

Every error the product raises on purpose is a `KanonError`. Its message says who is at fault
(file, row, column, key), what came, what is allowed and what to do, and the command line turns
the class into an exit code.

A message is copied into logs, tickets and notebooks, so no value of the data stands in it. Whoever
builds a sentence marks such a value, and the error has the sentence in two versions:

    raise InputError(f"{name}: {Value(text)} in row {row} is no number")

    str(error)         name: a value in row 4 is no number
    error.with_values  name: 'thirty' in row 4 is no number

The second one is for the screen of a person who has the data open, and for `--show-values`. Texts
that a user typed into a project (labels, names of columns, options) need no mark.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kanon_tui.core.addresses import without_secrets
from kanon_tui.core.text import count_of, quoted_list

OUT_OF_MEMORY = (
    "the memory is not enough; close other programs, use fewer records, columns or levels of "
    "hierarchies, or a machine with more memory"
)
THOSE_OF_DATA = "those in the data"
"""What is said in place of an example from the data: `write one like those in the data`."""
_LONGEST = 1200
_BEGIN, _BETWEEN, _END = "\ufdd0", "\ufdd1", "\ufdd2"
"""Characters that Unicode keeps for use inside of programs; no text of a file needs them."""
_MARKS = re.compile(f"[{_BEGIN}{_BETWEEN}{_END}]")
_MARKED = re.compile(f"{_BEGIN}([^{_BETWEEN}]*){_BETWEEN}([^{_END}]*){_END}")


def _marked(hidden: str, shown: str) -> str:
    """Return words and a text from the data, of which an error shows the one or the other."""
    return f"{_BEGIN}{_MARKS.sub('', hidden)}{_BETWEEN}{_MARKS.sub('', shown)}{_END}"


@dataclass(frozen=True)
class Value:
    """A value of the data in the sentence of an error, and what is said in its place."""

    text: object
    hidden: str = "a value"

    def __str__(self) -> str:
        return _marked(self.hidden, f"'{self.text}'")


@dataclass(frozen=True)
class Values:
    """Values of the data in the sentence of an error; their number is said in their place."""

    texts: Sequence[object]
    most: int = 5

    def __str__(self) -> str:
        hidden = "a value" if len(self.texts) == 1 else count_of(len(self.texts), "value")
        return _marked(hidden, quoted_list(self.texts, self.most))


@dataclass(frozen=True)
class OnlyWithValues:
    """Words of an error that are left out where no values are shown, such as a list of values."""

    words: str

    def __str__(self) -> str:
        return _marked("", self.words)


def _version(sentence: str, group: int) -> str:
    """Return a sentence with the one or the other of every marked place, without secrets."""
    sentence = without_secrets(_MARKS.sub("", _MARKED.sub(rf"\{group}", sentence)))
    if len(sentence) > _LONGEST:
        half = _LONGEST // 2
        sentence = f"{sentence[:half]}…{sentence[-half:]}"
    return sentence


class KanonError(Exception):
    """Base of all expected errors; the message is one clear sentence without values of the data."""

    exit_code = 2

    def __init__(self, sentence: str = "", on_screen: str = "") -> None:
        """Take the sentence; the middle of a very long one, which quotes input, is left out.

        `on_screen` says the same where the sentence has words of the project file in it. Both show
        no secrets of the addresses in them.
        """
        super().__init__(_version(sentence, 1))
        self.with_values = _version(sentence, 2)
        """The sentence with the values of the data that are marked in it."""
        self.on_screen = _version(on_screen, 2) or self.with_values


class InputError(KanonError, ValueError):
    """An error in a data file, project, hierarchy, rule or argument."""


class NotReachedError(KanonError):
    """The error of a run that did not reach the required privacy or found no release."""

    exit_code = 1


class InfrastructureError(KanonError):
    """The error of a scheduler, database, network or disk that failed while it was used."""

    exit_code = 3


def in_screen_words(error: object) -> str:
    """Return the sentence that a screen shows for an error, to a person who has the data open."""
    return error.on_screen if isinstance(error, KanonError) else str(error)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a hint for a misspelt word: `did you mean 'weight'?`, or the known words."""
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return "known are " + ", ".join(known) if known else ""


def check_known(word: str, known: Collection[str], problem: str) -> None:
    """Refuse a word that is none of the known ones; `problem` says so, and a hint is added."""
    if word not in known:
        raise InputError(f"{problem}; {suggestion(word, known)}")
