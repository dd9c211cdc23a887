"""What a run may use: which engine, how much memory. The release does not depend on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kanon_tui.core.data.read_options import SIZE
from kanon_tui.core.fields.declaration import declared

__all__ = ["ENGINES", "Engine", "Resources"]

Engine = Literal["auto", "memory", "stream", "dask"]
ENGINES: tuple[Engine, ...] = ("auto", "memory", "stream", "dask")


@dataclass(frozen=True)
class Resources:
    """Where the work happens."""

    engine: Engine = declared(
        "auto",
        "Where the work happens: in memory, streaming over pieces of the data, or on a Dask "
        "cluster; auto: in memory where that fits",
    )
    memory: int | Literal["auto"] = declared(
        "auto", "The most memory that a run may take; auto: what the machine has", type=SIZE
    )
    scheduler: str | None = declared(
        None,
        "The address of a Dask scheduler, like tls://host:8786, which has to be agreed to with "
        "--trust; none: a cluster of its own",
    )
