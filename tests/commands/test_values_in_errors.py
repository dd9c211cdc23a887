"""No error prints a value of the data, unless `--show-values` asks for it."""

from __future__ import annotations

import copy
import pickle
import traceback
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

from kanon_tui.core.errors import InputError, KanonError, OnlyWithValues, Value, Values
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project
from tests.commands.command_line import kanon_in_turn

MARKS = ("SSNX", "NAMEX", "7310", "1912")
"""What every value of the data below begins with, and no text of a project."""
PEOPLE = 12


def people() -> str:
    """Return a table in which every cell of the first row of data is somebody's own."""
    lines = ["ssn,name,age,born,ill,wish"]
    for person in range(PEOPLE):
        day = f"1912-{person + 1:02}-{person + 11}"
        lines.append(
            f"SSNX{person:05},NAMEX{person:04},73100{person:02},{day},NAMEXill{person % 3},-7310"
        )
    return "\n".join([*lines, ""])


def project(**changes: object) -> dict[str, object]:
    """Return a project of these people with other attributes or settings."""
    attributes: dict[str, object] = {
        "ssn": {"role": "identifier"},
        "name": {"role": "quasi", "kind": "categorical"},
        "age": {"role": "quasi", "kind": "numeric"},
        "born": {"role": "quasi", "kind": "date"},
        "ill": {"role": "sensitive", "kind": "categorical"},
        "wish": {"role": "identifier"},
    }
    settings = {
        "data": {"path": "people.csv"},
        "privacy": {"k": 2},
        "algorithm": {"name": "global"},
    }
    return {**settings, **changes, "attributes": {**attributes, **changes.get("attributes", {})}}


def of_name(**spec: object) -> dict[str, object]:
    return project(attributes={"name": {"role": "quasi", "kind": "categorical", **spec}})


def of_age(**spec: object) -> dict[str, object]:
    return project(attributes={"age": {"role": "quasi", "kind": "numeric", **spec}})


TWO_ROWS = {"levels": {"NAMEX0000": ["some"], "NAMEX0001": ["some"]}}
FAULTS: dict[str, dict[str, object]] = {
    "numbers": project(attributes={"ssn": {"role": "quasi", "kind": "numeric"}}),
    "dates": of_name(kind="date"),
    "a date format": of_name(kind="date", format="%d.%m.%Y"),
    "a hierarchy without rows": of_name(hierarchy=TWO_ROWS),
    "groups without values": of_name(
        hierarchy={"builder": "groups", "levels": [{"some": ["NAMEX0000", "NAMEX0001"]}]}
    ),
    "a rule": of_name(rules={"base": 0, "keep": [{"apart": ["A", "A"], "importance": 2}]}),
    "a boundary": of_age(rules={"base": 0, "keep": [{"boundary": ["a", "b"], "importance": 2}]}),
    "a top": of_age(top="old"),
    "a date as bottom": project(
        attributes={"born": {"role": "quasi", "kind": "date", "bottom": "young"}}
    ),
    "a domain": of_age(domain=[1, 2]),
    "a cut": of_age(hierarchy={"builder": "breaks", "levels": [["low", "high"]]}),
    "a width": of_age(hierarchy={"builder": "intervals", "width": 1, "factor": 1}),
    "a MAGVal": of_name(hierarchy={"builder": "flat"}, magvals=[{"label": "x", "level": 0}]),
    "a share": project(
        privacy={"k": 2, "alpha": {"attribute": "ill", "max": 0.5, "values": ["x"]}}
    ),
    "a k of each person": project(privacy={"k": 2, "personal_k": "wish"}),
    "a filter": project(data={"path": "people.csv", "where": {"name": "> 5"}}),
    "counts": project(data={"path": "people.csv", "counts": "name"}),
    "a class attribute": project(
        algorithm={"name": "k-member", "params": {"class_attribute": "x"}}
    ),
    "a level": project(algorithm={"name": "global", "params": {"levels": {"name": 9}}}),
    "a large k": project(privacy={"k": 99}),
    "too strict": project(privacy={"k": 2, "l": 9}),
}
SHOWN = {
    "numbers", "dates", "a date format", "a hierarchy without rows", "groups without values",
    "a boundary", "a top", "a date as bottom", "a cut", "a share", "a MAGVal", "a filter",
    "counts", "a domain", "uneven rows of a hierarchy", "rows of a hierarchy twice", "empty labels",
    "levels", "a sweep", "an explanation", "a hierarchy that does not fit",
    "a k of each person", "a release of other data", "linking", "an attack by a kind", "trees",
    "utility", "two releases",
}  # fmt: skip
"""The faults whose errors quote values where they are asked for."""


def reveals(text: str) -> list[str]:
    return [mark for mark in MARKS if mark in text]


