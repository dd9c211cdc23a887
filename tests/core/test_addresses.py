"""Addresses are shown without their secrets, whatever was mistyped in them."""

from __future__ import annotations

import pytest

from kanon_tui.core.addresses import is_address, misses_slashes, without_secrets
from kanon_tui.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("'postgresql://ann:s3cret@host:5/db' is bad", "'postgresql://…@host:5/db' is bad"),
        ("postgresql+psycopg://s3cret@host/db", "postgresql+psycopg://…@host/db"),
        ("x://ann:s3/cret@s3cret@host", "x://…@host"),
        ("mysql://ann:s3 cret s3cret@host/db", "mysql://…@host/db"),
        ("postgresql:/ann:s3cret@host/.db.part: no", "postgresql:/…@host/.db.part: no"),
        ("postgresql//ann:s3cret@host", "postgresql//…@host"),
        ("postgresql:ann:s3cret@host", "postgresql:…@host"),
        ("--outpostgresql://ann:s3cret@host", "--outpostgresql://…@host"),
        ("postgresql://ann:s3cret…", "postgresql://…"),
        ("(postgresql://host/db?password=s3cret&a=s3cret);", "(postgresql://host/db?…);"),
        ("postgresql:/host/db?sslpassword=s3cret; no", "postgresql:/host/db?…; no"),
        ("a://u:s3cret@h and b://u:s3cret@h", "a://…@h and b://…@h"),
    ],
)
def test_what_is_hidden(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
    assert without_secrets(shown) == shown
    error = InputError(text, on_screen=text)
    assert (str(error), error.on_screen) == (shown, shown)


@pytest.mark.parametrize(
    "text",
    [
        "no scheduler answers at tcp://host:8786 (tls:// with TLS); ask ann@example.org",
        "write postgresql+psycopg://host/database or sqlite:////data/a.db",
        "C:/data/ann@home.csv and data/12:30@noon.csv: no such file",
        "http://[::1]:8000/ is open; see https://example.org/what?",
        "age: 30:40, name: ann@example.org",
    ],
)
def test_what_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text
    assert str(InputError(text)) == text


def test_an_address_with_a_slash_in_its_password_is_known_with_one_slash_lost() -> None:
    assert is_address("postgresql://ann:s3/cret@host")
    assert misses_slashes("postgresql:/ann:s3/cret@host")
    assert not misses_slashes("C:/data/12:30/ann@home.csv")
