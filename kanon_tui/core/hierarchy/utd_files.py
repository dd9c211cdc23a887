"""Files of the UTD anonymisation toolbox: their hierarchies, and a configuration as a project.

    <config method='Mondrian' k='10'>
      <input filename='adult.data' separator=','/>
      <id> <att index='3' name='fnlwgt'/> </id>
      <qid>
        <att index='0' name='age'>
          <vgh value='[0:100)'> <node value='[0:50)'/> <node value='[50:100)'/> </vgh>
        </att>
        <att index='1' name='sex'>
          <map> <entry cat='Female' int='0'/> <entry cat='Male' int='1'/> </map>
          <vgh value='[0:1]'/>
        </att>
      </qid>
      <sens> <att index='14' name='salary'> <map> … </map> </att> </sens>
    </config>

A tree is made of intervals: `[a:b)`, any mix of `[ ( ] )`, or `[a]` for one number. Its leaves hold
the values of the data, which the file does not list; categories are numbered by a `<map>`. The
labels are the intervals as they stand, unless a node has a `label`: the toolbox ignores that
attribute, and `write_utd` uses it to keep names.

A value's row is the value, then the nodes from its leaf to the root. Where a leaf lies higher than
others, its label is repeated, so that every row has all levels. Leaves that all are single numbers
without a label are the values themselves and add no level.

A configuration becomes the document of a project file:

| there | here |
|---|---|
| method Datafly, Mondrian, Incognito (_K, _L, _T) | the algorithm; Mondrian with `cut: median` |
| k; l of Incognito_L, t of Incognito_T | `privacy`: k; l by entropy, or recursive with c; t |
| input | `data`: a text without header, from the folder of the configuration |
| id, qid, sens | identifiers, quasi-identifiers, sensitive attributes, by number of the column |
| map, vgh | kind categorical, else numeric; `hierarchy: {utd: …}` |

Other columns are published unchanged as in the toolbox, unless they seem quasi-identifying or
identifying, which Kanon never publishes unasked. The name and format of the output are not read: a
command or a person gives them. Anatomy has no counterpart.

The module is imported only where such a file is named, because few runs need XML. Reference: the
configuration files in the appendix of the SBC document.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import inf, nextafter
from operator import itemgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from kanon_tui.core.errors import InputError, Value, suggestion
from kanon_tui.core.fields.located import as_number
from kanon_tui.core.hierarchy.level_table import Hierarchy, exact
from kanon_tui.core.reading import read_document
from kanon_tui.core.table.value_formats import parse_numbers
from kanon_tui.core.table.writing import write_text
from kanon_tui.core.text import joined, quoted_list

_NUMBER = r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
_INTERVAL = re.compile(rf"([\[(])\s*{_NUMBER}\s*:\s*{_NUMBER}\s*([\])])", re.ASCII)
_SINGLE = re.compile(rf"\[\s*{_NUMBER}\s*\]|{_NUMBER}", re.ASCII)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_Interval = tuple[float, float]
"""The smallest and the largest number of an interval; an open end is the next number inside."""


@dataclass(frozen=True)
class _Leaf:
    interval: _Interval
    labels: tuple[str, ...]
    """Its own label first, the root's last."""
    is_value: bool
    """A single number without a label of its own."""


def read_utd(path: Path | str, attribute: str, values: Mapping[str, float]) -> Hierarchy:
    """Return the hierarchy of one attribute, by its name or index.

    `values` are the texts of the data with their numbers (`plain_numbers` makes them from texts): a
    tree of numbers says nothing of which numbers there are. An attribute with a `<map>` has its
    values from there. A value outside the tree gets no row, which `Hierarchy.bind` reports.
    """
    path = Path(path)
    att = _find(read_configuration(path), attribute, path.name)
    who = f"{path.name}: attribute '{attribute}'"
    trees = att.findall("vgh")
    if len(trees) != 1:
        raise InputError(f"{who} has {len(trees)} <vgh> trees; it needs one")
    leaves = _leaves(trees[0], who)
    mapping = att.find("map")
    numbers = values if mapping is None else _read_map(mapping, who)
    rows = _rows_of_leaves(leaves, numbers)
    uncovered = [text for text in numbers if text not in rows]
    if mapping is not None and uncovered:
        raise InputError(
            f"{who}: no leaf of its tree holds {quoted_list(uncovered)}; add a node that does"
        )
    if not rows:
        raise InputError(
            f"{who}: its tree of numbers holds no value of the data; check that it is the right "
            f"attribute and has the kind numeric"
        )
    ordered = sorted(rows, key=lambda text: numbers[text])
    return replace(Hierarchy.from_rows([rows[text] for text in ordered], who), source=path.name)


