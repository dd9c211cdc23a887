"""Change values in a YAML text and keep the rest as a person wrote it.

`edit_yaml` gets the text, what it says now and what it should say, both as plain mappings. Entries
that say the same keep every character: comments, order, quotes, layout. A changed entry gets a new
value, a new one is put after the one it follows, and one that is gone takes along the comments
inside it. Keys of the text that neither mapping has, such as a default written out, stay.

The positions are those of PyYAML's parser. (A YAML library that keeps comments by itself would lay
out unchanged entries anew.)
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import yaml

from kanon_tui.core.fields.yaml_text import ONE_LINE, dump, dump_entry, dump_item


def edit_yaml(text: str, old: Mapping[Any, Any], new: Mapping[Any, Any]) -> str:
    """Return the text changed where `new` differs from `old`, which is its present content."""
    crlf = "\r\n" in text
    text = text.replace("\r\n", "\n")
    root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    assert isinstance(root, yaml.MappingNode), "a document that was read is a mapping"
    edited = _Editor(text).value(root, old, new, 0, flow=False)
    if edited is None:
        edited = dump(new)
    document = text[: _start(root)] + edited + text[_line_end(text, _end(root)) :]
    return document.replace("\n", "\r\n") if crlf else document


_Entry = tuple[int, int]
"""Begin and end of an entry of a collection in the text, from its key or dash on.

In a block the end is that of its last line, comment included.
"""
Wanted = Sequence[tuple[int | None, str]]
"""The entries of a changed collection: the number of the old entry (None: new) and the new text."""


class _Editor:
    """A writer of changed nodes that keeps as much of their text as possible."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, node: yaml.Node, old: Any, new: Any, indent: int, flow: bool) -> str | None:
        """Return the text of a node that says `new`, not `old`; None if nothing can be kept."""
        if isinstance(node, yaml.MappingNode) and isinstance(new, Mapping) and node.value and new:
            if any(self.text.endswith("? ", 0, _start(key)) for key, _ in node.value):
                return None  # `? key` on a line of its own, as very long keys are written
            old_values = {str(key): value for key, value in (old or {}).items()}
            new_values = {str(key): (key, value) for key, value in new.items()}
            return self._mapping(node, old_values, new_values, indent, flow)
        lists = isinstance(old, list) and isinstance(new, list) and old and new
        if isinstance(node, yaml.SequenceNode) and lists and len(old) == len(node.value):
            return self._sequence(node, old, new, indent, flow)
        return None

    def _mapping(
        self,
        node: yaml.MappingNode,
        old: Mapping[str, Any],
        new: Mapping[str, tuple[Any, Any]],
        indent: int,
        flow: bool,
    ) -> str:
        flow = flow or bool(node.flow_style)
        column = indent if flow else node.start_mark.column
        keys = {key.value: at for at, (key, _) in enumerate(node.value)}
        entries = [self._entry(_start(key), inner, flow) for key, inner in node.value]
        new_entries: list[tuple[int | None, str]] = []
        for name in _order(list(keys), old, new):
            if name not in keys:
                new_entries.append((None, dump_entry(*new[name], column, flow)))
                continue
            at = keys[name]
            key, inner = node.value[at]
            entry = entries[at]
            if name not in new or _same(old.get(name), new[name][1]):
                new_entries.append((at, self.text[slice(*entry)]))
                continue
            value = new[name][1]
            colon = self.text.index(":", _end(key)) + 1
            rewritten = self.text[_start(key) : colon] + dump_entry("k", value, column, flow)[2:]
            new_entries.append(
                (at, self._changed(entry, inner, (old.get(name), value), rewritten, flow))
            )
        return (
            self._flow(node, entries, new_entries)
            if flow
            else self._block(entries, new_entries, column)
        )

    def _sequence(
        self, node: yaml.SequenceNode, old: list[Any], new: list[Any], indent: int, flow: bool
    ) -> str:
        flow = flow or bool(node.flow_style)
        column = indent if flow else node.start_mark.column
        entries: list[_Entry] = []
        for item in node.value:
            after = entries[-1][1] if entries else _start(node)
            start = _start(item) if flow else self._dash(after)
            entries.append(self._entry(start, item, flow))
        new_entries: list[tuple[int | None, str]] = []
        for at, j in _aligned(old, new):
            if at is not None and _same(old[at], new[j]):
                new_entries.append((at, self.text[slice(*entries[at])]))
                continue
            text = dump_item(new[j], column, flow)
            if at is not None:
                text = self._changed(entries[at], node.value[at], (old[at], new[j]), text, flow)
            new_entries.append((at, text))
        return (
            self._flow(node, entries, new_entries)
            if flow
            else self._block(entries, new_entries, column)
        )

    def _dash(self, after: int) -> int:
        """Return the position of the next item's dash; comments may stand before it."""
        while True:
            line = self.text[after : _line_end(self.text, after)]
            if line.lstrip().startswith("-"):
                return after + line.index("-")
            after += len(line) + 1

    def _entry(self, start: int, inner: yaml.Node, flow: bool) -> _Entry:
        return start, _end(inner) if flow else _line_end(self.text, _end(inner))

    def _changed(
        self, entry: _Entry, inner: yaml.Node, values: tuple[Any, Any], rewritten: str, flow: bool
    ) -> str:
        """Return an entry with a changed value, edited where possible, otherwise `rewritten`."""
        is_block = isinstance(inner, yaml.CollectionNode) and not inner.flow_style and inner.value
        start, last = entry
        end = last if is_block else _end(inner)
        lead = self.text[start : _start(inner)]
        comment = self.text[end:last]
        column = inner.start_mark.column
        edited = self.value(inner, *values, column, flow)
        if edited is None:
            return rewritten + comment
        on_one_line = "\n" not in self.text[start:end]
        too_long = not flow and on_one_line and column + len(edited) > ONE_LINE
        return (rewritten if too_long else lead + edited) + comment

    def _block(self, entries: Sequence[_Entry], new_entries: Wanted, column: int) -> str:
        """Return entries on lines of their own; comments stay before the entry that follows."""
        line = "\n" + " " * column
        leads = [line, *(self.text[a:b] for (_, a), (b, _) in pairwise(entries))]
        kept_places = {at for at, _ in new_entries}
        left_over = ""
        for at in range(len(entries)):
            if at in kept_places:
                leads[at], left_over = left_over + leads[at], ""
            else:
                left_over += leads[at].removesuffix(line)
        text = "".join((line if at is None else leads[at]) + body for at, body in new_entries)
        return text.removeprefix(line) + left_over

    def _flow(self, node: yaml.Node, entries: Sequence[_Entry], new_entries: Wanted) -> str:
        """Return entries between brackets, with the separators that stood between them."""
        gaps = [", ", *(self.text[a:b] for (_, a), (b, _) in pairwise(entries))]
        text = ""
        for at, body in new_entries:
            text += ("" if not text else ", " if at is None else gaps[at]) + body
        opening = self.text[_start(node) : entries[0][0]]
        return opening + text + self.text[entries[-1][1] : _end(node)]


