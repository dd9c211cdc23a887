"""Hierarchies as ARX files, as YAML and as UTD toolbox configurations."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields import yaml_text
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import (
    build_hierarchy,
    from_yaml_levels,
    read_arx,
    to_yaml_levels,
    write_arx,
)
from kanon_tui.core.hierarchy.utd_files import plain_numbers, read_utd, write_utd
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.table import code_column

ROWS = (
    ("Bachelors", "Undergraduate", "*"),
    ("11th", "High School", "*"),
    ("9th", "High School", "*"),
)


def written(folder: Path, content: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# --- ARX --------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_arx_files_are_read_whatever_the_delimiter(tmp_path, delimiter, mark, line_end):
    text = mark + line_end.join(delimiter.join(row) for row in ROWS) + line_end * 2
    hierarchy = read_arx(written(tmp_path, text))
    assert hierarchy.rows == ROWS
    assert hierarchy.source == "x.csv"


def test_arx_quotes_and_other_delimiters_inside_labels(tmp_path):
    text = '"a;b";"[2.5, 5)";*\n"say ""x""";"[0, 2.5)";*\n"two\nlines";"[0, 2.5)";*\n'
    assert read_arx(written(tmp_path, text)).rows == (
        ("a;b", "[2.5, 5)", "*"),
        ('say "x"', "[0, 2.5)", "*"),
        ("two\nlines", "[0, 2.5)", "*"),
    )


def test_arx_lines_that_end_in_a_delimiter_have_no_extra_level(tmp_path):
    assert read_arx(written(tmp_path, "a;A;*;\nb;B;*;\n")).height == 2


def test_arx_without_labels_is_flat(tmp_path):
    assert read_arx(written(tmp_path, "a\nb\n")).rows == (("a", "*"), ("b", "*"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;A;*\nb;B\n", r"x\.csv: row 2 of the hierarchy has 2 levels, row 1 has 3"),
        ("a,b;A;*\nc;C\n", r"x\.csv: row 2 .* has 2 levels, row 1 has 3"),
        ("a;A;X\nb;A;Y\n", r"x\.csv: row 2 .* puts 'A' of level 1 under 'Y' at level 2, row 1"),
        ("a;A\n\nb;B\n", r"x\.csv: line 2 is empty; remove it"),
        ("a;A;*\nb;;*\n", r"x\.csv: row 2 .* has no label at level 1"),
        ("a;A\na;A\n", r"x\.csv: row 2 of the hierarchy repeats the value of row 1"),
        ("", r"x\.csv: the hierarchy has no rows"),
        (
            "a;A\nb;é\n".encode("latin-1"),
            r"x\.csv: line 2 is not UTF-8; save the hierarchy file as UTF-8",
        ),
    ],
)
def test_broken_arx_files_are_refused_with_file_and_row(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        read_arx(written(tmp_path, content))


def test_an_absent_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.csv does not exist; check the path"):
        read_arx(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="is a folder; name a hierarchy file in it"):
        read_arx(tmp_path)


def test_arx_files_are_kept_unless_forced(tmp_path):
    path = written(tmp_path, "mine")
    with pytest.raises(InputError, match="exists and is kept"):
        write_arx(Hierarchy.from_rows(ROWS), path)
    assert path.read_text() == "mine"
    write_arx(Hierarchy.from_rows(ROWS), path, force=True)
    assert path.read_text() == "Bachelors;Undergraduate;*\n11th;High School;*\n9th;High School;*\n"


# --- YAML -------------------------------------------------------------------------------------


def test_levels_in_yaml():
    assert to_yaml_levels(Hierarchy.from_rows(ROWS))["11th"] == ["High School", "*"]
    assert from_yaml_levels({46201: ["4620*"], 1.5: ["low"]}, "x").values == ("46201", "1.5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{yes: [A], no: [B]}", "x: a value of its levels: YAML reads yes, on and true"),
        ("{a: [off]}", "x: a label of 'a': YAML reads no, off and false"),
        ("{1995-09-20: [A]}", "YAML reads 1995-09-20 without quotes as a date.*write '1995-09-20'"),
        ("{a: [~]}", "a label of 'a': YAML reads null"),
        ("{a: [[b]]}", r"a label of 'a': '\['b'\]' is not a text"),
        ("{a: [.nan]}", "'nan' is not a text"),
        ("{a: [A, X], b: [A, Y]}", "x: row 2 of the hierarchy puts 'A' of level 1 under 'Y'"),
    ],
)
def test_texts_that_yaml_has_changed_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        from_yaml_levels(yaml.safe_load(text), "x")


# --- UTD --------------------------------------------------------------------------------------

