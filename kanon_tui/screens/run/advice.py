"""What samples of the data say before a run: how long it takes, and who would lose less."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from rich.text import Text
from textual.timer import Timer
from textual.widgets import Static

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.first_choice import Alternative, alternative_to
from kanon_tui.core.analysis.recommend import Recommendation, question, recommend
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline.trial import Trial, try_out
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.services.background import cancellation_check
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import choose
from kanon_tui.widgets.drawing import theme_style

CALM = 0.4
"""Seconds without an edit before samples are tried."""


class Advice(Hosted, Static):
    """Lines of recommendations; tries samples in the background while nothing else runs."""

    def __init__(self, tried: Callable[[Trial], object], id: str | None = None) -> None:
        super().__init__(id=id)
        self.found: tuple[Recommendation, ...] = ()
        self._tried = tried
        """Called with the trial of the chosen algorithm."""
        self._about: Project | None = None
        """The project for which the recommendations were made."""
        self._trials: dict[str, Trial] = {}
        """By algorithm and parameters."""
        self._asked = 0
        """Counts requests; work for an older one stops."""
        self._soon: Timer | None = None

    def trial_of(self, choice: AlgorithmChoice) -> Trial | None:
        """Return the trial of an algorithm with its parameters, if there was one."""
        return self._trials.get(str(choice))

    def show_for(self, session: Session) -> None:
        """Show what is known, and find out the rest when nobody types."""
        about = question(session.project)
        if about != self._about:
            self._about = about
            self.found = ()
            self._trials = {}
        self._draw()
        self.stop()
        is_tried = self.trial_of(session.project.algorithm) is not None
        if not is_tried or not self.found:
            self._soon = self.set_timer(CALM, lambda: self._try(session, self._asked))

    def stop(self) -> None:
        """Stop the trials, so that other work gets the processor; `show_for` starts them again."""
        self._asked += 1
        if self._soon is not None:
            self._soon.stop()
            self._soon = None

    def on_unmount(self) -> None:
        self.stop()

    def _try(self, session: Session, request: int) -> None:
        """Try the chosen algorithm first, then find recommendations."""
        self._soon = None
        project = session.project
        choice = project.algorithm
        earlier_trial = self.trial_of(project.algorithm)

        def stop() -> bool:
            return self._asked != request

        def work() -> Trial | None:
            if earlier_trial is not None:
                return earlier_trial
            algorithm = with_parameters(ALGORITHMS[choice.name], choice.params, choice.name)
            return session.extrapolated(try_out(session.task(), algorithm, stop=stop))

        def done(trial: Trial | None) -> None:
            if stop() or trial is None:
                return
            if earlier_trial is None:
                self._trials[str(choice)] = trial
                self._tried(trial)
            if not self.found:
                self._recommend(session, stop)

        self.compute(work, done, group="trial", failed=not_ready)

    def _recommend(self, session: Session, stop: Callable[[], bool]) -> None:
        def done(answer: tuple[tuple[Recommendation, ...], str]) -> None:
            recommendations, first_choice = answer
            if stop():
                return
            self._take(recommendations)
            if first_choice and session.first_choice_is_open:
                session.preselect(first_choice)
                self.host.session_changed()

        self.update(Text("trying samples of the data …", "dim"))
        work = partial(_with_first_choice, session, stop)
        self.compute(work, done, group="advice", failed=not_ready)

    def _take(self, recommendations: tuple[Recommendation, ...]) -> None:
        self.found = recommendations
        for recommendation in recommendations:
            self._trials.setdefault(
                str(AlgorithmChoice(recommendation.algorithm)), recommendation.trial
            )
        self._draw()

    def choose(self) -> None:
        """Ask which recommendation to take over; samples are tried first if they were not yet."""
        session = self.session
        self.stop()

        def offer(recommendations: tuple[Recommendation, ...]) -> None:
            self._take(recommendations)
            lines = [
                f"{recommendation.want}: {recommendation.algorithm} ({recommendation.figures})"
                for recommendation in recommendations
            ]
            hint = "tried on samples of your data; enter takes the algorithm over"
            options = [
                (line, partial(take, recommendation))
                for line, recommendation in zip(lines, recommendations, strict=True)
            ]
            choose(self, "What do you want?", options, hint)

        def take(recommendation: Recommendation) -> None:
            self.edit(
                recommendation.taken_over(session.project), f"algorithm {recommendation.algorithm}"
            )
            self.screen.query_one("#algorithms").focus()  # where `r` runs

        self.load(lambda: self.found or _recommended(session, cancellation_check()), offer)

    def _draw(self) -> None:
        text = Text(no_wrap=True, overflow="ellipsis")
        wants = max((len(recommendation.want) for recommendation in self.found), default=0)
        names = max((len(recommendation.algorithm) for recommendation in self.found), default=0)
        project = self.session.project
        for recommendation in self.found:
            taken = recommendation.taken_over(project)
            same = question(taken) == question(project)  # with its suppression and round ends
            mark = "▸" if same and recommendation.algorithm == project.algorithm.name else " "
            text.append(f"{mark} {recommendation.want:<{wants}}  ", "dim")
            text.append(f"{recommendation.algorithm:<{names}}  ", "bold")
            text.append(recommendation.figures)
            if recommendation.hides:
                text.append(f", {recommendation.hides}", theme_style(self, "warning"))
            text.append("\n")
        text.rstrip()
        self.set_class(not self.found, "-empty")
        self.update(text)


def _recommended(session: Session, stop: Callable[[], bool]) -> tuple[Recommendation, ...]:
    """Return what is recommended; of a table beyond memory, who works on counted rows."""
    recommendations = recommend(session.task(), stop)
    if session.source is None:
        return recommendations
    return tuple(
        replace(recommendation, trial=session.extrapolated(recommendation.trial))
        for recommendation in recommendations
        if ALGORITHMS[recommendation.algorithm].works_on_counted_rows
    )


def _with_first_choice(
    session: Session, stop: Callable[[], bool]
) -> tuple[tuple[Recommendation, ...], str]:
    """Return what is recommended, and the first choice where nobody has chosen, else ''."""
    recommended = _recommended(session, stop)
    if not session.first_choice_is_open:
        return recommended, ""
    return recommended, session.first_choice(stop)


def alternative_beside(result: FinishedRun) -> Alternative | None:
    """Return the algorithm to name beside a result; called in a thread that may be cancelled."""
    return alternative_to(result, cancellation_check())


def not_ready(error: Exception) -> None:
    """Ignore an error that keeps a run from starting, which is shown above; raise any other."""
    if not isinstance(error, KanonError):
        raise error
