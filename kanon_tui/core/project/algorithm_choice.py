"""The algorithm of a project, by name, with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.fields.declaration import declared, read_parameters
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.sections import keys_of, write_fields
from kanon_tui.core.fields.types import FieldType

__all__ = ["ALGORITHM", "AlgorithmChoice"]


@dataclass(frozen=True)
class AlgorithmChoice:
    """An algorithm by name, with the parameters that differ from their defaults."""

    name: str = declared(
        "global",
        "Which one; see `kanon-tui algorithms`",
        words="the name of an algorithm",
        always=True,
    )
    params: Mapping[str, Any] = declared(
        help="Its parameters, where they differ from their defaults",
        type=FieldType("a mapping of parameters", lambda located: located.value, dict),
        factory=dict,
    )


def _read(located: LocatedValue) -> AlgorithmChoice:
    """Which parameters there are depends on the name."""
    at = located.entries(keys_of(AlgorithmChoice))
    name = at["name"].text("the name of an algorithm") if "name" in at else AlgorithmChoice.name
    algorithm = find_algorithm(name, f"{located.file}: {located.key}.name")
    return AlgorithmChoice(name, read_parameters(algorithm, at["params"]) if "params" in at else {})


ALGORITHM = FieldType("a mapping with the keys name and params", _read, write_fields)
"""An algorithm and its parameters."""
