"""Coded pseudonyms: HMAC-SHA256 of an identifier under a secret key.

The pseudonym of a value is the first 32 hexadecimal digits (128 bits) of HMAC-SHA256(key, column
name, 0, value), the value in Unicode's composed form (NFC) without spaces around it. Capitals
count: `A12` and `a12` may be two people, and joining two people is worse than parting one. The name
of the column belongs to it, so that equal numbers in two columns do not meet. Two of n values get
the same pseudonym with a chance of about n²/2¹²⁹, for a milliard people one in 10²⁰; it is looked
for all the same. A missing value stays missing.

Without a key nobody can try values: a plain hash of a social security number is undone by hashing
all of them. Who has the key can, which makes it as worth protecting as the identifiers. It is made
once by the operating system's randomness, readable by its owner alone, and never written over.

Reference: RFC 2104; NIST FIPS 198-1; ENISA, Pseudonymisation techniques and best practices (2019).
"""

import hmac
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import has_owners, is_ours, read_bytes

DIGITS = 32
_KEY = re.compile(rb"[0-9a-f]{64}\s*")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass
class KeyFile:
    """The file with the key. A new key is kept in memory until there is a release made with it."""

    path: Path
    _new: bytes | None = field(default=None, compare=False, repr=False)

    def key(self) -> bytes:
        """Return the key of the file, or a new one where there is no file."""
        try:
            return self._new or self._read()
        except FileNotFoundError:
            self._new = secrets.token_bytes(32)
            return self._new
        except OSError as error:
            raise self._unusable(error.strerror or "it failed") from None

    def keep(self) -> None:
        """Write a new key: the release that was made with it has been proven."""
        if self._new is not None:
            self._write(self._new)
            self._new = None

    def _read(self) -> bytes:
        status = os.stat(self.path)
        mode = status.st_mode
        if not stat.S_ISREG(mode):
            raise self._unusable("it is not an ordinary file")
        if not (is_ours(status) or status.st_uid == 0):
            raise self._unusable("it belongs to another user, who knows the key and can change it")
        if has_owners() and mode & _OTHERS:
            raise InputError(
                f"{self.path}: others may read this key file; 'chmod 600 {self.path.name}' keeps "
                f"it to its owner. Who has the key can undo pseudonyms"
            )
        content = read_bytes(self.path, 1000, self._unusable("it is too long for a key"))
        if not _KEY.fullmatch(content):
            raise self._unusable("it does not hold 64 hexadecimal digits")
        return bytes.fromhex(content.decode("ascii"))

    def _write(self, key: bytes) -> None:
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(key.hex().encode("ascii") + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            raise self._unusable("another run has made it meanwhile; run again") from None
        except OSError as error:
            raise self._unusable(error.strerror or "it failed") from None

    def _unusable(self, why: str) -> InputError:
        return InputError(
            f"{self.path}: the key of the pseudonyms cannot be used: {why}; name another file "
            f"with output: {{pseudonym_key: FILE}}"
        )


def pseudonym(value: str, column: str, key: bytes) -> str:
    """Return the pseudonym of one value of a column."""
    composed = unicodedata.normalize("NFC", value).strip()
    message = unicodedata.normalize("NFC", column).encode() + b"\0" + composed.encode()
    return hmac.digest(key, message, "sha256").hex()[:DIGITS]


def pseudonym_column(texts: pl.Series, key: bytes, missing_tokens: Sequence[str]) -> pl.Series:
    """Return a column of identifiers as pseudonyms; missing tokens stay as they are."""
    distinct = texts.unique().to_list()
    made = {
        text: text if text in missing_tokens else pseudonym(text, texts.name, key)
        for text in distinct
    }
    people = {unicodedata.normalize("NFC", text).strip() for text in distinct} - {
        unicodedata.normalize("NFC", token).strip() for token in missing_tokens
    }
    coded = {made[text] for text in distinct if text not in missing_tokens}
    if len(coded) < len(people):
        raise InputError(f"{texts.name}: two people would share a pseudonym; use another key")
    return texts.replace_strict(list(made), list(made.values()), return_dtype=pl.String)
