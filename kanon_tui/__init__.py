"""Kanon k-anonymises microdata: nineteen algorithms, measured and verified releases.

    import kanon_tui as kn

    release = kn.anonymize(frame, quasi=["age", "sex", "zip"], sensitive="diagnosis", k=5)
    release.table                               # a Polars frame, ready to publish
    release.report["metrics"]["ncp"]
    release.write("release.csv")

    project = kn.Project.load("census.yaml").with_(k=10, algorithm="udc")
    for step in kn.run(project, context=kn.RunContext(1)):      # decision by decision
        print(step.sentence)

    kn.sweep(project, ["global", "mondrian"], k=[2, 5, 10]).frame()

`__all__` is the public surface; everything in `kanon_tui.core` is private and may change. Analyses
of other packages are functions here, too. Nothing is imported before it is used, and never a user
interface.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_tui.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from kanon_tui.core.algorithms import catalogue as algorithms
    from kanon_tui.core.analysis.attack.suite import attack_release as attack
    from kanon_tui.core.analysis.attack.weak_spots import remedies
    from kanon_tui.core.analysis.evidence import evidence
    from kanon_tui.core.analysis.proof import verify_written as verify
    from kanon_tui.core.analysis.utility.utility import utility_sections
    from kanon_tui.core.api.builders import (
        breaks,
        dates,
        flat,
        groups,
        icd10,
        intervals,
        mask,
        quantiles,
    )
    from kanon_tui.core.api.functions import (
        anonymize,
        apply,
        check,
        conclude,
        export_mapping,
        levels,
        risk,
        sweep,
    )
    from kanon_tui.core.api.release import Release
    from kanon_tui.core.errors import InfrastructureError, InputError, KanonError, NotReachedError
    from kanon_tui.core.pipeline.run import Result
    from kanon_tui.core.pipeline.run import start as run
    from kanon_tui.core.pipeline.stream import stream
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.project.sections import AttributeSpec
    from kanon_tui.core.task.task import RunContext

    feasibility: Callable[..., Any]
    linking: Callable[..., Any]
    rerelease: Callable[..., Any]
    trees: Callable[..., Any]
    utility: Callable[..., Any]

_WHERE = {
    "api.builders": "breaks dates flat groups icd10 intervals mask quantiles",
    "api.functions": "anonymize apply check conclude export_mapping levels risk sweep",
    "api.release": "Release",
    "errors": "InfrastructureError InputError KanonError NotReachedError",
    "pipeline.run": "Result",
    "pipeline.stream": "stream",
    "project.sections": "AttributeSpec",
    "project.project": "Project",
    "task.task": "RunContext",
    "analysis.attack.weak_spots": "remedies",
    "analysis.evidence": "evidence",
    "analysis.utility.utility": "utility_sections",
}
_PLACES = {name: (module, name) for module, names in _WHERE.items() for name in names.split()} | {
    "algorithms": ("algorithms", "catalogue"),
    "attack": ("analysis.attack.suite", "attack_release"),
    "run": ("pipeline.run", "start"),
    "verify": ("analysis.proof", "verify_written"),
}

__all__ = [
    "AttributeSpec", "InfrastructureError", "InputError", "KanonError", "NotReachedError",
    "Project", "Release", "Result", "RunContext", "__version__", "algorithms", "anonymize",
    "apply", "attack", "breaks", "check", "conclude", "dates", "evidence", "export_mapping",
    "feasibility", "flat", "groups", "icd10", "intervals", "levels", "linking", "mask", "quantiles",
    "remedies", "rerelease", "risk", "run", "stream", "sweep", "trees", "utility",
    "utility_sections", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a name of this page when it is first used."""
    if name == "sklearn":
        return import_module("kanon_tui.sklearn")
    if name == "KAnonymizer":
        return import_module("kanon_tui.sklearn").KAnonymizer
    if name in _PLACES:
        module, thing = _PLACES[name]
        value = getattr(import_module(f"kanon_tui.core.{module}"), thing)
    else:
        value = _analysis(name)
    globals()[name] = value
    return value


def _analysis(name: str) -> Any:
    """Return the function of an analysis, which may be one of another package."""
    function = None
    if not name.startswith("_"):
        function = import_module("kanon_tui.core.api.analyses").function_named(name)
    if function is None:
        raise AttributeError(f"module 'kanon_tui' has no attribute '{name}'")
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
