"""The state of every step of a project: done, guessed, in need of attention, not begun."""

from dataclasses import dataclass
from enum import Enum

from kanon_tui.core.editing.changes import staleness
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError, in_screen_words
from kanon_tui.core.table.column import Role


class State(Enum):
    """The state of a step, with its mark."""

    DONE = "✓"
    GUESSED = "?"
    WEAK = "~"
    ATTENTION = "!"
    NOT_YET = "–"


@dataclass(frozen=True)
class Readiness:
    """The state of one step, with the number of problems and the first of them in words."""

    state: State
    problems: int = 0
    why: str = ""

    @property
    def mark(self) -> str:
        """The mark: ✓, ? for guesses to confirm, ! or ~ with the number of problems, or –."""
        return self.state.value + (str(self.problems) if self.problems else "")

    @property
    def colour(self) -> str:
        """The theme's colour for the mark."""
        return {
            State.DONE: "success",
            State.GUESSED: "accent",
            State.WEAK: "accent",
            State.ATTENTION: "warning",
            State.NOT_YET: "foreground",
        }[self.state]


def readiness(session: Session) -> dict[str, Readiness]:
    """Return the state of every step, by its name: data, attributes, hierarchies and so on."""
    quasi = session.names(Role.QUASI)
    no_quasi = "no attribute is a quasi-identifier yet"
    problems = [why for name in quasi if (why := problem_of(session, name))]
    rules = sum(len(session.attribute(name).rules.rules) for name in quasi)
    results = _results(session)
    guessed = session.guessed
    proposed = [n for n in guessed if n in quasi and session.attribute(n).hierarchy is None]
    attributes = Readiness(State.GUESSED if guessed else State.DONE)
    hierarchies = Readiness(State.GUESSED if proposed else State.DONE)
    if not quasi:
        attributes = Readiness(State.ATTENTION, 1, no_quasi)
        hierarchies = Readiness(State.NOT_YET)
    weak = 0
    if not problems:
        weak = sum(session.quasi_identifier(name).hierarchy.one_step for name in quasi)
    if weak:
        hierarchies = Readiness(State.WEAK, weak, "nothing between a value and *")
    if problems:
        hierarchies = Readiness(State.ATTENTION, len(problems), problems[0])
    return {
        "data": Readiness(State.DONE),
        "attributes": attributes,
        "hierarchies": hierarchies,
        "rules": Readiness(State.DONE if rules else State.NOT_YET),
        "run": results,
        "results": results,
        "what-if": Readiness(State.DONE if session.swept else State.NOT_YET),
    }


def _results(session: Session) -> Readiness:
    """Return the state of the results: done when one has the present settings, and no caution."""
    if not session.results:
        return Readiness(State.NOT_YET)
    stale = [staleness(result, session.project) for result in session.results]
    if all(stale):
        return Readiness(State.ATTENTION, why=f"changed since the last run: {stale[-1]}")
    fresh = [run for run, changed in zip(session.results, stale, strict=True) if not changed]
    severe = [caution for caution in fresh[-1].cautions if caution.is_amber]
    if severe:
        return Readiness(State.ATTENTION, len(severe), severe[0].sentence)
    return Readiness(State.DONE)


def problem_of(session: Session, name: str) -> str:
    """Return the problem of a quasi-identifier; empty when it can be used."""
    try:
        session.quasi_identifier(name)
    except KanonError as error:
        return in_screen_words(error)
    return ""
