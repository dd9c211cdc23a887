"""Addresses, such as `postgresql://user:password@host/database`, which may hold secrets.

`without_secrets` is what every address goes through before it is shown: every error does, by
itself. Where a text is known to be the address of a database, `address_name` tells less still.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote, unquote_plus

HIDDEN = "…"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*)://")
_WELL_FORMED = re.compile(
    r"[A-Za-z][\w+.-]*://(?:[^@/?#]*@)?[\w.\[\]:-]*(?<!:)/(?P<database>[^@?#]*)(?:\?[^@]*)?"
)
_PORT_OR_NONE = re.compile(r"://(?:[^@/?#]*@)?[\w.-]*(?::\d*)?/")
_LOOKS_LIKE_ONE = re.compile(r"\w(?:[\w+.-]+:/{1,2}.*:.*|[\w+.-]*:?/{1,2}[^/]*:[^/]*)@", re.DOTALL)
_FILE = re.compile(
    r"(?:sqlite|duckdb)[\w+.-]*://(?P<path>[^?]*)(?:\?.*)?", re.DOTALL | re.IGNORECASE
)
_NAMED_FILE = re.compile(
    r"(?:sqlite|duckdb)(?:\+\w+)?:///(?:[^?#]*/)?(?P<name>[^/?#@:]+)(?:[?#].*)?",
    re.DOTALL | re.IGNORECASE,
)
"""The address of a database file; in place of its name no text with a colon or @ is shown."""
_END_OF_WORD = r"""(?=['")\];:,.]*(?:\s|$))"""
_USER = re.compile(
    r"""
    (?<![\w+.-]) (?P<start> [\w+.-]+ )
    (?: (?P<slashes> :// | (?<=[\w+.-]{2}):/ ) (?:
            \S{0,2000}@                                     # up to the last @ of a word
          | [^\s@/:]{0,500} :(?!\d+[\s/,;)'"]) (?:(?!://)[^@\n]){0,2000} @   # with spaces
          | [^\s@/:\[]{0,500} :(?!\d+(?:[\s/?,;:.)'"]|$)) \S{1,2000}?        # cut before its @
            """
    + _END_OF_WORD
    + r"""
        )
      | (?P<mistyped> :|//) [^\s/@]{0,500} : \S{0,2000}@    # slashes or colon are missing
    )
    """,
    re.VERBOSE,
)
_PARAMETERS = re.compile(
    r"(?<![\w+.-])([\w+.-]+:/[^\s?]{0,2000}\?)[^\s=]{0,500}=\S{0,2000}?" + _END_OF_WORD
)


def is_address(path: str) -> bool:
    """Return whether a text names a database rather than a file."""
    return _ADDRESS.match(path) is not None or _VARIABLE.match(path) is not None


REMOTE_FILES = ("s3", "gs", "az", "http", "https")
"""Schemes of files on other machines, which the command line alone may name."""


def is_remote_file(text: str) -> bool:
    """Return whether a text names a file of another machine, as `s3://bucket/people.csv` does."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and scheme.lower() in REMOTE_FILES


def variables_in(address: str) -> tuple[str, ...]:
    """Return the environment variables that an address names, as in `${PASSWORD}`."""
    return tuple(_VARIABLE.findall(address))


def with_variables(address: str, values: Mapping[str, str]) -> str:
    """Return an address with the values of its variables, all of which must be known.

    >>> with_variables("postgresql://ann:${PASSWORD}@host/clinic", {"PASSWORD": "a/b"})
    'postgresql://ann:a%2Fb@host/clinic'
    """
    if _VARIABLE.fullmatch(address):  # the whole address, written as it must be
        return values[address[2:-1]]
    return _VARIABLE.sub(lambda found: quote(values[found[1]], safe=""), address)


def misses_slashes(path: str) -> bool:
    """Return whether a text seems to be a mistyped connection string, which may hold a password."""
    return not is_address(path) and _LOOKS_LIKE_ONE.match(path) is not None


def address_name(address: str) -> str:
    """Return scheme and database of a connection string and nothing else: `postgresql-clinic`.

    >>> address_name("duckdb:////data/ann@home/clinic.duckdb#release")
    'duckdb-clinic.duckdb'
    """
    found = _ADDRESS.match(address)
    scheme = found[1].partition("+")[0] if found else "database"
    file = _NAMED_FILE.fullmatch(address)
    if file is not None:
        plain_name = re.sub(r"[^\w.-]", "_", file["name"])
        return f"{scheme}-{plain_name}"
    form = _WELL_FORMED.fullmatch(address)
    if form is None or _PORT_OR_NONE.search(address) is None:
        return f"{scheme}-database"
    database = form["database"].rstrip("/").rpartition("/")[2]
    return f"{scheme}-{re.sub(r'[^A-Za-z0-9_.-]', '_', database) or 'database'}"


def address_file(address: str) -> Path | None:
    """Return the file that `sqlite:///FILE` or `duckdb:///FILE` names; None for a server.

    As SQLAlchemy has it: three slashes before a path from the current folder, four before one from
    the root.
    """
    found = _FILE.fullmatch(address)
    return None if found is None else Path(found["path"].removeprefix("/"))


def without_secrets(text: str) -> str:
    """Return a text without user, password and parameters of the addresses in it.

    >>> without_secrets("no answer from postgresql://ann:secret@host/clinic?sslpassword=secret")
    'no answer from postgresql://…@host/clinic?…'
    """
    if "/" not in text and ":" not in text:
        return text
    return _PARAMETERS.sub(rf"\1{HIDDEN}", _USER.sub(_hidden_user, text))


def _hidden_user(found: re.Match[str]) -> str:
    at = "@" if found[0].endswith("@") else ""
    return f"{found['start']}{found['slashes'] or found['mistyped']}{HIDDEN}{at}"


def secrets_of(address: str) -> list[str]:
    """Return user, password and parameters of a connection string, as written and as meant."""
    rest = address.partition("://")[2]
    before, _, parameters = rest.partition("?")
    user, _, password = before.rpartition("@")[0].partition(":")
    values = [each.partition("=")[2] for each in parameters.split("&")]
    written = [user, password, rest, address, *values]
    meant = [text for each in written for text in (each, unquote(each), unquote_plus(each))]
    return sorted({each for each in meant if len(each) > 1}, key=len, reverse=True)
