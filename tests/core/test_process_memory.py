"""What a process holds is told, and freed memory is given back."""

from __future__ import annotations

from kanon_tui.core.process_memory import give_back, held

_PIECES, _BYTES = 200_000, 600
"""Small ones, which the C library keeps when they are freed."""


def test_freed_memory_is_given_back():
    before = held()
    pieces = [bytes(_BYTES) for _ in range(_PIECES)]
    kept = pieces[:: _PIECES // 100]  # the heap cannot shrink below these
    full = held()
    assert full > before + _PIECES * _BYTES * 0.9
    del pieces
    give_back()
    assert held() < full - _PIECES * _BYTES * 0.8
    assert len(kept) == 100
