"""The sixteen algorithms, one per file. This is their contents page.

They have the names that projects and the command line use. May import: `full_domain`,
`clustering`, `kernels` (inside `steps`) and what is below them.
"""

from __future__ import annotations

from typing import Any

from kanon_tui.core.algorithms.bottom_up import BottomUp
from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.algorithms.distributed import DistributedSearch
from kanon_tui.core.algorithms.euclidean import Euclidean
from kanon_tui.core.algorithms.gcka import Gcka
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.hybrid import HybridSearch
from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.local_search import LocalSearch
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.algorithms.sbc import SBC
from kanon_tui.core.algorithms.sd import SD
from kanon_tui.core.algorithms.top_down import TopDown
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.algorithms.udc_suppress import UdcSuppress
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.task.steps import Algorithm

__all__ = ["ALGORITHMS", "catalogue", "find_algorithm"]

ALGORITHMS: dict[str, type[Algorithm]] = {
    # full-domain
    "global": GlobalSearch,
    "local": LocalSearch,
    "hybrid": HybridSearch,
    "distributed": DistributedSearch,
    "incognito": Incognito,
    "datafly": Datafly,
    # clustering
    "k-member": KMember,
    "gcka": Gcka,
    "mondrian": Mondrian,
    "bottom-up": BottomUp,
    "top-down": TopDown,
    "euclidean": Euclidean,
    "udc": Udc,
    "udc-suppress": UdcSuppress,
    "sbc": SBC,
    "sd": SD,
}


def find_algorithm(name: str, where: str = "algorithm.name") -> type[Algorithm]:
    """The algorithm of this name; a misspelt one gets the nearest."""
    if name not in ALGORITHMS:
        raise InputError(f"{where}: unknown algorithm '{name}'; {suggestion(name, ALGORITHMS)}")
    return ALGORITHMS[name]


def catalogue() -> list[dict[str, Any]]:
    """Every algorithm with its parameters, in the order of the contents page."""
    return [
        {
            "name": algorithm.name,
            "title": algorithm.title,
            "family": algorithm.family.value,
            "paper": algorithm.paper,
            "parameters": [
                {
                    "name": declared.name,
                    "type": declared.type.name,
                    "default": declared.default,
                    "help": declared.help,
                    "low": declared.type.low,
                    "high": declared.type.high,
                    "choices": list(declared.type.choices) or None,
                }
                for declared in fields_of(algorithm)
            ],
        }
        for algorithm in ALGORITHMS.values()
    ]
