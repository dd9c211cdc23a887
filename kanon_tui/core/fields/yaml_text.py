"""YAML texts whose words are kept as they were written, and values that know their place.

Ordinary YAML turns `01234` into an octal number, `1995-09-20` into a date and `yes` into true. In
a project most words are values of a table, so `parse` gives every unquoted word as `Plain` text
exactly as it was written, and the reader of a key turns it into a number or a switch. Nothing is
ever constructed from tags; duplicate keys, anchors and several documents are refused with the line.

`dump` writes a plain mapping back: short mappings and lists on one line, long ones as a block,
and text in quotes where a YAML reader would take it for something else.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import yaml

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.located import Plain, as_number
from kanon_tui.core.reading import read_document, reading_errors

_NULLS = frozenset(["", "~", "null", "Null", "NULL"])
_LINE_ENDS = frozenset("\n\r\x85\u2028\u2029")
_DEEPEST = 50
ONE_LINE = 90
"""Columns up to which a mapping or list is written on one line."""


# --- reading ------------------------------------------------------------------------------------


def read_yaml(path: Path, what: str) -> Any:
    """Return the document in a file; `what` names its kind in messages."""
    return parse(document_text(path, what), path.name)


def document_text(path: Path, what: str) -> str:
    """Return the text of a document in UTF-8; `what` names its kind in messages."""
    with reading_errors(path, f"{what} file"):
        return read_document(path, what).decode("utf-8-sig")


def parse(text: str, who: str) -> Any:
    """Return the document in a YAML text: dicts with text keys, lists, `Plain`, `str` and None.

    An empty text gives None. Errors name `who`, the line and the column.
    """
    bad = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        raise InputError(f"{who}: line {line}: control characters are not allowed; remove them")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Reader(yaml.parse(text, Loader=loader), who).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise InputError(f"{who}: {_line_and_column(mark)}: {_syntax(error, text)}") from None


class _Reader:
    """A builder of plain Python values from the events of a YAML parser."""

    def __init__(self, events: Iterator[yaml.Event], who: str) -> None:
        self.events = events
        self.who = who

    def document(self) -> Any:
        next(self.events)  # the stream starts
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        value = self.value(next(self.events), depth=0)
        next(self.events)  # the document ends
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.refuse(after, "a second document starts here; a file holds one, without ---")
        return value

    def value(self, event: yaml.Event, depth: int) -> Any:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            self.refuse(event, "anchors and aliases (& and *) are not read; write the value out")
        if getattr(event, "tag", None) is not None:
            self.refuse(event, "tags (!) are not read; write the value alone, or in quotes")
        if depth > _DEEPEST:
            self.refuse(event, f"brackets are nested more than {_DEEPEST} deep")
        if isinstance(event, yaml.ScalarEvent):
            if event.style is not None and event.style != "":
                return str(event.value)
            return None if event.value in _NULLS else Plain(event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            return [self.value(item, depth + 1) for item in self.until(yaml.SequenceEndEvent)]
        result: dict[str, Any] = {}
        for key in self.until(yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent) or key.anchor or key.tag is not None:
                self.refuse(key, "a key must be a single word or a text in quotes")
            if key.value in result:
                self.refuse(key, f"the key '{key.value}' is given twice; keep one")
            result[str(key.value)] = self.value(next(self.events), depth + 1)
        return result

    def until(self, end: type[yaml.Event]) -> Iterator[yaml.Event]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def refuse(self, event: yaml.Event, why: str) -> NoReturn:
        raise InputError(f"{self.who}: {_line_and_column(event.start_mark)}: {why}")


def _line_and_column(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else "at the end"


def _syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    """Return a message about a syntax error, and what to do."""
    mark = error.problem_mark
    lines = text.splitlines()
    line = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    character = line[mark.column : mark.column + 1] if mark is not None else ""
    if error.context == "while scanning an alias":
        return "a * that stands alone must be in quotes: '*'"
    if character == "\t":
        return "a tab cannot indent; use spaces"
    if character and character in "@`%":
        return f"a word cannot start with {character}; put it in quotes"
    if error.problem and error.problem.startswith("mapping values are not allowed"):
        return "a second colon in one entry; put a text that has ': ' in it in quotes"
    context = f" {error.context}" if error.context else ""
    return f"not valid YAML:{context}, {error.problem}"


# --- writing ------------------------------------------------------------------------------------


def dump(document: Mapping[str, Any], blocks: Collection[str] = ()) -> str:
    """Return a plain mapping (text, numbers, true, false, None, lists, mappings) as YAML.

    Whatever fits goes on one line, except the top-level keys named in `blocks`.
    """
    node, _ = _mapping_node(document, indent=0)
    node.flow_style = False
    for key, value in node.value:
        if key.value in blocks and value.value:
            value.flow_style = False
    text: str = yaml.serialize(node, Dumper=_Writer, width=10**9, allow_unicode=True)
    return text


def dump_entry(key: Any, value: Any, indent: int, flow: bool) -> str:
    """Return `key: value` as an entry of a mapping that is indented by `indent` columns."""
    node = _mapping_node({key: value}, indent)[0]
    return _indented(node, indent, flow)


def dump_item(value: Any, indent: int, flow: bool) -> str:
    """Return `- value` as an item of a block list, or `value` inside brackets."""
    node = yaml.SequenceNode("tag:yaml.org,2002:seq", [_node(value, indent + 2)[0]])
    return _indented(node, indent, flow)


def _indented(node: yaml.CollectionNode, indent: int, flow: bool) -> str:
    node.flow_style = flow
    text: str = yaml.serialize(node, Dumper=_Writer, width=10**9, allow_unicode=True)
    text = text.rstrip("\n")
    return text[1:-1] if flow else text.replace("\n", "\n" + " " * indent)


class _Writer(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """A dumper that never adds quotes by itself; libyaml's where it is installed, for speed."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (the base class declares it so)