def write_utd(
    hierarchy: Hierarchy, path: Path | str, attribute: str, index: int = 0, force: bool = False
) -> None:
    """Write a configuration with this one attribute, whole or not at all.

    Values that all are numbers, in groups that do not overlap, make a tree of intervals that end at
    values; all others are numbered by a `<map>` in the order of the tree. (A group that is the same
    on two levels stands in itself; the toolbox, unlike `read_utd`, wants it to grow.)
    """
    path = Path(path)
    _check_writable((attribute, *(label for row in hierarchy.rows for label in row)), path)
    numbers = plain_numbers(hierarchy.values)
    rows = sorted(hierarchy.rows, key=lambda row: numbers.get(row[0], 0.0))
    as_numbers = len(numbers) == len(rows) and _are_ranges(rows, numbers)
    if not as_numbers:
        rows = [hierarchy.rows[i] for i in hierarchy.tree_order]
        numbers = {row[0]: float(i) for i, row in enumerate(rows)}
    config = ElementTree.Element("config")
    att = ElementTree.SubElement(
        ElementTree.SubElement(config, "qid"), "att", index=str(index), name=attribute
    )
    if not as_numbers:
        entries = ElementTree.SubElement(att, "map")
        for i, row in enumerate(rows):
            ElementTree.SubElement(entries, "entry", cat=row[0], int=str(i))
    _write_tree(att, rows, numbers)
    ElementTree.indent(config)
    text = ElementTree.tostring(config, encoding="unicode")
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', force)


def plain_numbers(texts: Iterable[str]) -> dict[str, float]:
    """Return the texts that are numbers, each with its number."""
    texts = list(texts)
    number_of_text = zip(texts, parse_numbers(texts).tolist(), strict=True)
    return {text: number for text, number in number_of_text if number == number}


# --- reading --------------------------------------------------------------------------------------


class _NoDoctype(ElementTree.TreeBuilder):
    """Stops at a document type, where entities that grow without end would be declared."""

    def doctype(self, name: str, *_: object) -> None:
        raise InputError("a DOCTYPE is not allowed here; remove it")


def read_configuration(path: Path) -> ElementTree.Element:
    """Return the root of a configuration; a document type is refused."""
    source = read_document(path, "hierarchy")
    parser = ElementTree.XMLParser(target=_NoDoctype())
    try:
        parser.feed(source)
        config: ElementTree.Element = parser.close()
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise InputError(f"{path.name}: it is not well-formed XML: {error}") from None
    return config


def _find(config: ElementTree.Element, attribute: str, name: str) -> ElementTree.Element:
    with_tree = [att for att in config.iter("att") if att.find("vgh") is not None]
    for key in ("name", "index"):
        for att in with_tree:
            if att.get(key, "").strip() == attribute:
                return att
    names = [att.get("name", att.get("index", "")).strip() for att in with_tree]
    hint = suggestion(attribute, names) if names else "it has no attribute with a <vgh> tree"
    raise InputError(f"{name}: no attribute '{attribute}' with a <vgh> tree; {hint}")


def _read_map(mapping: ElementTree.Element, who: str) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for entry in mapping.iter("entry"):
        category = entry.get("cat")
        number = entry.get("int", "")
        if category is None or not re.fullmatch(r"\s*[-+]?\d{1,15}\s*", number, re.ASCII):
            shown = ElementTree.tostring(entry, encoding="unicode").strip()
            raise InputError(f"{who}: {shown} is not a map entry; write cat='NAME' int='NUMBER'")
        if category in numbers:
            raise InputError(f"{who}: its map has '{category}' twice; keep one entry")
        numbers[category] = float(number)
    return numbers


