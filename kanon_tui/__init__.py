"""Kanon k-anonymises microdata: sixteen algorithms, measured and verified releases.

    import kanon_tui as kn

    project = kn.Project.load("census.yaml")
    result = kn.anonymize(project)              # or kn.anonymize("census.yaml", table=frame)
    result.table                                # a Polars frame, ready to publish
    result.report["metrics"]["ncp"]
    result.write("release.csv")

    for step in kn.run(project, context=kn.RunContext(1)):      # decision by decision
        print(step.sentence)

    for point in kn.sweep(project, ["global", "mondrian"], ks=[2, 5, 10]):
        print(point.algorithm, point.k, point.ncp, point.rv)

Nothing is imported before it is used, and never a user interface.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kanon_tui.core.version import __version__

if TYPE_CHECKING:
    from kanon_tui.core.algorithms import catalogue as algorithms
    from kanon_tui.core.analysis.sweep.sweep import sweep
    from kanon_tui.core.analysis.utility.utility import utility_of as utility
    from kanon_tui.core.analysis.utility.utility import utility_sections
    from kanon_tui.core.errors import InputError, KanonError, NotReachedError
    from kanon_tui.core.pipeline.result import Result, anonymize, conclude
    from kanon_tui.core.pipeline.result import start as run
    from kanon_tui.core.pipeline.stream import stream
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.task.steps import RunContext

_WHERE = {
    "InputError": "errors.InputError",
    "KanonError": "errors.KanonError",
    "NotReachedError": "errors.NotReachedError",
    "Project": "project.project.Project",
    "Result": "pipeline.result.Result",
    "RunContext": "task.steps.RunContext",
    "algorithms": "algorithms.catalogue",
    "anonymize": "pipeline.result.anonymize",
    "conclude": "pipeline.result.conclude",
    "run": "pipeline.result.start",
    "stream": "pipeline.stream.stream",
    "sweep": "analysis.sweep.sweep.sweep",
    "utility": "analysis.utility.utility.utility_of",
    "utility_sections": "analysis.utility.utility.utility_sections",
}

__all__ = [
    "InputError", "KanonError", "NotReachedError", "Project", "Result", "RunContext",
    "__version__", "algorithms", "anonymize", "conclude", "run", "stream", "sweep", "utility",
    "utility_sections",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a name of this page when it is first used."""
    if name not in _WHERE:
        raise AttributeError(f"module 'kanon_tui' has no attribute '{name}'")
    module, _, thing = _WHERE[name].rpartition(".")
    value = getattr(import_module(f"kanon_tui.core.{module}"), thing)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
