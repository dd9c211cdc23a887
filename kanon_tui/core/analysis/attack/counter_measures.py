"""Counter-measures: the same data released again with one of them, attacked again, side by side.

A counter-measure is settings of a project, `publish=rounded` or `l=2,ties=random`: those of
`Project.with_`, and `publish` for all quasi-identifiers that it fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import yaml

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.attack.attacked import AttackResult
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.attribute import AttributeSpec
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.sections import Section, figure
from kanon_tui.core.table.schema import Role
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
        ordered = [each for each in task.quasi if each.ordered]
        if ordered and project.overlap:
            found.append("publish=rounded")
        if any(each.hierarchy_given for each in ordered):
            found.append("publish=hierarchy")
        found += ["overlap=false"] if project.overlap else []
        if task.requirements and "ties" in {each.name for each in fields(task.privacy)}:
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
    for each in task.quasi:
        spec = attributes.get(each.name, AttributeSpec(Role.QUASI))
        labels = publish == "hierarchy" and each.hierarchy_given
        if each.ordered and (labels or publish == "rounded"):
            attributes[each.name] = replace(spec, publish=publish)
        elif labels and not each.ordered:
            attributes[each.name] = replace(spec, publish="ancestor")
    if publish is not None and attributes == dict(project.attributes):
        raise InputError(f"publish={publish} fits no quasi-identifier; use rounded or hierarchy")
    return replace(project, attributes=attributes).with_(**settings)


def side_by_side(runs: Sequence[AttackedAgain]) -> Section:
    """Return the shares of people hit by every attack, a column for each release."""
    titles = dict.fromkeys(each.title for run in runs for each in run.attacks)
    by_run = [{each.title: f"{each.rate:.1%}" for each in run.attacks} for run in runs]
    rows = [[title, *(found.get(title, "–") for found in by_run)] for title in titles]
    rows.append(["Detail lost (NCP)", *(figure(run.ncp) for run in runs)])
    rows.append(["Records suppressed", *(figure(run.suppressed) for run in runs)])
    text = "The share of people on whom an attack succeeds, without and with counter-measures."
    columns = ("Attack", *(run.changes or "as it is" for run in runs))
    return Section("Side by side", [text], columns, rows)
