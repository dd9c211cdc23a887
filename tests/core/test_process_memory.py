"""What a process holds is told, and freed memory is given back."""

from __future__ import annotations

from kanon_tui.core import process_memory
from kanon_tui.core.process_memory import give_back, held, held_at_rest

_PIECES, _BYTES = 200_000, 600
"""Small ones, which the C library keeps when they are freed."""


def test_freed_memory_is_given_back():
    give_back()  # what other tests freed would be taken first
    before = held()
    pieces = [bytes(_BYTES) for _ in range(_PIECES)]
    kept = pieces[:: _PIECES // 100]  # the heap cannot shrink below these
    full = held()
    assert full > before + _PIECES * _BYTES * 0.9
    del pieces
    give_back()
    assert held() < full - _PIECES * _BYTES * 0.8
    assert len(kept) == 100


def test_what_is_freed_in_the_background_is_waited_for(monkeypatch):
    told = iter([900, 700, 500, 499, 400])
    monkeypatch.setattr(process_memory, "held", lambda: next(told))
    monkeypatch.setattr(process_memory.time, "sleep", lambda seconds: None)
    assert held_at_rest() == 499
    falling = iter(range(10_000, 0, -200))  # somebody else frees all the time
    monkeypatch.setattr(process_memory, "held", lambda: next(falling))
    assert held_at_rest() == 8_800
