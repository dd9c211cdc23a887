"""Tables on other machines, as the command line names them: `s3://bucket/people.csv`, `https://…`.

Only what a user types is opened over the network; no project can name such a place. What is read
is kept in a file for its owner alone until the command ends, and a release is sent when it has been
verified and written here. Objects of `s3://`, `gs://` and `az://` go through Polars, which takes
credentials from the environment; it reads and writes text in UTF-8, Parquet and Arrow.
"""

import shutil
import urllib.error
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import polars as pl

from kanon_tui.core.addresses import without_secrets
from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.table.atomic_files import writing_errors
from kanon_tui.core.table.formats import PARQUET

WEB = ("http", "https")
_SENT_ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
_PATIENCE = 60.0
"""Seconds that a web server may be silent."""
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY",
}


def remote_name(address: str) -> str:
    """Return the last part of an address's path, the name of the file: `people.csv`."""
    return unquote(PurePosixPath(urlsplit(address).path).name).replace("/", "_") or "table"


def fetch(address: str, folder: Path) -> Path:
    """Return a file in a folder with what an address names."""
    place = folder / remote_name(address)
    with writing_errors(place, others=False):
        if urlsplit(address).scheme.lower() in WEB:
            _fetch_from_web(address, place)
        else:
            _fetch_object(address, place)
    return place


def _fetch_from_web(address: str, place: Path) -> None:
    shown = without_secrets(address)
    try:
        with (
            urllib.request.urlopen(address, timeout=_PATIENCE) as answer,
            open(place, "wb") as file,
        ):
            if address.lower().startswith("https:") and not answer.url.startswith("https:"):
                raise InputError(f"{shown} leads to a place without encryption; it is not read")
            shutil.copyfileobj(answer, file)
            promised = answer.headers.get("Content-Length")
    except urllib.error.HTTPError as error:
        raise InputError(
            f"{shown}: the server answers {error.code} ({error.reason}); check the address, and "
            "that it needs no login"
        ) from None
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError):
        raise InfrastructureError(
            f"{shown}: the server does not answer; check the address, or try again"
        ) from None
    except InputError:
        raise
    except ValueError:
        raise InputError(
            f"{shown} is no address of a file; write https://host/people.csv"
        ) from None
    if promised is not None and place.stat().st_size != int(promised):
        raise InfrastructureError(f"{shown}: the answer was cut short; try again")


def _fetch_object(address: str, place: Path) -> None:
    with _object_errors(address, "read"):
        ending = place.suffix.lower()
        if ending in PARQUET.endings:
            pl.scan_parquet(address, glob=False).sink_parquet(place)
        elif ending in (".feather", ".arrow", ".ipc"):
            pl.scan_ipc(address, glob=False).sink_ipc(place)
        else:
            _copy_lines(address, str(place))


def _copy_lines(source: str, target: str) -> None:
    """Copy a text in UTF-8 line by line, whatever it holds."""
    lines = pl.scan_lines(source, glob=False)
    lines.sink_csv(target, include_header=False, quote_style="never", check_extension=False)


def check_remote_target(address: str, force: bool) -> None:
    """Refuse a place that a release cannot be sent to, before any work is done."""
    shown = without_secrets(address)
    scheme = urlsplit(address).scheme.lower()
    if scheme in WEB:
        raise InputError(
            f"{shown}: releases are not sent to web servers; write a file, or name s3://, gs:// or "
            "az://"
        )
    if remote_ending(address) not in _SENT_ENDINGS:
        raise InputError(
            f"{shown}: releases go to {scheme}:// as {', '.join(_SENT_ENDINGS)}; name one of "
            "these endings, or write a file and copy it there"
        )
    if not force and _exists(address):
        raise InputError(f"{shown} exists and is kept; use --force to replace it or name another")


def remote_ending(address: str) -> str:
    """Return the ending of the file that an address names."""
    return PurePosixPath(remote_name(address)).suffix.lower()


def _exists(address: str) -> bool:
    with _object_errors(address, "looked at"):
        try:
            pl.scan_lines(address, glob=False).head(1).collect()
        except FileNotFoundError:
            return False
        except pl.exceptions.ComputeError:  # it is no text
            return True
    return True


def upload(release: Path, address: str) -> None:
    """Send a finished release, and read it back."""
    if release.suffix != ".parquet" and b"\r" in release.read_bytes():
        raise InputError(
            f"{without_secrets(address)}: texts are sent with line feeds alone, and this release "
            "has carriage returns; write output: {line_ends: lf}, send .parquet, or write a file"
        )
    with _object_errors(address, "written"):
        if release.suffix == ".parquet":
            pl.scan_parquet(release).sink_parquet(address)
            same = pl.read_parquet(release).equals(pl.read_parquet(address))
        else:
            _copy_lines(str(release), address)
            sent = pl.scan_lines(address, glob=False).collect()
            same = pl.scan_lines(release, glob=False).collect().equals(sent)
    if not same:
        raise InfrastructureError(
            f"{without_secrets(address)} does not read back as it was written; try again with "
            "--force"
        )


@contextmanager
def _object_errors(address: str, done: str) -> Iterator[None]:
    """Turn what Polars says of an object store into a sentence without its words."""
    shown = without_secrets(address)
    try:
        with warnings.catch_warnings():  # of Polars, about a region that is not set
            warnings.simplefilter("ignore")
            yield
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such object or bucket; check the address") from None
    except pl.exceptions.ComputeError as error:
        if "utf8" not in str(error).replace("-", ""):
            raise _not_done(address, done) from None
        raise InputError(
            f"{shown} is no text in UTF-8; there, text in UTF-8, Parquet and Arrow files with "
            "their endings are read: copy it here and name the file"
        ) from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise _not_done(address, done) from None


def _not_done(address: str, done: str) -> InfrastructureError:
    scheme = urlsplit(address).scheme.lower()
    return InfrastructureError(
        f"{without_secrets(address)} could not be {done}; check the address, the network, and the "
        f"credentials in the environment ({_CREDENTIALS[scheme]})"
    )
