"""The reasons of a result, by the family of its algorithm.

- full-domain (`levels`): what would happen one level further down;
- clustering (`classes`): which values share the class, and where it could be cut.
"""

from kanon_tui.core.analysis.why.classes import ClassReasons
from kanon_tui.core.analysis.why.levels import LevelReasons
from kanon_tui.core.analysis.why.reasons import Reasons
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.task.task import Family


def explainer(result: Result) -> Reasons:
    """Return the reasons of one result."""
    full_domain = result.algorithm.family is Family.FULL_DOMAIN
    return LevelReasons(result) if full_domain else ClassReasons(result)
