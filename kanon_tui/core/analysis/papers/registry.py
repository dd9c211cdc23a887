"""The entries by name, read from `entries/`."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kanon_tui.core.analysis.papers.entry import ENTRIES, PAPERS, Entry
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import read_yaml

_FOLDER = Path(__file__).with_name("entries")


@cache
def list_entries() -> tuple[Entry, ...]:
    """Return every entry, document by document."""
    entries: list[Entry] = []
    for path in _FOLDER.glob("*.yaml"):
        entries += ENTRIES.read(LocatedValue(path.name, "", read_yaml(path, "list of entries")))
    papers = list(PAPERS.values())
    entries.sort(key=lambda entry: papers.index(entry.paper))
    ids = [entry.id for entry in entries]
    repeated = sorted({id for id in ids if ids.count(id) > 1})
    if repeated:
        raise InputError(f"{_FOLDER.name}: two entries are called {repeated[0]}; rename one")
    return tuple(entries)


def find_entries(name: str) -> Sequence[Entry]:
    """Return the entries of a document, of a table or figure (`sbc-4-1`), or the one of an id.

    Raise InputError, which names the nearest one, where there is none.
    """
    entries = list_entries()
    word = name.lower()
    chosen = [entry for entry in entries if entry.id == word]
    chosen = chosen or [entry for entry in entries if _is_called(entry, word)]
    if not chosen:
        names = {entry.id for entry in entries} | {entry.short_name for entry in entries}
        check_known(word, names | set(PAPERS), f"papers: there is no entry '{name}'")
    return chosen


def _is_called(entry: Entry, word: str) -> bool:
    """Return whether a name is that of the entry up to some letter or dash: `sbc-4-2` of 4-2(a)."""
    start = re.compile(re.escape(word) + r"(?!\d)")
    return any(start.match(name) for name in (entry.id, entry.short_name))
