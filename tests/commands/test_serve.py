"""`kanon-tui serve`, as a browser meets it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from tests.commands.command_line import ENVIRONMENT, PATIENCE, kanon, said, wait_until


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "kanon_tui", "serve", "--port", "0", *arguments],
        cwd=folder,
        env={**ENVIRONMENT, "XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            found = re.search(r"http://\S+:\d+/", said)
            assert found, said
            yield server, found[0]
        finally:
            server.kill()


@pytest_asyncio.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    limit = aiohttp.ClientTimeout(total=PATIENCE)
    async with aiohttp.ClientSession(timeout=limit) as session:
        yield session


async def shown(tab: aiohttp.ClientWebSocketResponse, what: bytes) -> None:
    """Read what the application draws until `what` was on the screen."""
    drawn = b""
    while what not in drawn:
        drawn += await tab.receive_bytes(timeout=PATIENCE)


def children(pid: int) -> list[int]:
    """Processes that `pid` started."""
    listed = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid="], text=True)
    return [int(a) for a, b in (line.split() for line in listed.splitlines()) if int(b) == pid]


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_tab_shows_the_file_and_ctrl_c_ends_server_and_sessions(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (server, address):
        assert address.startswith("http://127.0.0.1:")
        async with browser.ws_connect(address + "ws?width=100&height=30") as tab:
            await shown(tab, b"people.csv")
            [session] = children(server.pid)
            server.send_signal(signal.SIGINT)
            async for _ in tab:
                pass
        out, errors = server.communicate(timeout=PATIENCE)
        assert (server.returncode, out, errors) == (0, "", "")
        wait_until(lambda: not runs(session))


async def test_every_tab_is_a_session_that_ends_with_it(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "people.csv") as (server, address):
        async with browser.ws_connect(address + "ws") as first:
            async with browser.ws_connect(address + "ws") as second:
                await shown(first, b"people.csv")
                await shown(second, b"people.csv")
                assert len(children(server.pid)) == 2
            wait_until(lambda: len(children(server.pid)) == 1)
            await first.send_str('["stdin", "\\u0011"]')  # ctrl+q
            async for _ in first:
                pass
        wait_until(lambda: not children(server.pid))
        async with browser.get(address) as answer:
            assert answer.status == 200


async def test_a_message_that_is_not_our_pages_ends_the_session_only(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here) as (server, address):
        for message in ("no json", "{}", "[]", '["resize", 3]'):
            async with browser.ws_connect(address + "ws") as tab:
                await tab.send_str(message)
                async for _ in tab:
                    pass
        wait_until(lambda: not children(server.pid))
        server.send_signal(signal.SIGTERM)
        out, errors = server.communicate(timeout=PATIENCE)
        assert (server.returncode, out, errors) == (0, "", "")


async def test_the_page_fetches_nothing_from_elsewhere_and_names_no_file(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (_, address):
        async with browser.get(address) as answer:
            page = await answer.text()
            policy = answer.headers["Content-Security-Policy"]
        socket_address = address.replace("http:", "ws:") + "ws"
        assert re.findall(r"\w+://[^\"']+", page) == [socket_address]
        assert policy.startswith("default-src 'self'; ")
        assert set(re.findall(r"\w+://[^\s;]+", policy)) == {socket_address}
        assert "<title>Kanon</title>" in page
        assert "p.yaml" not in page
        assert str(here) not in page
        for path in re.findall(r"(?:src|href)=\"(/\w[^\"]+)|url\(\"([^\"]+)", page):
            async with browser.get(address.rstrip("/") + "".join(path)) as answer:
                assert answer.status == 200


async def test_other_pages_of_the_same_browser_are_refused(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    port = re.compile(r":(\d+)/")
    with serving(here, "p.yaml") as (server, address):
        own = address.rstrip("/")
        foreign = (
            {"Origin": "http://elsewhere.example"},
            {"Origin": "null"},
            {"Origin": own.replace("127.0.0.1", "localhost")},
            {"Host": f"elsewhere.example:{port.findall(address)[0]}"},
            {"Host": "elsewhere.example", "Origin": "http://elsewhere.example"},
        )
        for headers in foreign:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await browser.ws_connect(address + "ws", headers=headers)
            assert refused.value.status == 403
        assert children(server.pid) == []
        async with browser.ws_connect(address + "ws", headers={"Origin": own}) as tab:
            await shown(tab, b"people.csv")


def test_another_host_is_warned_about(here: Path) -> None:
    with serving(here, "--host", "0.0.0.0") as (server, address):
        assert address.startswith("http://0.0.0.0:")
        wait_until(lambda: _answers(address))
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    assert len(errors.splitlines()) == 1
    assert "anybody who reaches port" in errors
    assert "sees the data" in errors


def _answers(address: str) -> bool:
    host, port = address.removeprefix("http://").rstrip("/").rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as link:
        link.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return link.recv(20).startswith(b"HTTP/1.")


def test_a_port_that_is_taken_is_one_sentence(here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = kanon("serve", "p.yaml", "--port", port, folder=here)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"kanon-tui: --port: {port} is taken; name another, or 0 for any that is free\n"
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nowhere.csv"], "nowhere.csv does not exist; name a data file or a project"),
        (["empty.csv"], "empty.csv"),
        (["wrong.yaml"], "wrong.yaml: "),
        (["p.yaml", "--port", "65536"], "'65536' is not a port, a number of 0 to 65535"),
        (["p.yaml", "--port", "http"], "'http' is not a port"),
        (["p.yaml", "--host", "192.0.2.1"], "'192.0.2.1' is not an address of this machine"),
        (["p.yaml", "--host", "no host"], "'no host' is not an address of this machine"),
        (["p.yaml", "--prot", "1"], "unknown argument '--prot'; did you mean '--port'?"),
    ],
)
def test_serve_refuses_before_it_listens(
    arguments: list[str], why: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "empty.csv").write_text("")
    (here / "wrong.yaml").write_text("data: {path: people.csv}\nprivcy: {k: 2}\n")
    assert why in said("serve", *arguments, capsys=capsys)