SBC_APPENDIX = """<?xml version="1.0"?>
<config method='Mondrian' k='100'>
<input filename='dataset/adult.data' separator=','/>
<qid>
<att index='0' name ='age'>
<vgh value='[0:100)'>
<node value='[0:50)'>
<node value='[0:20)'> <node value='[0:10)'/> <node value='[10:20)'/> </node>
<node value='[20:50)'>
<node value='[20:30)'/> <node value='[30:40)'/> <node value='[40:50)'/>
</node>
</node>
<node value='[50:100)'>
<node value='[50:70)'> <node value='[50:60)'/> <node value='[60:70)'/> </node>
<node value='[70:100)'>
<node value='[70:80)'/> <node value='[80:90)'/> <node value='[90:100)'/>
</node>
</node>
</vgh>
</att>
<att index='1' name='sex'>
<map> <entry cat='Female' int='0' /> <entry cat='Male' int='1' /> </map>
<vgh value='[0:1]'> </vgh>
</att>
<att index='2' name ='native-country'>
<map> <!-- the end of the list in the document -->
<entry cat='Laos' int='0' /> <entry cat='India' int='1' /> <entry cat='Japan' int='2' />
<entry cat='China' int='3' /> <entry cat='Iran' int='4' />
</map>
<vgh value='[0:4]'>
<node value='[0:0]'/>
<node value='[1:4]'> <node value='[1:1]'/> <node value='[2:3]'/> <node value='[4:4]'/> </node>
</vgh>
</att>
</qid>
</config>
"""


def utd(folder: Path, attribute: str, *values: str, text: str = SBC_APPENDIX) -> Hierarchy:
    return read_utd(written(folder, text, "c.xml"), attribute, plain_numbers(values))


def test_sbc_appendix_ages_are_intervals(tmp_path):
    assert utd(tmp_path, "age", "9", "10", "49", "50.5", "99").rows == (
        ("9", "[0:10)", "[0:20)", "[0:50)", "[0:100)"),
        ("10", "[10:20)", "[0:20)", "[0:50)", "[0:100)"),
        ("49", "[40:50)", "[20:50)", "[0:50)", "[0:100)"),
        ("50.5", "[50:60)", "[50:70)", "[50:100)", "[0:100)"),
        ("99", "[90:100)", "[70:100)", "[50:100)", "[0:100)"),
    )


def test_sbc_appendix_sex_is_mapped_below_the_root(tmp_path):
    assert utd(tmp_path, "sex").rows == (("Female", "[0:1]"), ("Male", "[0:1]"))


def test_a_leaf_that_lies_higher_is_repeated(tmp_path):
    assert utd(tmp_path, "2").rows[:3] == (
        ("Laos", "[0:0]", "[0:0]", "[0:4]"),
        ("India", "[1:1]", "[1:4]", "[0:4]"),
        ("Japan", "[2:3]", "[1:4]", "[0:4]"),
    )


def test_values_outside_the_tree_are_reported_when_bound(tmp_path):
    written(tmp_path, SBC_APPENDIX, "c.xml")
    age = code_column(pl.Series("age", ["9", "100", "-1"]), Kind.NUMERIC)
    with pytest.raises(InputError, match=r"age: 2 values are not in its hierarchy .*; .* c\.xml"):
        build_hierarchy({"utd": "c.xml"}, age, tmp_path).bind(age)


def test_every_kind_of_interval_end(tmp_path):
    tree = """<c><att name='x'><vgh value='[-1.5: 1e2]'><node value='[-1.5:0)'/><node value='0'/>
              <node value='(0:5]'/><node value='(5:7)'/><node value='[7]'/></vgh></att></c>"""
    values = ("-1.5", "0", "0.1", "5", "6", "7", "100")
    hierarchy = utd(tmp_path, "x", *values, text=tree)
    assert [row[1] for row in hierarchy.rows] == ["[-1.5:0)", "0", "(0:5]", "(0:5]", "(5:7)", "[7]"]


def test_listed_leaves_are_the_values(tmp_path):
    tree = """<c><att name='x'><map><entry cat='a' int='0'/><entry cat='b' int='1'/></map>
              <vgh value='[0:1]'><node value='[0]'/><node value='[1:1]'/></vgh></att></c>"""
    assert utd(tmp_path, "x", text=tree).rows == (("a", "[0:1]"), ("b", "[0:1]"))


