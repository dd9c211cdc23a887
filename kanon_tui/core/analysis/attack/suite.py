"""The attack suite: the kinds of attacks, found by name and imported on demand.

results = run_attacks(AttackedRelease(project, task, release), ["downcoding", "inference"])

Counter-measures: the same data released again with one of them, attacked again, side by side.

A counter-measure is settings of a project, `publish=rounded` or `l=2,ties=random`: those of
`Project.with_`, and `publish` for all quasi-identifiers that it fits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl
import yaml

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.published_cells import Watch, released_tables
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.pipeline.engine_choice import read_records
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.report.sections import Section, figure
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Family, Task


@dataclass(frozen=True)
class AttackedAgain:
    """The attacks on a release that was made with a counter-measure."""

    changes: str
    """The counter-measure as it is typed: `l=2`."""
    attacks: Sequence[AttackResult]
    ncp: float | None
    """The share of detail that is lost; None where it was not measured."""
    suppressed: int | None = None


def offered(task: Task, project: Project) -> list[str]:
    """Return the counter-measures that may help a release of a project, as they are typed."""
    found = []
    if find_algorithm(project.algorithm.name).family is not Family.FULL_DOMAIN:
        ordered = [attribute for attribute in task.quasi if attribute.ordered]
        if ordered and project.overlap:
            found.append("publish=rounded")
        if any(each.hierarchy_given for each in ordered):
            found.append("publish=hierarchy")
        found += ["overlap=false"] if project.overlap else []
        if task.requirements:
            found.append("ties=random")
    if task.sensitive:
        found += ["l=2", "t=0.3", "beta=2"]
    return [*found, f"k={2 * task.k}"]


def changed(project: Project, task: Task, changes: str) -> Project:
    """Return the project with a counter-measure."""
    settings = {}
    for part in changes.split(","):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals and value):
            raise InputError(
                f"'{part}' is no counter-measure; write it like publish=rounded, l=2 or ties=random"
            )
        settings[name] = yaml.safe_load(value)
    publish = settings.pop("publish", None)
    attributes = dict(project.attributes)
    for attribute in task.quasi:
        spec = attributes.get(attribute.name, AttributeSpec(Role.QUASI))
        labels = publish == "hierarchy" and attribute.hierarchy_given
        if attribute.ordered and (labels or publish == "rounded"):
            attributes[attribute.name] = replace(spec, publish=publish)
        elif labels and not attribute.ordered:
            attributes[attribute.name] = replace(spec, publish="ancestor")
    if publish is not None and attributes == dict(project.attributes):
        raise InputError(f"publish={publish} fits no quasi-identifier; use rounded or hierarchy")
    return replace(project, attributes=attributes).with_(**settings)


def side_by_side(runs: Sequence[AttackedAgain]) -> Section:
    """Return the shares of people hit by every attack, a column for each release."""
    titles = dict.fromkeys(attack.title for run in runs for attack in run.attacks)
    by_run = [{each.title: f"{each.rate:.1%}" for each in run.attacks} for run in runs]
    rows = [[title, *(found.get(title, "–") for found in by_run)] for title in titles]
    rows.append(["Detail lost (NCP)", *(figure(run.ncp) for run in runs)])
    rows.append(["Records suppressed", *(figure(run.suppressed) for run in runs)])
    text = "The share of people on whom an attack succeeds, without and with counter-measures."
    columns = ("Attack", *(run.changes or "as it is" for run in runs))
    return Section("Side by side", [text], columns, rows)


@dataclass(frozen=True)
class AttackKind:
    """A kind of attack: a function of its name, in the module of its criterion."""

    name: str
    summary: str
    criterion: str
    """The question of WP29 that it speaks for: singling out, linkability or inference."""

    def run(self, attacked: AttackedRelease) -> list[AttackResult]:
        """Import the attack and run it."""
        module = import_module(f"{__package__}.{self.criterion.replace(' ', '_')}")
        results = getattr(module, self.name.replace("-", "_"))(attacked)
        return [replace(result, kind=self.name) for result in results]


KINDS = (
    AttackKind("singling-out", "predicates of the release that match one person", "singling out"),
    AttackKind("downcoding", "exact values rebuilt from ends of ranges and sets", "singling out"),
    AttackKind("linkability", "two parties who join what they know by the release", "linkability"),
    AttackKind("composition", "two releases of the same people joined", "linkability"),
    AttackKind("inference", "a sensitive value learnt from the class or a model", "inference"),
    AttackKind("refinement", "classes excluded because everybody must be in one", "inference"),
    AttackKind("minimality", "worlds excluded by what the algorithm would have done", "inference"),
)


def find_kinds(name: str) -> tuple[AttackKind, ...]:
    """Return the kind of a name, or every kind for `all`."""
    check_known(name, [*(kind.name for kind in KINDS), "all"], f"there is no attack '{name}'")
    return tuple(kind for kind in KINDS if name in (kind.name, "all"))


def run_attacks(
    attacked: AttackedRelease, kinds: Iterable[AttackKind] = KINDS
) -> list[AttackResult]:
    """Return the results of attacks of these kinds; composition needs an earlier release."""
    chosen = list(kinds)
    if attacked.earlier is None and len(chosen) > 1:
        chosen = [kind for kind in chosen if kind.name != "composition"]
    return [result for kind in chosen for result in kind.run(attacked)]


def attack_again(
    attacked: AttackedRelease, changes: str, kinds: Iterable[AttackKind] = KINDS
) -> AttackedAgain:
    """Make a release of the same records with a counter-measure, and attack it as before."""
    project = changed(attacked.project, attacked.task, changes)
    result = anonymize(project, attacked.task.table)
    task, release = released_tables(result)
    again = replace(attacked, project=project, task=task, table=release, name="the new release")
    found = run_attacks(again, kinds)
    measures = result.measures
    return AttackedAgain(changes, found, measures.ncp, measures.suppressed_records)


def attack_release(
    result: Result,
    kind: str = "all",
    control: Any = None,
    earlier: Any = None,
    watch: Watch = lambda done, total: True,
    counter: str = "",
    **options: Any,
) -> list[AttackResult]:
    """Attack a release that was just made, in memory.

    Parameters
    ----------
    result : Result
        What `anonymize` returned.
    kind : str
        singling-out, linkability, inference, minimality, downcoding, refinement, composition, all.
    control, earlier : frame, optional
        People who were not in the data, for comparison; an earlier release of the same people,
        for composition.
    watch : callable, optional
        Called with the work done and the whole work; returning False cancels.
    counter : str, optional
        A counter-measure, ``publish=rounded`` or ``l=2``: the records are released again with it,
        and that release is attacked.

    Returns
    -------
    list of AttackResult
        Each with people, successes, rate, interval, control_rate, worst and sentences.

    Raises
    ------
    InputError
        For an unknown kind, or tables that do not fit the release.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39], "ill": ["flu", "flu", "cold", "flu"]})
    >>> release = kn.anonymize(people, quasi=["age"], sensitive="ill", k=2, algorithm="mondrian")
    >>> kn.attack(release, "inference")[0].successes
    2
    """
    attacked = seen_by_attackers(result, control, earlier, watch, options)
    kinds = find_kinds(kind)
    if counter:
        return list(attack_again(attacked, counter, kinds).attacks)
    return run_attacks(attacked, kinds)


def seen_by_attackers(
    result: Result,
    control: Any = None,
    earlier: Any = None,
    watch: Watch = lambda done, total: True,
    options: Mapping[str, Any] | None = None,
) -> AttackedRelease:
    """Return a release in memory as attackers see it; see `attack_release`."""
    if result.project is None:
        raise InputError(
            "the attacks need all records in memory; attack a release of a sample of the data"
        )
    task, release = released_tables(result)
    beside, before = (
        None if each is None else as_table(each, task.table.missing_tokens)
        for each in (control, earlier)
    )
    made = (result.project, task, release)
    return AttackedRelease(
        *made, watch=watch, control=beside, earlier=before, options=options or {}
    )


def attack_sections(results: Sequence[AttackResult]) -> list[Section]:
    """Return the attacks as a table, and a section with the sentences of each."""
    criteria = {kind.name: kind.criterion for kind in KINDS}
    columns = ("Attack", "Rate", "95 % interval", "Control", "People")
    rows = []
    each_attack = []
    for result in results:
        low, high = result.interval
        control = "–" if result.control_rate is None else f"{result.control_rate:.1%}"
        figures = f"{result.rate:.1%}", f"{low:.1%}–{high:.1%}", control, f"{result.successes:,}"
        rows.append([result.title, *figures])
        items = [f"Worst-hit class: {result.worst}."] if result.worst else []
        if result.remedy and result.successes:
            items.append(f"Counter-measure: {result.remedy}.")
        each_attack.append(Section(result.title, result.sentences, items=items))
    answers = [
        "The three questions of the Article 29 Working Party, each with the attacks that speak for "
        "it and the share of people on whom they succeed."
    ]
    highest = []
    for criterion in dict.fromkeys(criteria.values()):
        tried = [each for each in results if criteria[each.kind] == criterion]
        rates = ", ".join(f"{each.title} {each.rate:.1%}" for each in tried) or "not tried"
        answers.append(f"Is {criterion} possible? {rates}.")
        most = max(tried, key=lambda each: each.rate, default=None)
        if most is not None:
            other = (
                "" if most.control_rate is None else f" (not in the data: {most.control_rate:.1%})"
            )
            highest.append(f"{criterion} {most.rate:.1%}{other}")
    first = f"Share of people on whom the best attack succeeds: {'; '.join(highest)}."
    questions = Section("Singling out, linkability, inference", answers, headline=[first])
    meaning = (
        "The share of people on whom an attack succeeds, its 95 % confidence interval, "
        "the same for people who were not in the data (control), and the people."
    )
    return [questions, Section("Attacks", [meaning], columns, rows), *each_attack]


def held_out(project: Project, share: float) -> tuple[Table, pl.DataFrame]:
    """Return the data of a project without a share of its records, drawn by the seed, and these."""
    table = read_records(project)
    chosen = np.random.default_rng(project.seed).random(table.height) < share
    if not chosen.any() or chosen.all():
        raise InputError(
            f"--hold-out {share:g} of {table.height:,} records leaves nothing on one side; choose "
            f"another share"
        )
    kept = as_table(table.frame.filter(~pl.Series(chosen)), table.missing_tokens)
    return kept, table.frame.filter(pl.Series(chosen))
