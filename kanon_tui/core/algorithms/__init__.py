"""The sixteen algorithms, one per file. This is their contents page.

They have the names that projects and the command line use. May import: `full_domain`,
`clustering`, `kernels` (inside `steps`) and what is below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.task.steps import Algorithm

__all__ = ["ALGORITHMS", "catalogue", "find_algorithm"]


class _Contents(MutableMapping[str, type[Algorithm]]):
    """Algorithms by name; each is imported when somebody asks for it. Others can be added."""

    def __init__(self, where: Mapping[str, str]) -> None:
        self._known: dict[str, str | type[Algorithm]] = dict(where)

    def __getitem__(self, name: str) -> type[Algorithm]:
        known = self._known[name]
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
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


ALGORITHMS: MutableMapping[str, type[Algorithm]] = _Contents(
    {
        # full-domain
        "global": "global_search.GlobalSearch",
        "local": "local_search.LocalSearch",
        "hybrid": "hybrid.HybridSearch",
        "distributed": "distributed.DistributedSearch",
        "incognito": "incognito.Incognito",
        "datafly": "datafly.Datafly",
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
    }
)


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