def _leaves(root: ElementTree.Element, who: str) -> list[_Leaf]:
    """Return the leaves in rising order, all labels filled up to the same number of levels."""
    leaves = list(_walk(root, who))
    leaves.sort(key=lambda leaf: leaf.interval)
    for before, leaf in pairwise(leaves):
        if leaf.interval[0] <= before.interval[1]:
            raise InputError(
                f"{who}: '{leaf.labels[0]}' overlaps '{before.labels[0]}'; "
                f"nodes side by side must not share values"
            )
    if all(leaf.is_value for leaf in leaves):
        leaves = [replace(leaf, labels=leaf.labels[1:]) for leaf in leaves]
    depth = max(len(leaf.labels) for leaf in leaves)
    return [
        replace(leaf, labels=leaf.labels[:1] * (depth - len(leaf.labels)) + leaf.labels)
        for leaf in leaves
    ]


def _walk(root: ElementTree.Element, who: str) -> Iterator[_Leaf]:
    stack: list[tuple[ElementTree.Element, _Interval, tuple[str, ...]]]
    stack = [(root, _interval(root, who), (_label(root),))]
    while stack:
        node, interval, labels = stack.pop()
        children = node.findall("node")
        if not children:
            is_value = interval[0] == interval[1] and node.get("label") is None
            yield _Leaf(interval, labels, is_value)
        for child in children:
            inner = _interval(child, who)
            if inner[0] < interval[0] or inner[1] > interval[1]:
                raise InputError(
                    f"{who}: '{child.get('value')}' is not inside '{node.get('value')}', "
                    f"in which it stands"
                )
            stack.append((child, inner, (_label(child), *labels)))


def _label(node: ElementTree.Element) -> str:
    return node.get("label", node.get("value", ""))


def _interval(node: ElementTree.Element, who: str) -> _Interval:
    text = node.get("value", "").strip()
    single = _SINGLE.fullmatch(text)
    if single:
        number = float(single[1] or single[2])
        return number, number
    parts = _INTERVAL.fullmatch(text)
    if parts:
        low = float(parts[2])
        high = float(parts[3])
        low = low if parts[1] == "[" else nextafter(low, inf)
        high = high if parts[4] == "]" else nextafter(high, -inf)
        if low <= high:
            return low, high
    raise InputError(
        f"{who}: '{text}' is not an interval; write '[low:high)' with a number at either end"
    )


def _rows_of_leaves(
    leaves: Sequence[_Leaf], numbers: Mapping[str, float]
) -> dict[str, tuple[str, ...]]:
    ends = [leaf.interval[1] for leaf in leaves]
    rows = {}
    for text, number in numbers.items():
        leaf = bisect_left(ends, number)
        if leaf < len(leaves) and number >= leaves[leaf].interval[0]:
            rows[text] = (text, *leaves[leaf].labels)
    return rows


# --- writing --------------------------------------------------------------------------------------


def _are_ranges(rows: Sequence[Sequence[str]], numbers: Mapping[str, float]) -> bool:
    """Return whether the groups of every level are ranges that share no number.

    Rows rise by number.
    """
    for before, row in pairwise(rows):
        if numbers[before[0]] == numbers[row[0]] and before[1:] != row[1:]:
            return False
    for level in range(1, len(rows[0])):
        starts = [label for label, _ in groupby(row[level] for row in rows)]
        if len(starts) != len(set(starts)):
            return False
    return True


def _write_tree(
    att: ElementTree.Element, rows: Sequence[Sequence[str]], numbers: Mapping[str, float]
) -> None:
    """Write a node for every label above the values, the root as <vgh>."""
    height = len(rows[0]) - 1
    if height == 0:
        ElementTree.SubElement(att, "vgh", value=_interval_text(rows, numbers))
        return
    todo = [(att, "vgh", rows, height)]
    while todo:
        parent, tag, members, level = todo.pop()
        for label, group in groupby(members, key=itemgetter(level)):
            inside = list(group)
            interval = _interval_text(inside, numbers)
            node = ElementTree.SubElement(parent, tag, value=interval, label=label)
            if level > 1:
                todo.append((node, "node", inside, level - 1))


