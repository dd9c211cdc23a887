"""A second pass over what was written: its classes are counted again from its printed cells.

What the files hold is all that is looked at. It must have what is required, and it must have the
very classes that were measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.privacy.verify import Claim, verify
from kanon_tui.core.processes.workers import Workers
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import PIECE_BYTES, open_source

__all__ = ["Proof", "Written", "count_written", "prove"]

_COPIES = "copies"


@dataclass(frozen=True, eq=False)
class Written:
    """The files of a release."""

    paths: tuple[Path, ...]
    options: ReadOptions
    columns: tuple[str, ...]
    """As they are written."""
    quasi: tuple[int, ...]
    """The places of the quasi-identifiers among them."""
    beside: tuple[int, ...]
    """The places of the columns of which something is claimed."""


def count_written(written: Written, number: int) -> list[pl.DataFrame]:
    """Distinct rows of quasi-identifiers with copies; then the same with each claimed column."""
    wanted = [written.quasi, *((*written.quasi, place) for place in written.beside)]
    path = written.paths[number]
    if path.suffix.lower() == ".parquet":
        lazy = pl.scan_parquet(path, glob=False)
        lazy = lazy.rename(
            {name: str(place) for place, name in enumerate(lazy.collect_schema().names())}
        )
        return [
            lazy.group_by([str(place) for place in places])
            .agg(pl.len().cast(pl.Int64).alias(_COPIES))
            .collect(engine="streaming")
            for places in wanted
        ]
    source = open_source(path, written.options, PIECE_BYTES)
    if source.names != written.columns:
        raise NotReachedError(
            "the written file does not have the columns of the release; nothing was written"
        )
    found: list[list[pl.DataFrame]] = [[] for _ in wanted]
    for piece in source.pieces:
        for frame in source.read(piece):
            frame.columns = [str(place) for place in range(frame.width)]
            for places, parts in zip(wanted, found, strict=True):
                parts.append(_counted(frame, [str(place) for place in places]))
    return [_merged(parts) for parts in found]


def _counted(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    return frame.group_by(names).agg(pl.len().cast(pl.Int64).alias(_COPIES))


def _merged(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    if len(parts) == 1:
        return parts[0]
    names = [name for name in parts[0].columns if name != _COPIES]
    return pl.concat(parts).group_by(names).agg(pl.col(_COPIES).sum())


@dataclass(frozen=True, eq=False)
class Proof:
    """What a release must show."""

    quasi: tuple[str, ...]
    left_out: tuple[str, ...]
    k: int
    claims: tuple[Claim, ...]
    columns: tuple[str, ...]
    """The published columns by their own names."""
    originals: Mapping[str, Mapping[str, str]]
    """By claimed column what its written texts stood for, where they are escaped."""
    sizes: Int64s
    """Of the classes that were measured."""


def prove(workers: Workers, written: Written, proof: Proof) -> None:
    """Prove a written release, or raise `NotReachedError`."""
    jobs = [(number,) for number in range(len(written.paths))]
    tables: list[list[pl.DataFrame]] = [[] for _ in range(1 + len(written.beside))]
    for counted in workers.each(count_written, written, jobs):
        for parts, frame in zip(tables, counted, strict=True):
            parts.append(frame)
            if len(parts) > 8:
                parts[:] = [_merged(parts)]
    classes, *beside = [_merged(parts) for parts in tables]
    if not np.array_equal(np.sort(classes[_COPIES].to_numpy()), np.sort(proof.sizes)):
        raise NotReachedError(
            "the written release does not have the classes that were measured; nothing was written"
        )
    published = _named(classes, written.quasi, proof)
    leaked = [name for name in proof.left_out if name in proof.columns]
    verify(published, proof.quasi, leaked, proof.k, copies=classes[_COPIES])
    for place, frame in zip(written.beside, beside, strict=True):
        claimed = proof.columns[place]
        claims = [claim for claim in proof.claims if claim.attribute == claimed]
        named = _named(frame, (*written.quasi, place), proof)
        originals = proof.originals.get(claimed)
        if originals:
            texts = named[claimed].replace(originals)
            named = named.with_columns(texts.alias(claimed))
        verify(named, proof.quasi, (), proof.k, claims, copies=frame[_COPIES])


def _named(frame: pl.DataFrame, places: Sequence[int], proof: Proof) -> pl.DataFrame:
    """The counted rows under the columns' own names."""
    return pl.DataFrame([frame[str(place)].alias(proof.columns[place]) for place in places])
