"""Pseudonyms: HMAC by its definition, the key file, and what the verifier refuses."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.verify import verify_pseudonyms
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.pseudonyms import KeyFile, pseudonym

PROJECT = """\
data: {path: people.csv}
attributes:
  id: {role: identifier, identifier: pseudonym}
  name: {role: identifier}
  age: {role: quasi, kind: numeric}
  flu: {role: sensitive, kind: categorical}
privacy: {k: 2}
algorithm: {name: mondrian}
"""


def hmac_sha256(key: bytes, message: bytes) -> str:
    """RFC 2104 by its definition."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in block) + inner).hexdigest()


def rows(*ids: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": list(ids),
            "name": [f"Secret{i}" for i in range(len(ids))],
            "age": [str(20 + i // 2 * 10) for i in range(len(ids))],
            "flu": ["yes", "no"] * (len(ids) // 2),
        }
    )


def project(folder: Path, **changes: str) -> Project:
    text = PROJECT
    for old, new in changes.items():
        text = text.replace(old, new)
    path = folder / "p.yaml"
    path.write_text(text)
    return Project.load(path)


def released(folder: Path, *ids: str) -> Result:
    return anonymize(project(folder), rows(*ids))


IDS = ("A1", "A2", "A3", " A4 ", "?", "a1")


def test_the_pseudonym_is_hmac_sha256_by_its_definition(tmp_path: Path) -> None:
    result = released(tmp_path, *IDS)
    key = bytes.fromhex((tmp_path / "pseudonyms.key").read_text())
    expected = {
        hmac_sha256(key, b"id\0" + each.strip().encode())[:32] for each in IDS if each != "?"
    }
    assert set(result.table["id"]) == expected | {"?"}
    assert len(expected) == 5
    assert "name" not in result.table.columns


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = released(tmp_path, *IDS)
    key = tmp_path / "pseudonyms.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    content = key.read_bytes()
    assert set(released(tmp_path, *IDS).table["id"]) == set(first.table["id"])
    assert key.read_bytes() == content
    secret = content.decode().strip()
    leaves = [str(first.report), " ".join(first.notes), (tmp_path / "p.yaml").read_text()]
    assert not any(secret in text for text in leaves)
    assert any("published as pseudonyms" in each for each in first.warnings)
    assert key in project(tmp_path).inputs


def test_no_key_is_made_before_there_is_a_release(tmp_path: Path) -> None:
    from kanon_tui.core.pipeline.prepare import prepare
    from kanon_tui.core.table.table import as_table

    prepare(project(tmp_path), as_table(rows(*IDS)))
    assert not (tmp_path / "pseudonyms.key").exists()


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [(b"0" * 64, 0o644, "others may read"), (b"short", 0o600, "64 hexadecimal digits"),
     (b"0" * 5000, 0o600, "too long")],
)  # fmt: skip
def test_a_key_that_will_not_do(tmp_path: Path, content: bytes, mode: int, said: str) -> None:
    path = tmp_path / "k"
    path.write_bytes(content)
    os.chmod(path, mode)
    with pytest.raises(InputError, match=said):
        KeyFile(path).key()
    assert path.read_bytes() == content


def test_another_column_another_pseudonym() -> None:
    assert pseudonym("1", "a", b"k" * 32) != pseudonym("1", "b", b"k" * 32)
    assert pseudonym("Zo\u0065\u0301", "a", b"k" * 32) == pseudonym("Zo\u00e9", "a", b"k" * 32)


def test_pseudonyms_that_join_rows_of_a_person_are_refused(tmp_path: Path) -> None:
    """Both classes have two rows, but only one person was in both."""
    with pytest.raises(NotReachedError, match=r"4 rows are 3 people, and 3 of them"):
        released(tmp_path, "A", "B", "A", "C")


def test_a_refused_release_leaves_no_key_behind(tmp_path: Path) -> None:
    with pytest.raises(NotReachedError):
        released(tmp_path, "A", "B", "A", "C")
    assert not (tmp_path / "pseudonyms.key").exists()
    released(tmp_path, "A", "B", "A", "B")
    assert (tmp_path / "pseudonyms.key").stat().st_mode & 0o777 == 0o600


def test_rows_of_people_who_share_all_of_them_are_published(tmp_path: Path) -> None:
    assert released(tmp_path, "A", "B", "A", "B").table.height == 4


def test_the_verifier_refuses_raw_identifiers() -> None:
    frame = pl.DataFrame({"id": ["A1", "f" * 32], "age": ["1", "1"]})
    with pytest.raises(NotReachedError, match="would publish identifiers of 'id'"):
        verify_pseudonyms(frame, ["age"], "id", pl.Series(["A1", "A2"]), (), 2)
    with pytest.raises(NotReachedError, match="would publish identifiers of 'id'"):
        verify_pseudonyms(frame, ["age"], "id", pl.Series(["f" * 32]), (), 2)


def test_only_identifiers_have_pseudonyms(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"role: identifier, identifier": "role: other, identifier"}
    with pytest.raises(InputError, match="identifier: pseudonym is for identifiers"):
        anonymize(project(tmp_path, **changes), rows(*IDS))
