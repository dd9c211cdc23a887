"""Errors with one sentence that a person can act on.

Every error the product raises on purpose is a `KanonError`. Its message says who is at fault
(file, row, column, key), what came, what is allowed and what to do, and the command line turns
the class into an exit code.
"""

import difflib
from collections.abc import Collection, Iterable

from kanon_tui.core.addresses import without_secrets

OUT_OF_MEMORY = (
    "the memory is not enough; close other programs, use fewer records, columns or levels of "
    "hierarchies, or a machine with more memory"
)
_LONGEST = 1200


class KanonError(Exception):
    """Base of all expected errors; the message is one clear sentence."""

    exit_code = 2

    def __init__(self, sentence: str = "", on_screen: str = "") -> None:
        """Take the sentence; the middle of a very long one, which quotes input, is left out.

        `on_screen` says the same where the sentence has words of the project file in it. Both show
        no secrets of the addresses in them.
        """
        sentence = without_secrets(sentence)
        if len(sentence) > _LONGEST:
            half = _LONGEST // 2
            sentence = f"{sentence[:half]}…{sentence[-half:]}"
        super().__init__(sentence)
        self.on_screen = without_secrets(on_screen) or sentence


class InputError(KanonError, ValueError):
    """An error in a data file, project, hierarchy, rule or argument."""


class NotReachedError(KanonError):
    """The error of a run that did not reach the required privacy or found no release."""

    exit_code = 1


class InfrastructureError(KanonError):
    """The error of a scheduler, database, network or disk that failed while it was used."""

    exit_code = 3


def in_screen_words(error: Exception) -> str:
    """Return the sentence that a screen shows for an error."""
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