def _interval_text(rows: Sequence[Sequence[str]], numbers: Mapping[str, float]) -> str:
    low, high = (f"{exact(numbers[row[0]]):f}" for row in (rows[0], rows[-1]))
    return f"[{low}:{high}]"


def _check_writable(texts: Iterable[str], path: Path) -> None:
    for text in texts:
        if _NOT_XML.search(text):
            raise InputError(
                f"{path.name}: {Value(text)} holds a control character, which XML cannot; write "
                f"the hierarchy as CSV instead"
            )


_ALGORITHMS: dict[str, dict[str, Any]] = {
    "mondrian": {"name": "mondrian", "params": {"cut": "median"}},
    "datafly": {"name": "datafly"},
    **{f"incognito{model}": {"name": "incognito"} for model in ("", "_k", "_l", "_t")},
}
_ROLES = {"id": "identifier", "qid": "quasi", "sens": "sensitive"}
_DEFAULTS = {"method": "Mondrian", "k": "10", "l": "10", "t": "0.2"}


def read_toolbox(path: Path) -> dict[str, Any]:
    """Return a toolbox configuration as the document of a project file."""
    config = read_configuration(path)
    written = {key.lower(): text.strip() for key, text in config.attrib.items() if text.strip()}
    settings = {**_DEFAULTS, **written}
    numbers = {
        key: text if as_number(text) is None else as_number(text) for key, text in settings.items()
    }  # what is no number, the project refuses
    method = settings["method"].lower()
    if method not in _ALGORITHMS:
        methods = joined([name.capitalize() for name in _ALGORITHMS])
        raise InputError(f"{path.name}: the method {settings['method']} is not one of {methods}")
    table = config.find("input")
    file = "" if table is None else table.get("filename", "").strip()
    if table is None or not file:
        raise InputError(
            f"{path.name} names no data, so that it is no configuration of a run; add "
            "<input filename='FILE'/>, or read its hierarchies with hierarchy: {utd: FILE}"
        )
    privacy: dict[str, Any] = {"k": numbers["k"]}
    if method == "incognito_l":
        recursive = {key: numbers[key] for key in ("c", "l") if "c" in settings}
        privacy["l"] = recursive or {"entropy": numbers["l"]}
    if method == "incognito_t":
        privacy["t"] = numbers["t"]
    columns = list(_columns(config, path.name))
    data = {
        "path": file,
        "delimiter": table.get("separator") or ",",
        "header": False,
        "rename": {f"column_{place + 1}": name for place, name, _ in columns},
        "unlisted": "publish",
    }
    return {
        "data": data,
        "attributes": {name: spec for _, name, spec in columns},
        "privacy": privacy,
        "algorithm": _ALGORITHMS[method],
    }


def _columns(config: ElementTree.Element, file: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield number, name and settings of every column that the configuration names."""
    listed = [(role, att) for tag, role in _ROLES.items() for att in config.findall(f"{tag}/att")]
    names = [att.get("name", "").strip() for _, att in listed]
    places: set[int] = set()
    for (role, att), name in zip(listed, names, strict=True):
        index = att.get("index", "").strip()
        if not (index.isascii() and index.isdecimal()) or int(index) in places:
            raise InputError(
                f"{file}: attribute '{name}' has the index '{index}'; each needs the number of a "
                "column of its own, counted from 0"
            )
        place = int(index)
        places.add(place)
        column = name if name and names.count(name) == 1 else f"column_{place + 1}"
        spec: dict[str, Any] = {"role": role}
        if role != "identifier":
            spec["kind"] = "numeric" if att.find("map") is None else "categorical"
        if att.find("vgh") is not None:
            spec["hierarchy"] = {"utd": file, "attribute": name if name == column else index}
        yield place, column, spec