TWISTED = "NAMEX0000,NAMEXa,*\nNAMEX0001,NAMEXa,NAMEXb,*\n"
FILES = {
    "people.csv": people(),
    "ragged.csv": people() + "SSNX99999,NAMEX9999\n" + "\n".join(people().splitlines()[1:]),
    "quotes.csv": people() + 'SSNX99999,"NAMEX9"99,7310000,1912-01-01,x,1\n',
    "records.jsonl": '{"ssn": "SSNX00000", "name": ["NAMEX0000"]}\n',
    "broken.jsonl": '{"ssn": "SSNX00000", "name": NAMEX0000}\n',
    "uneven.csv": TWISTED,
    "twice.csv": "NAMEX0000,a,*\nNAMEX0000,b,*\n",
    "empty.csv": "NAMEX0000,,*\nNAMEX0001,a,*\n",
    "outside.csv": "name,age\nNAMEX0000,7310000\n",
    "strange.csv": "name,age,born,ill\n" + "NAMEXzzz,7310000,1912-01-11,NAMEXill0\n" * 2,
    "bytes.yaml": yaml.safe_dump(project(data={"path": "bytes.csv", "encoding": "utf-8"})),
    "good.yaml": yaml.safe_dump(project(attributes={"ill": {"role": "sensitive"}})),
    "uneven.yaml": yaml.safe_dump(of_name(hierarchy={"file": "uneven.csv"})),
    "twice.yaml": yaml.safe_dump(of_name(hierarchy={"file": "twice.csv"})),
    "empty.yaml": yaml.safe_dump(of_name(hierarchy={"file": "empty.csv"})),
}
BAD_BYTES = people().encode() + b"SSNX99999,NAMEX\xff\xfe,7310000,1912-01-01,x,1\n"
COMMANDS: dict[str, str] = {
    "ragged rows": "run ragged.csv --quasi age,born --accept-guesses",
    "quotes": "run quotes.csv --quasi age,born --accept-guesses",
    "bytes of another encoding": "run bytes.yaml",
    "a list in a cell": "run records.jsonl --quasi ssn --accept-guesses",
    "what is no record": "run broken.jsonl --quasi ssn --accept-guesses",
    "guesses": "run people.csv",
    "a column that is not there": "run people.csv --quasi town --accept-guesses",
    "uneven rows of a hierarchy": "run uneven.yaml",
    "rows of a hierarchy twice": "run twice.yaml",
    "empty labels": "run empty.yaml",
    "levels": "levels uneven.yaml",
    "a sweep": "sweep uneven.yaml --k 2,3",
    "an explanation": "explain uneven.yaml",
    "a check of a column that is not there": "check people.csv --quasi town --k 2",
    "a release of other data": "verify strange.csv --project good.yaml",
    "linking": "attack good.yaml --release strange.csv --external outside.csv --on name",
    "an attack by a kind": "attack good.yaml --release strange.csv --kind inference",
    "trees": "partition good.yaml --release strange.csv --target ill",
    "utility": "utility good.yaml --release strange.csv",
    "two releases": "rerelease good.yaml --release strange.csv --earlier strange.csv",
    "a hierarchy that does not fit": "hierarchy validate twice.csv",
}  # fmt: skip
Run = CompletedProcess[str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, Run]]:
    """Every faulty command as a process runs it, first without values and then with them."""
    folder = tmp_path_factory.mktemp("faults")
    for name, content in FILES.items():
        (folder / name).write_text(content)
    (folder / "bytes.csv").write_bytes(BAD_BYTES)
    commands = {name: command.split() for name, command in COMMANDS.items()}
    for number, (name, fault) in enumerate(FAULTS.items()):
        (folder / f"fault-{number}.yaml").write_text(yaml.safe_dump(fault))
        commands[name] = ["run", f"fault-{number}.yaml", "--quiet"]
    both = [
        words for command in commands.values() for words in (command, [*command, "--show-values"])
    ]
    done = kanon_in_turn(both, folder, folder / "said")
    return dict(zip(commands, zip(done[::2], done[1::2], strict=True), strict=True))


@pytest.mark.parametrize("fault", [*FAULTS, *COMMANDS])
def test_no_error_prints_a_value_unless_asked(fault: str, runs: dict[str, tuple[Run, Run]]) -> None:
    refused, shown = runs[fault]
    assert refused.returncode in (1, 2), refused.stdout
    assert refused.stderr.startswith("kanon-tui: ")
    assert not reveals(refused.stdout + refused.stderr), refused.stderr
    assert shown.returncode == refused.returncode
    assert bool(reveals(shown.stderr)) == (fault in SHOWN), shown.stderr


@pytest.mark.parametrize("fault", FAULTS)
def test_no_exception_shows_a_value(fault: str, tmp_path: Path) -> None:
    """A traceback of a notebook, a log or a ticket has the message without them."""
    (tmp_path / "people.csv").write_text(people())
    (tmp_path / "project.yaml").write_text(yaml.safe_dump(FAULTS[fault]))
    with pytest.raises(KanonError) as caught:
        anonymize(Project.load(tmp_path / "project.yaml"))
    error = caught.value
    told = "".join(traceback.format_exception(error))
    assert not reveals(str(error) + repr(error) + told)
    assert bool(reveals(error.with_values)) == (fault in SHOWN)


def test_an_error_has_a_version_with_values_and_one_without() -> None:
    error = InputError(f"age: {Value('thirty')} is no number{OnlyWithValues(', like thirty')}")
    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert str(same) == "age: a value is no number"
        assert same.with_values == same.on_screen == "age: 'thirty' is no number, like thirty"
    several = InputError(f"age: {Values(['a', 'b'])} are no numbers")
    assert str(several) == "age: 2 values are no numbers"
    assert several.with_values == "age: 'a', 'b' are no numbers"
    assert str(InputError(f"age: {Values(['a'])} is no number")) == "age: a value is no number"


def test_a_value_cannot_end_its_own_mark() -> None:
    for sign in "\ufdd0\ufdd1\ufdd2":
        error = InputError(f"age: {Value(f'x{sign}SSNX{sign}y')} is no number")
        assert str(error) == "age: a value is no number"
        assert error.with_values == "age: 'xSSNXy' is no number"


def test_a_secret_of_an_address_is_shown_in_neither_version() -> None:
    error = InputError(f"{Value('postgresql://me:hidden@host/db')} cannot be read")
    assert "hidden" not in str(error) + error.with_values + error.on_screen