def _order(keys: Sequence[str], old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the keys that stay and the new ones, each after the one it follows in `new`.

    Keys of the text keep their order, unless the order itself has changed.
    """
    order = [key for key in keys if key in new or key not in old]
    common = [key for key in new if key in old]
    if common != [key for key in old if key in new]:
        moved = iter([key for key in new if key in order])
        order = [next(moved) if key in new else key for key in order]
    placed_keys = set(order)
    before = None
    for key, (_, value) in new.items():
        if key not in placed_keys and (key not in old or not _same(old[key], value)):
            order.insert(order.index(before) + 1 if before is not None else 0, key)
            placed_keys.add(key)
        if key in placed_keys:
            before = key
    return order


def _aligned(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int | None, int]]:
    """Return for every new item the old one it replaces: equal from both ends, else in pairs."""
    shorter = min(len(old), len(new))
    first = next((i for i in range(shorter) if not _same(old[i], new[i])), shorter)
    last = next(
        (i for i in range(shorter - first) if not _same(old[-1 - i], new[-1 - i])), shorter - first
    )
    paired = len(old) == len(new)
    result: list[tuple[int | None, int]] = []
    for j in range(len(new)):
        if j < first or paired:
            result.append((j, j))
        elif j >= len(new) - last:
            result.append((j - len(new) + len(old), j))
        else:
            result.append((None, j))
    return result


def _same(old: Any, new: Any) -> bool:
    """Return whether two values are equal, with mappings in the same order."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return [str(k) for k in old] == [str(k) for k in new] and all(
            _same(old[k], new[k]) for k in old
        )
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return type(old) is type(new) and bool(old == new)


def _start(node: yaml.Node) -> int:
    index: int = node.start_mark.index
    return index


def _end(node: yaml.Node) -> int:
    """Return the index of a node's end; a block ends with its last entry."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    index: int = node.end_mark.index
    return index


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
