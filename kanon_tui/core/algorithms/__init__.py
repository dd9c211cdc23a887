"""The algorithms by the names that projects and the command line use, one file each.

Other packages add theirs through the entry point group `kanon_tui.algorithms`. May import:
`lattice`, `clustering`, `kernels` (inside `steps`) and the packages below them.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.plug_ins import Registry
from kanon_tui.core.task.task import Algorithm

GROUP = "kanon_tui.algorithms"
"""The entry point group of plug-ins: the name of an algorithm and where its class is."""
_BUILT_IN = {
    # full-domain
    "global": "global_search:GlobalSearch",
    "local": "local_search:LocalSearch",
    "hybrid": "hybrid:HybridSearch",
    "distributed": "distributed:DistributedSearch",
    "incognito": "incognito:Incognito",
    "datafly": "datafly:Datafly",
    "anytime": "anytime:AnytimeSearch",
    # clustering
    "k-member": "k_member:KMember",
    "gcka": "gcka:Gcka",
    "mondrian": "mondrian:Mondrian",
    "bottom-up": "bottom_up:BottomUp",
    "top-down": "top_down:TopDown",
    "euclidean": "euclidean:Euclidean",
    "udc": "udc:Udc",
    "udc-suppress": "udc_suppress:UdcSuppress",
    "sbc": "sbc:SBC",
    "sd": "sd:SD",
    "mdav": "mdav:Mdav",
    "stepwise": "stepwise:Stepwise",
}


def _check_dataclass(plug_in: type[Algorithm], where: str) -> None:
    if not is_dataclass(plug_in):
        raise InputError(f"{where} is not a frozen dataclass with a method `steps`")


ALGORITHMS: Registry[type[Algorithm]] = Registry(
    GROUP,
    Algorithm,
    ("name", "title", "family", "paper", "summary"),
    {name: f"{__name__}.{place}" for name, place in _BUILT_IN.items()},
    _check_dataclass,
)


def find_algorithm(name: str, where: str = "algorithm.name") -> type[Algorithm]:
    """Return the algorithm of this name; the error for an unknown name suggests the nearest."""
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    if name in ALGORITHMS.broken:
        raise InputError(f"{where}: {ALGORITHMS.broken[name]}")
    raise InputError(f"{where}: unknown algorithm '{name}'; {suggestion(name, ALGORITHMS)}")


def catalogue() -> list[dict[str, Any]]:
    """Return a description of every algorithm with its parameters, ready to be written as JSON.

    Returns
    -------
    list of dict
        Per algorithm its name, title, family, paper, summary and parameters.

    Examples
    --------
    >>> import kanon_tui as kn
    >>> kn.algorithms()[0]["name"]
    'global'
    """
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
