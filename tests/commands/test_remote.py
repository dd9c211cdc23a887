"""Tables of web servers and object stores, named on the command line and nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from kanon_tui.core.table.writing import write_table
from tests.commands.command_line import kanon

ROLES = ["--quasi", "age,zip", "--sensitive", "flu", "-k", "2", "--algorithm", "mondrian"]


class Store(BaseHTTPRequestHandler):
    """Answers as a web server and as much of an object store as a table needs."""

    objects: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Send an object, or the part of it that is asked for."""
        path = self.path.partition("?")[0]
        self.asked.append(path)
        content = self.objects.get(path)
        if content is None:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        wanted = self.headers.get("Range")
        if wanted is None:
            self._answer(200, content)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        start = int(first) if first else max(len(content) - int(last), 0)
        end = min(int(last) + 1, len(content)) if first and last else len(content)
        self._answer(206, content[start:end], f"bytes {start}-{end - 1}/{len(content)}")

    do_HEAD = do_GET  # noqa: N815

    def do_PUT(self) -> None:
        """Take an object."""
        length = int(self.headers["Content-Length"])
        self.objects[self.path.partition("?")[0]] = self.rfile.read(length)
        self._answer(200, b"")

    def _answer(self, code: int, content: bytes, part: str = "") -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server with people.csv in the folder /bucket."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"http://127.0.0.1:{server.server_address[1]}"
    people = pl.read_csv(folder / "people.csv", infer_schema=False)
    write_table(folder / "people.parquet", people)
    write_table(folder / "people.xlsx", people)
    Store.asked.clear()
    Store.objects.clear()
    for name in ("people.csv", "people.parquet", "people.xlsx"):
        Store.objects[f"/bucket/{name}"] = (folder / name).read_bytes()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "someone", "AWS_SECRET_ACCESS_KEY": "s3cret", "AWS_REGION": "r",
        "AWS_ENDPOINT_URL": host, "AWS_ALLOW_HTTP": "true",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    yield host
    server.shutdown()
    server.server_close()


@pytest.fixture
def release(folder: Path) -> str:
    """The release that every way in and out has to give."""
    done = kanon("run", "people.csv", *ROLES, "-o", "r.csv", "-q", folder=folder)
    assert done.returncode == 0, done.stderr
    return (folder / "r.csv").read_text()


@pytest.mark.parametrize(
    "place",
    ["WEB/people.csv", "WEB/people.parquet", "WEB/people.xlsx", "s3://bucket/people.csv",
     "s3://bucket/people.parquet"],
)  # fmt: skip
def test_a_table_is_read_where_the_command_line_names_it(
    place: str, store: str, folder: Path, release: str
) -> None:
    address = place.replace("WEB", f"{store}/bucket")
    done = kanon("run", address, *ROLES, "-o", "-", folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == release


def test_parameters_of_an_address_are_never_shown(store: str, folder: Path) -> None:
    signed = f"{store}/bucket/people.csv?signature=s3cret"
    done = kanon("run", signed, *ROLES, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "people.csv: " in done.stdout
    missing = kanon("run", f"{store}/none.csv?signature=s3cret", *ROLES, folder=folder)
    assert missing.returncode == 2
    assert "the server answers 404" in missing.stderr
    assert "s3cret" not in done.stdout + done.stderr + missing.stdout + missing.stderr
    assert missing.stderr.count("\n") == 1


def test_a_release_is_sent_whole_and_replaces_nothing_unasked(
    store: str, folder: Path, release: str
) -> None:
    assert store
    command = ("run", "people.csv", *ROLES, "-q", "-o", "s3://bucket/release.csv")
    done = kanon(*command, folder=folder)
    assert done.returncode == 0, done.stderr
    assert Store.objects["/bucket/release.csv"].decode() == release
    kept = kanon(*command, folder=folder)
    assert kept.returncode == 2
    assert "exists and is kept" in kept.stderr
    assert kanon(*command, "-f", folder=folder).returncode == 0
    checked = kanon("check", "s3://bucket/release.csv", "--quasi", "age,zip", "-k", "2",
                    folder=folder)  # fmt: skip
    assert checked.returncode == 0, checked.stderr
    (folder / "dos.csv").write_bytes((folder / "people.csv").read_bytes().replace(b"\n", b"\r\n"))
    dos = kanon("run", "dos.csv", *command[2:-1], "s3://bucket/dos.csv", folder=folder)
    assert dos.returncode == 2
    assert "line_ends: lf" in dos.stderr
    assert "/bucket/dos.csv" not in Store.objects
    to_web = kanon(*command[:-1], f"{store}/bucket/r.csv", folder=folder)
    assert to_web.returncode == 2
    assert "releases are not sent to web servers" in to_web.stderr
    as_excel = kanon(*command[:-1], "s3://bucket/r.xlsx", folder=folder)
    assert as_excel.returncode == 2
    assert "name one of these endings" in as_excel.stderr


def test_what_is_not_there_or_no_text_is_one_sentence(store: str, folder: Path) -> None:
    assert store
    for name, words in (("none.csv", "no such object"), ("people.xlsx", "no text in UTF-8")):
        done = kanon("run", f"s3://bucket/{name}", *ROLES, folder=folder)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("place", ["WEB/people.csv", "s3://bucket/people.csv"])
def test_a_project_cannot_name_another_machine(place: str, store: str, folder: Path) -> None:
    address = place.replace("WEB", f"{store}/bucket")
    project = f"data: {{path: '{address}'}}\nattributes: {{age: {{role: quasi}}}}\n"
    (folder / "far.yaml").write_text(project)
    for flags in ((), ("--trust",)):
        done = kanon("run", "far.yaml", "-k", "2", *flags, folder=folder)
        assert done.returncode == 2
        assert "which a project may not" in done.stderr
    assert Store.asked == []