def tree(inside: str) -> str:
    return f"<c><att name='x'>{inside}</att></c>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<c><att name='x'>", r"c\.xml: it is not well-formed XML: .*line 1"),
        ("<?xml version='1.0' encoding='martian'?><c/>", r"c\.xml: it is not well-formed XML"),
        ('<!DOCTYPE c [<!ENTITY a "aa">]><c>&a;</c>', r"c\.xml: a DOCTYPE is not allowed"),
        (tree("<vgh value='[0:9]'/>").replace("'x'", "'y'"), r"no attribute 'x' .*known are y"),
        (tree(""), r"no attribute 'x' with a <vgh> tree; it has no attribute with a <vgh> tree"),
        (tree("<vgh value='[0:9]'/><vgh value='[0:9]'/>"), "has 2 <vgh> trees; it needs one"),
        (tree("<vgh value='[9:0]'/>"), r"'\[9:0\]' is not an interval; write '\[low:high\)'"),
        (tree("<vgh value='Europe'/>"), "'Europe' is not an interval"),
        (
            tree("<vgh value='[0:9]'><node value='[5:10)'/></vgh>"),
            r"'\[5:10\)' is not inside '\[0:9\]', in which it stands",
        ),
        (
            tree("<vgh value='[0:9]'><node value='[0:5]'/><node value='[5:9]'/></vgh>"),
            r"'\[5:9\]' overlaps '\[0:5\]'",
        ),
        (
            tree("<map><entry cat='a' int='7'/></map><vgh value='[0:5]'/>"),
            "no leaf of its tree holds 'a'",
        ),
        (tree("<map><entry cat='a'/></map><vgh value='[0:5]'/>"), "is not a map entry"),
        (
            tree("<map><entry cat='a' int='0'/><entry cat='a' int='1'/></map><vgh value='[0:5]'/>"),
            "its map has 'a' twice",
        ),
        (tree("<vgh value='[50:90]'/>"), "its tree of numbers holds no value of the data"),
    ],
)
def test_broken_configurations_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        utd(tmp_path, "x", "1", "2", text=text)


def test_a_tree_thousands_deep_is_read(tmp_path):
    depth = 3000
    deep = "<vgh value='[0:9]'>" + "<node value='[0:9]'>" * depth + "</node>" * depth + "</vgh>"
    assert utd(tmp_path, "x", "1", text=tree(deep)).height == depth + 1


def test_utd_numbers_are_written_as_intervals_with_their_labels(tmp_path):
    path = tmp_path / "c.xml"
    ages = Hierarchy.from_rows([("17", "15-19"), ("18", "15-19"), ("23", "20-24")])
    write_utd(ages, path, "age", index=4)
    assert path.read_text() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        "<config>\n  <qid>\n"
        '    <att index="4" name="age">\n'
        '      <vgh value="[17:23]" label="*">\n'
        '        <node value="[17:18]" label="15-19" />\n'
        '        <node value="[23:23]" label="20-24" />\n'
        "      </vgh>\n    </att>\n  </qid>\n</config>\n"
    )
    assert read_utd(path, "age", plain_numbers(["23", "18", "17"])) == ages


def test_utd_refuses_what_xml_cannot_hold(tmp_path):
    with pytest.raises(InputError, match="holds a control character"):
        write_utd(Hierarchy.from_rows([("a\x00", "A")]), tmp_path / "c.xml", "x")
    assert list(tmp_path.iterdir()) == []


# --- round trips ------------------------------------------------------------------------------

_TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), include_characters="\t\n\r;,\"'<&\ufeff"),
    min_size=1,
    max_size=5,
)


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[str] = _TEXT) -> Hierarchy:
    rows = [[value] for value in draw(st.lists(values, min_size=1, max_size=8, unique=True))]
    for _ in range(draw(st.integers(0, 3))):
        below = dict.fromkeys(row[-1] for row in rows)
        parent = {label: draw(_TEXT) for label in below}
        for row in rows:
            row.append(parent[row[-1]])
    return Hierarchy.from_rows(rows)


@settings(max_examples=100, deadline=None)
@given(table=tables())
def test_arx_round_trip(table: Hierarchy, tmp_path_factory):
    path = tmp_path_factory.mktemp("arx") / "x.csv"
    write_arx(table, path)
    assert read_arx(path) == table


@settings(max_examples=100, deadline=None)
@given(tables())
def test_yaml_round_trip(table: Hierarchy):
    levels = to_yaml_levels(table)
    assert from_yaml_levels(levels, "x") == table
    assert from_yaml_levels(yaml.safe_load(yaml.safe_dump(levels, sort_keys=False)), "x") == table


@settings(max_examples=100, deadline=None)
@given(table=tables())
def test_utd_round_trip_of_texts(table: Hierarchy, tmp_path_factory):
    path = tmp_path_factory.mktemp("utd") / "c.xml"
    write_utd(table, path, "x")
    assert set(read_utd(path, "x", plain_numbers(table.values)).rows) == set(table.rows)


_NUMBER_TEXT = st.one_of(
    st.integers(-99, 99).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["1.0", "1.00", "0.1", "1e-320", "7."]),
)


@settings(max_examples=100, deadline=None)
@given(table=tables(_NUMBER_TEXT))
def test_utd_round_trip_of_numbers(table: Hierarchy, tmp_path_factory):
    path = tmp_path_factory.mktemp("utd") / "c.xml"
    write_utd(table, path, "x")
    assert set(read_utd(path, "x", plain_numbers(table.values)).rows) == set(table.rows)


def test_a_project_file_round_trip_keeps_every_text():
    odd = Hierarchy.from_rows(
        [("01234", "yes"), ("1995-09-20", "1.50"), ("null", "12:30"), ("*", "~")]
    )
    text = yaml_text.dump({"levels": to_yaml_levels(odd)})
    assert from_yaml_levels(yaml_text.parse(text, "p.yaml")["levels"], "x") == odd
    assert from_yaml_levels(yaml.safe_load(text)["levels"], "x") == odd
