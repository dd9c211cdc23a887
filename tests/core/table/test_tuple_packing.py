"""A table of words knows the place of each, however many there are."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.table.tuple_packing import WordTable

words = st.lists(
    st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1), st.sampled_from([0, 2**63, 2**64 - 1]))
)


@given(words, words)
def test_words_are_numbered_in_the_order_of_their_first_appearance(one, other):
    table = WordTable()
    first = table.add(np.array(one, dtype=np.uint64))
    second = table.add(np.array(other, dtype=np.uint64))
    known = list(dict.fromkeys([*one, *other]))
    assert table.keys.tolist() == known
    assert [*first, *second] == [known.index(word) for word in (*one, *other)]
    copy = pickle.loads(pickle.dumps(table))
    asked = np.array([*other, *one, 12345], dtype=np.uint64)
    expected = [known.index(word) if word in known else -1 for word in asked.tolist()]
    assert table.find(asked).tolist() == copy.find(asked).tolist() == expected


def test_it_grows_with_what_it_is_given():
    rng = np.random.default_rng(0)
    given = rng.integers(0, 2**40, 60_000).astype(np.uint64) << np.uint64(20)
    given.flags.writeable = False
    table = WordTable()
    places = np.concatenate([table.add(part) for part in np.array_split(given, 7)])
    assert (table.keys[places] == given).all()
    assert len(table) == len(np.unique(given))
    assert (table.find(given[::-1]) == places[::-1]).all()
