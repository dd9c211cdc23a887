"""The algorithms by the names that projects and the command line use, one file each.

Other packages add theirs through the entry point group `kanon_tui.algorithms`. May import:
`lattice`, `clustering`, `kernels` (inside `steps`) and the packages below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.plug_ins import load_plug_ins
from kanon_tui.core.task.task import Algorithm

GROUP = "kanon_tui.algorithms"
"""The entry point group of plug-ins: the name of an algorithm and where its class is."""
_BUILT_IN = {
    # full-domain
    "global": "global_search.GlobalSearch",
    "local": "local_search.LocalSearch",
    "hybrid": "hybrid.HybridSearch",
    "distributed": "distributed.DistributedSearch",
    "incognito": "incognito.Incognito",
    "datafly": "datafly.Datafly",
    "anytime": "anytime.AnytimeSearch",
    # clustering
    "k-member": "k_member.KMember",
    "gcka": "gcka.Gcka",
    "mondrian": "mondrian.Mondrian",
    "bottom-up": "bottom_up.BottomUp",
    "top-down": "top_down.TopDown",
    "euclidean": "euclidean.Euclidean",
    "udc": "udc.Udc",
    "udc-suppress": "udc_suppress.UdcSuppress",
    "sbc": "sbc.SBC",
    "sd": "sd.SD",
    "mdav": "mdav.Mdav",
    "stepwise": "stepwise.Stepwise",
}


class _Registry(MutableMapping[str, type[Algorithm]]):
    """Algorithms by name: the built-in ones, those of plug-ins, and those added to it.

    A built-in algorithm is imported when it is asked for; plug-ins are looked for once, when all
    algorithms are listed or an unknown name is asked for.
    """

    def __init__(self, built_in: Mapping[str, str]) -> None:
        self._known: dict[str, str | type[Algorithm]] = dict(built_in)
        self.broken: dict[str, str] = {}
        """Plug-ins that cannot be used, each with a sentence that says why."""

    @cached_property
    def _all(self) -> dict[str, str | type[Algorithm]]:
        """The algorithms, after those of plug-ins have been added."""
        needed = ("name", "title", "family", "paper", "summary")
        plug_ins = load_plug_ins(GROUP, Algorithm, needed, self._known, _check_dataclass)
        self._known |= plug_ins.found
        self.broken |= plug_ins.broken
        return self._known

    def __getitem__(self, name: str) -> type[Algorithm]:
        known = self._known.get(name) or self._all[name]
        if not isinstance(known, str):
            return known
        module, _, algorithm = known.partition(".")
        found: type[Algorithm] = getattr(import_module(f"{__name__}.{module}"), algorithm)
        return found

    def __setitem__(self, name: str, algorithm: type[Algorithm]) -> None:
        self._known[name] = algorithm

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _check_dataclass(plug_in: type[Algorithm], where: str) -> None:
    if not is_dataclass(plug_in):
        raise InputError(f"{where} is not a frozen dataclass with a method `steps`")


ALGORITHMS = _Registry(_BUILT_IN)


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
