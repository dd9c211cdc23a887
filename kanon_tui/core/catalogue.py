"""The algorithms as data: what the command line lists and a notebook can look through."""

from __future__ import annotations

from typing import Any

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.parameters import parameters_of

__all__ = ["catalogue"]


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
                    "type": declared.type,
                    "default": declared.default,
                    "help": declared.help,
                    "low": declared.low,
                    "high": declared.high,
                    "choices": list(declared.choices) if declared.choices else None,
                }
                for declared in parameters_of(algorithm)
            ],
        }
        for algorithm in ALGORITHMS.values()
    ]
