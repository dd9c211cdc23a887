"""Options of algorithms as the research documents ran them: `run --preset NAME`.

Each option is a text, as `--set` takes it. A preset sets the options that a document decides,
defaults included, so that those of a project give way; `--set` has the last word.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.project.project import Project, with_overrides

Options = Mapping[str, str]

_FULL_DOMAIN = ("global", "local", "hybrid", "distributed", "incognito", "datafly")


@dataclass(frozen=True)
class PaperPreset:
    """The options of algorithms that a document decides on; the first algorithm is its own."""

    source: str
    """Where it says so."""
    algorithms: Mapping[str, Options]


PAPER_PRESETS = {
    "sbc-thesis": PaperPreset(
        "SBC, chapters 3 and 4: left-over records join the last class; compared with the toolbox",
        {
            "sbc": {"left_over": "join-last"},
            "mondrian": {"cut": "median", "relaxed": "false"},
            "incognito": {"objective": "classes"},
            "datafly": {"objective": "values"},
        },
    ),
    "utd-toolbox": PaperPreset(
        "the UTD Anonymization Toolbox: cuts at the median, the string with most classes",
        {
            "mondrian": {"cut": "median", "relaxed": "false"},
            "incognito": {"objective": "classes"},
            "datafly": {"objective": "values"},
        },
    ),
    "byun-2007": PaperPreset(
        "Byun, figure 5 and section 4: left-over records in random order, partitions at the median",
        {
            "k-member": {"left_over": "random", "refine": "false", "objective": "own"},
            "mondrian": {"cut": "median", "relaxed": "false"},
        },
    ),
    "cka": PaperPreset(
        "CKA, sections 3 and 4: no value beyond its limit, in full-domain searches as well",
        {
            "gcka": {"refine": "false"},
            "k-member": {"left_over": "random", "refine": "false", "objective": "own"},
            **{name: {"limits": "magvals"} for name in _FULL_DOMAIN},
        },
    ),
    "morton": PaperPreset(
        "Morton: the merged cluster is scored alone (figure 14), the closest clusters merge "
        "(table 10), searches look for research value, roots are no answer of local search",
        {
            "udc": {"objective": "cluster"},
            "udc-suppress": {"objective": "cluster"},
            "euclidean": {"order": "closest"},
            "global": {"objective": "rv"},
            "hybrid": {"objective": "rv"},
            "distributed": {"objective": "rv"},
            "local": {"objective": "rv", "accept_root": "false"},
        },
    ),
}


def with_preset(project: Project, name: str, algorithm: str | None = None) -> Project:
    """Return a project with the options of a preset.

    `algorithm` is the one that was asked for, None for that of the project; where nobody has chosen
    one, it is the preset's own. Raise InputError for an unknown preset, and for an algorithm that
    the document does not run.
    """
    check_known(name, PAPER_PRESETS, f"--preset: there is no preset '{name}'")
    algorithms = PAPER_PRESETS[name].algorithms
    chosen = algorithm or next(iter(algorithms))
    if algorithm is None and not project.algorithm.guessed:
        chosen = project.algorithm.name
    if chosen not in algorithms:
        raise InputError(
            f"--preset: {name} says nothing about {chosen}; with --algorithm it takes "
            f"{', '.join(algorithms)}"
        )
    return with_overrides(project, algorithm=chosen, parameters=algorithms[chosen].items())