_RESOLVER = yaml.resolver.Resolver()
_TEXT_TAG = yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG


def _node(value: Any, indent: int) -> tuple[yaml.Node, int]:
    """Return the YAML node of a value and the characters it takes on one line."""
    if isinstance(value, Mapping):
        return _mapping_node(value, indent)
    if isinstance(value, (list, tuple)):
        items = [_node(item, indent + 2) for item in value]
        length = sum(size + 2 for _, size in items) + 2
        node = yaml.SequenceNode("tag:yaml.org,2002:seq", [item for item, _ in items])
        node.flow_style = indent + length <= ONE_LINE
        return node, length
    scalar = _scalar(value)
    return scalar, _width(scalar)


def _mapping_node(value: Mapping[Any, Any], indent: int) -> tuple[yaml.MappingNode, int]:
    pairs = []
    length = 2
    for key, item in value.items():
        key_node = _scalar(key)
        item_node, size = _node(item, indent + 2)
        pairs.append((key_node, item_node))
        length += _width(key_node) + size + 4
    node = yaml.MappingNode("tag:yaml.org,2002:map", pairs)
    node.flow_style = indent + length <= ONE_LINE
    return node, length


def _width(scalar: yaml.ScalarNode) -> int:
    return len(scalar.value) + (2 if scalar.style else 0)


def _scalar(value: Any) -> yaml.ScalarNode:
    style = None
    if value is None or isinstance(value, bool):
        text = {None: "null", True: "true", False: "false"}[value]
    elif isinstance(value, (int, float)):
        text = repr(value)
    elif isinstance(value, str):
        text = str(value)
        if not _LINE_ENDS.isdisjoint(text):
            style = '"'
        elif _needs_quotes(text):
            style = "'"
    else:
        raise TypeError(f"a project file cannot hold a {type(value).__name__}")
    return yaml.ScalarNode(_TEXT_TAG, text, style=style)


def _needs_quotes(text: str) -> bool:
    resolved = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return bool(resolved != _TEXT_TAG) or as_number(text) is not None
