"""Write a mapping as SQL that a database or a Spark cluster applies to its rows itself.

The query reads the texts of every quasi-identifier, looks up which published cells show each
distinct value, and joins them back: by attribute for levels, through the classes of a clustering
for boxes, where the tightest one counts as it does in `recoding`. Rows that nothing covers, and
classes below k, are not in the answer; it is sorted, so that its order tells nothing.

A value whose label the release never published is not covered. Plain SQL is that of PostgreSQL and
DuckDB. Names and values are data: they enter the query as quoted texts only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Literal

import numpy as np

from kanon_tui.core.analysis.applying.apply import class_cells, empty_column, read_cells
from kanon_tui.core.analysis.applying.mapping_file import AttributeRule, ReleaseMapping
from kanon_tui.core.analysis.published_cells import ReadCells
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.hierarchy.portable import rule_hierarchy, typed_label
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.value_formats import NumberFormat

Dialect = Literal["sql", "spark"]
_DATE_PARTS = {
    "%Y": (4, "[1-9][0-9]{3}"),
    "%m": (2, "(0[1-9]|1[0-2])"),
    "%d": (2, "(0[1-9]|[12][0-9]|3[01])"),
}
"""The places that a part of a date takes, and a pattern for it."""
_CLOCK = "([T ]([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)? *(Z|[+-][0-9:]{5,6})?)?"
_NO_DAYS = "('02-30', '02-31', '04-31', '06-31', '09-31', '11-31')"


def mapping_sql(
    mapping: ReleaseMapping, dialect: Dialect, table: str, publish: Sequence[str] = ()
) -> str:
    """Return one query that publishes the rows of a table as the mapping says.

    Columns of `publish` are published as they are, as those with such a role in the mapping.
    """
    _check_expressible(mapping)
    write = _Writer(dialect)
    rules = mapping.attributes
    classes = mapping.classes
    roles = {name: spec.role for name, spec in mapping.columns.items()}
    published_as_is = [name for name, role in roles.items() if role and role.published]
    published_as_is += [name for name in publish if name not in published_as_is]
    for name in published_as_is:
        if name in {rule.name for rule in rules} or roles.get(name) is Role.PERSON:
            raise InputError(f"{name} is not published as it is; leave it out")
    person = next((name for name, role in roles.items() if role is Role.PERSON), None)
    texts = [f"COALESCE(CAST({write.name(r.name)} AS {write.text_type}), '')" for r in rules]
    source = [f"{text} AS q{x}" for x, text in enumerate(texts)]
    source += [f"{write.name(name)} AS o{x}" for x, name in enumerate(published_as_is)]
    source += [] if person is None else [f"{write.name(person)} AS person"]
    parts = {"kanon_rows": f"SELECT {', '.join(source)} FROM {write.name(table)}"}
    lookups = [_Lookup(rule, mapping, write) for rule in rules]
    if classes is not None:
        cells, _, order = class_cells(mapping, classes)
    for x, lookup in enumerate(lookups):
        if classes is None:
            lookup.add_level()
        else:
            lookup.add_cells(cells[x])
        parts |= lookup.parts(x)
    carried = [f"o{x}" for x in range(len(published_as_is))] + (
        [] if person is None else ["person"]
    )
    cell_names = [f"c{x}" for x in range(len(rules))]
    if classes is None:
        shown = [f"m{x}.cell AS c{x}" for x in range(len(rules))]
        joins = [f"JOIN kanon_{x} m{x} ON m{x}.value = r.q{x}" for x in range(len(rules))]
    else:
        parts |= _boxes(classes, order, write)
        shown = [f"b.c{x}" for x in range(len(rules))]
        same = " AND ".join(f"n.q{x} = r.q{x}" for x in range(len(rules)))
        joins = [f"JOIN kanon_nearest n ON {same}", "JOIN kanon_boxes b ON b.box = n.box"]
    select = ", ".join([*shown, *(f"r.{name}" for name in carried)])
    parts["kanon_cells"] = f"SELECT {select} FROM kanon_rows r {' '.join(joins)}"
    counted = "COUNT(*)" if person is None else "COUNT(DISTINCT person)"
    keys = ", ".join(cell_names)
    parts["kanon_classes"] = (
        f"SELECT {keys} FROM kanon_cells GROUP BY {keys} HAVING {counted} >= {mapping.privacy.k}"
    )
    published = [f"a.{c} AS {write.name(r.name)}" for c, r in zip(cell_names, rules, strict=True)]
    published += [f"a.o{x} AS {write.name(name)}" for x, name in enumerate(published_as_is)]
    same = " AND ".join(f"a.{c} = k.{c}" for c in cell_names)
    places = ", ".join(str(place + 1) for place in range(len(published)))
    steps = ",\n".join(f"{name} AS (\n  {query}\n)" for name, query in parts.items())
    return (
        f"-- A recoding by Kanon: rows that it does not cover and classes below k = "
        f"{mapping.privacy.k} are left out.\nWITH {steps}\nSELECT {', '.join(published)}\n"
        f"FROM kanon_cells a JOIN kanon_classes k ON {same}\nORDER BY {places};\n"
    )


def _check_expressible(mapping: ReleaseMapping) -> None:
    privacy = mapping.privacy
    beyond = [model.title for model in privacy.requirements]
    beyond += ["a risk"] * (privacy.risk is not None) + ["a personal k"] * bool(privacy.personal_k)
    beyond += ["a subset_k"] * (privacy.subset_k is not None)
    beyond += ["hidden cells"] * (mapping.hides_cells or privacy.suppress == "cells")
    if beyond:
        raise InputError(
            f"{mapping.name}: it asks for {beyond[0]}, which SQL cannot prove, only k; publish "
            f"the records with kanon-tui apply"
        )
    mapping.refuse_one_value()


def _boxes(classes: Sequence[Sequence[str]], order: Int64s, write: _Writer) -> dict[str, str]:
    """Return the classes, the tightest first, and the first of them that shows each tuple."""
    names = [f"c{x}" for x in range(len(classes[0]))]
    rows = [
        (str(box), *map(write.text, classes[place])) for box, place in enumerate(order.tolist())
    ]
    keys = ", ".join(f"q{x}" for x in range(len(classes[0])))
    joins = "JOIN kanon_0 m0 ON m0.value = r.q0 JOIN kanon_boxes b ON b.c0 = m0.cell"
    for x in range(1, len(classes[0])):
        joins += f" JOIN kanon_{x} m{x} ON m{x}.value = r.q{x} AND m{x}.cell = b.c{x}"
    tuples = f"(SELECT DISTINCT {keys} FROM kanon_rows)"
    return {
        "kanon_boxes": f"SELECT * FROM {write.rows(rows, ('box', *names))}",
        "kanon_nearest": f"SELECT {keys}, MIN(box) AS box FROM {tuples} r {joins} GROUP BY {keys}",
    }


@dataclass(frozen=True)
class _Writer:
    """The spelling of names, texts and patterns in one dialect."""

    dialect: Dialect

    @property
    def text_type(self) -> str:
        """The type of texts."""
        return "STRING" if self.dialect == "spark" else "VARCHAR"

    def name(self, name: str) -> str:
        """Return a quoted name."""
        mark = "`" if self.dialect == "spark" else '"'
        return mark + name.replace(mark, mark * 2) + mark

    def text(self, value: str) -> str:
        """Return a quoted text."""
        if self.dialect == "spark":
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return "'" + value.replace("'", "''") + "'"

    def texts(self, values: Iterable[str]) -> str:
        """Return a list of quoted texts."""
        return f"({', '.join(map(self.text, values))})"

    def rows(self, rows: Iterable[Sequence[str]], names: Sequence[str]) -> str:
        """Return rows of constants as a table with named columns."""
        lines = ",\n    ".join(f"({', '.join(row)})" for row in rows)
        return f"(VALUES\n    {lines}) AS w({', '.join(names)})"

    def like(self, text: str, pattern: str) -> str:
        """Return the test that a whole text matches a regular expression."""
        if self.dialect == "spark":
            return f"{text} RLIKE {self.text(f'^({pattern})')} || '\\\\z'"
        return f"{text} SIMILAR TO {self.text(pattern)}"


@dataclass(eq=False)
class _Lookup:
    """The published cells of every value of one attribute, as branches of a query."""

    rule: AttributeRule
    mapping: ReleaseMapping
    write: _Writer
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """Values, or tokens for missing, with their cells."""
    ranges: list[tuple[float, float, str]] = field(default_factory=list)
    computed: list[tuple[str, str]] = field(default_factory=list)
    """Cells as expressions, with their conditions."""

    @cached_property
    def column(self) -> Column:
        """The attribute without records."""
        return empty_column(self.rule, self.mapping)

    @property
    def _is_missing(self) -> str:
        tokens = self.mapping.missing_tokens
        return f"clean IN {self.write.texts(tokens)}" if tokens else "1 = 0"

    def add_level(self) -> None:
        """Add the labels of the level of a rule."""
        rule = self.rule.rule
        typed = rule_hierarchy(rule, self.rule.name)
        if typed is not None:
            self._of_typed()
        elif self.rule.level == 0:
            self._of_values()
        elif rule.get("builder") == "flat":
            self._everything(HIDDEN)
        elif rule.get("builder") == "mask":
            self._of_mask(rule["length"], rule.get("levels") or rule["length"] - 1)
        else:
            labels = rule.get("ranges", self.rule.labels)
            if labels is None:
                raise InputError(
                    f"{self.mapping.name}: {self.rule.name} has no labels, which SQL needs; "
                    f"export the mapping again"
                )
            present = [label for label in labels if label not in self.mapping.missing_tokens]
            self.add_cells(read_cells(self.rule, present, self.column, self.mapping))
            self.computed.append(("clean", self._is_missing))

    def _everything(self, cell: str) -> None:
        can_read = f"place IS NOT NULL OR {self._is_missing}" if self.rule.kind.ordered else "1 = 1"
        self.computed.append((self.write.text(cell), can_read))

    def _of_values(self) -> None:
        """Publish values as they are, between coded ends."""
        ends = []
        for sign, bound in ((">=", self.rule.top), ("<=", self.rule.bottom)):
            if bound is not None:
                place = self._place(float(self.column.parse([bound])[0]))
                shown = self.write.text(sign + bound)
                ends.append((f"place {sign} {place}", shown))
        inside = " OR ".join(test for test, _ in ends) or "1 = 0"
        self.computed += [(shown, test) for test, shown in ends]
        can_read = f"place IS NOT NULL AND NOT ({inside})" if self.rule.kind.ordered else "1 = 1"
        self.computed.append(("clean", f"{self._is_missing} OR ({can_read})"))

    def _of_mask(self, length: int, masked: int) -> None:
        level = self.rule.level or 0
        if level > masked:
            return self._everything(HIDDEN)
        visible = length - level
        if self.rule.rule.get("from") == "left":
            cell = f"LPAD(SUBSTR(clean, GREATEST(1, LENGTH(clean) - {visible - 1})), {length}, '*')"
        else:
            cell = f"RPAD(SUBSTR(clean, 1, {visible}), {length}, '*')"
        self.computed.append(("clean", self._is_missing))
        read = " AND place IS NOT NULL" if self.rule.kind.ordered else ""
        fits = f"LENGTH(clean) <= {length} AND NOT ({self._is_missing}){read}"
        return self.computed.append((cell, fits))

    def _of_typed(self) -> None:
        """Publish the labels of a typed hierarchy; numbers match by value, not by spelling."""
        rule = self.rule.rule
        level = self.rule.level or 0
        typed = rule_hierarchy(rule, self.rule.name)
        assert typed is not None
        texts = [row[0] for row in typed.rows]
        unlisted = f"clean NOT IN {self.write.texts(texts)}"
        labels = [typed_label(row, level, row[0]) for row in typed.rows]
        self.pairs.extend(zip(texts, labels, strict=True))
        unmatched = [f"NOT ({self._is_missing})"]
        if self.rule.kind.ordered:
            by_number: dict[float, str] = {}
            for place, label in zip(self.column.parse(texts).tolist(), labels, strict=True):
                if not np.isnan(place):
                    by_number.setdefault(place, label)
            for place, label in by_number.items():
                shown = self.write.text(label) if level else "clean"
                self.computed.append((shown, f"place = {self._place(place)} AND {unlisted}"))
                unmatched.append(f"place <> {self._place(place)}")
        root = typed.rows[0][-1]
        hidden = level > typed.height or (level == typed.height and root == HIDDEN)
        missing = self.write.text(HIDDEN) if hidden else "clean"
        self.computed.append((missing, f"{self._is_missing} AND {unlisted}"))
        if rule.get("other"):
            label = typed_label(("", *rule["other"], root), level, "")
            shown = self.write.text(label) if level else "clean"
            self.computed.append((shown, f"{unlisted} AND {' AND '.join(unmatched)}"))

    def add_cells(self, read: ReadCells) -> None:
        """Add published cells for the values that they show, just as `ReadCells.shows` answers."""
        for text, low, high, everything, missing in zip(
            read.texts, read.low, read.high, read.everything, read.missing, strict=True
        ):
            if everything:
                self._everything(text)
                continue
            if missing:
                self.pairs += [(token, text) for token in self.mapping.missing_tokens]
            if self.rule.kind.ordered and not np.isnan(low):
                self.ranges.append((float(low), float(high), text))
        if not self.rule.kind.ordered:
            self._of_texts(read)

    def _of_texts(self, read: ReadCells) -> None:
        write = self.write
        texts = read.texts
        tokens = self.mapping.missing_tokens
        for value, holding in read.holders.items():
            if value not in tokens:
                self.pairs += [(value, texts[cell]) for cell in holding]
        for text in texts:
            if text[:1] == "{":  # a value with a bar is written like two
                self.pairs.append((text, text))  # a value of this spelling
                inner = write.text(f"|{text[1:-1]}|")
                has = f"POSITION('|' IN clean) > 0 AND POSITION('|' || clean || '|' IN {inner}) > 0"
                self.computed.append((write.text(text), has))
        known_values = write.texts([*read.attribute.known, *tokens, ""])
        for text in (texts[cell] for cell in read.unnamed):
            self.computed.append((write.text(text), f"clean NOT IN {known_values}"))
        for (right, count, length), by_text in read.masks.items():
            for shown, holding in by_text.items():
                end = f"SUBSTR(clean, {1 if right else f'LENGTH(clean) - {count - 1}'}, {count})"
                fits = f"{end} = {write.text(shown)} AND LENGTH(clean) BETWEEN {count} AND {length}"
                for cell in holding:
                    test = f"{fits} AND clean NOT IN {known_values}"
                    self.computed.append((write.text(texts[cell]), test))

    # -- the query

    def parts(self, x: int) -> dict[str, str]:
        """Return the distinct values of the attribute and the cells that show them."""
        write = self.write
        tokens = self.mapping.missing_tokens
        values = f"kanon_values_{x}"
        clean = "value"
        if tokens:
            numbers = " ".join(f"WHEN {write.text(t)} THEN {i}" for i, t in enumerate(tokens))
            back = " ".join(f"WHEN {i} THEN {write.text(t)}" for i, t in enumerate(tokens))
            first = f"(SELECT CASE MIN(CASE value {numbers} END) {back} END FROM kanon_texts_{x})"
            clean = f"CASE WHEN value IN {write.texts(tokens)} THEN {first} ELSE value END"
        place = f", {self._place_of_text()} AS place" if self.rule.kind.ordered else ""
        branches = [f"SELECT value, {c} AS cell FROM {values} WHERE {t}" for c, t in self.computed]
        if self.pairs:
            rows = write.rows([(write.text(v), write.text(c)) for v, c in self.pairs],
                              ("known", "cell"))  # fmt: skip
            branches.append(f"SELECT value, cell FROM {values} JOIN {rows} ON clean = known")
        if self.ranges:
            ranges = ((self._place(a), self._place(b), write.text(c)) for a, b, c in self.ranges)
            rows = write.rows(ranges, ("low", "high", "cell"))
            inside = "place BETWEEN low AND high"
            branches.append(f"SELECT value, cell FROM {values} JOIN {rows} ON {inside}")
        branches = branches or [f"SELECT value, value AS cell FROM {values} WHERE 1 = 0"]
        return {
            f"kanon_texts_{x}": f"SELECT DISTINCT q{x} AS value FROM kanon_rows",
            values: f"SELECT value, {clean} AS clean{place} FROM kanon_texts_{x}",
            f"kanon_{x}": "\n  UNION ".join(branches),
        }

    def _place(self, number: float) -> str:
        """Return a number, or a day as an ISO date, as a constant."""
        if self.rule.kind is Kind.NUMERIC:
            return f"{np.clip(number, -1.7e308, 1.7e308):.16e}"
        return self.write.text(_iso_date(number, f"{self.mapping.name}: {self.rule.name}"))

    def _place_of_text(self) -> str:
        """Return the expression of a value's number or ISO date; NULL where it has none."""
        write = self.write
        format = self.rule.format
        text = "TRIM(value)"
        if isinstance(format, NumberFormat):
            mark = f"[{format.decimal}]"
            groups = format.thousands
            digits = "[0-9]+"
            plain = text
            if groups != "none":
                digits = f"([0-9]+|[1-9][0-9]{{0,2}}([{groups}][0-9]{{3}})+)"
                plain = f"REPLACE({plain}, {write.text(groups)}, '')"
            if format.decimal != ".":
                plain = f"REPLACE({plain}, {write.text(format.decimal)}, '.')"
            pattern = f"[+-]?({digits}{mark}?[0-9]*|{mark}[0-9]+)([eE][+-]?[0-9]{{1,2}})?"
            double = "DOUBLE" if write.dialect == "spark" else "DOUBLE PRECISION"
            place = f"CAST({plain} AS {double})"
            valid = write.like(text, pattern)
        else:
            place, valid = self._iso_of_text(text, str(format))
        missing_values = write.texts([*self.mapping.missing_tokens, ""])
        return f"CASE WHEN value NOT IN {missing_values} AND {valid} THEN {place} END"

    def _iso_of_text(self, text: str, format: str) -> tuple[str, str]:
        """Return the ISO date of a text as an expression, and the test that it is one."""
        pattern = ""
        part_of_token = {}
        start = 1
        for token in re.findall("%.|.", format):
            width, digits = _DATE_PARTS.get(token, (1, f"[{token}]"))
            part_of_token[token] = f"SUBSTR({text}, {start}, {width})"
            pattern = pattern + digits
            start = start + width
        if start != 11 or not _DATE_PARTS.keys() <= part_of_token.keys():
            raise InputError(
                f"{self.mapping.name}: {self.rule.name}: dates like {format} cannot be read in "
                f"SQL; write them as %Y-%m-%d, or publish the records with kanon-tui apply"
            )
        iso = " || '-' || ".join(part_of_token[token] for token in _DATE_PARTS)
        valid = self.write.like(text, pattern + _CLOCK)
        return iso, f"{valid} AND SUBSTR({iso}, 6) NOT IN {_NO_DAYS}"


def _iso_date(day: float, who: str) -> str:
    """Return a day, counted from 1970-01-01, as an ISO date."""
    if np.isinf(day):
        return "0001-01-01" if day < 0 else "9999-12-31"
    if day != np.floor(day):
        raise InputError(
            f"{who}: ranges with clock times cannot be compared in SQL; publish the records with "
            f"kanon-tui apply"
        )
    return (date(1970, 1, 1) + timedelta(days=int(day))).isoformat()
