"""`kanon-tui serve`, as a browser meets it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from kanon_tui.web import server as server_module
from tests.commands.command_line import ENVIRONMENT, PATIENCE, kanon_process, said, wait_until


@contextmanager
def serving(
    folder: Path, *arguments: str, command: Sequence[str] = (sys.executable, "-m", "kanon_tui")
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    with subprocess.Popen(
        [*command, "serve", "--port", "0", *arguments],
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
            found = re.search(r"http://\S+:\d+/\?token=\S+", said)
            assert found, said
            yield server, found[0]
        finally:
            server.kill()


@pytest_asyncio.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    limit = aiohttp.ClientTimeout(total=PATIENCE)
    cookies = aiohttp.CookieJar(unsafe=True)  # like a browser, also from an address of numbers
    async with aiohttp.ClientSession(timeout=limit, cookie_jar=cookies) as session:
        yield session


async def entered(browser: aiohttp.ClientSession, address: str) -> str:
    """Open the printed address; gives the address of the page that it leads to."""
    async with browser.get(address) as answer:
        assert answer.status == 200
        return str(answer.url)


async def shown(tab: aiohttp.ClientWebSocketResponse, what: bytes) -> bytes:
    """Read what the application draws until `what` was on the screen."""
    drawn = b""
    async with asyncio.timeout(PATIENCE):
        while what not in drawn:
            drawn += await tab.receive_bytes()
    return drawn


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
        page = await entered(browser, address)
        async with browser.ws_connect(page + "ws?width=100&height=30") as tab:
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
        page = await entered(browser, address)
        async with browser.ws_connect(page + "ws") as first:
            async with browser.ws_connect(page + "ws") as second:
                await shown(first, b"people.csv")
                await shown(second, b"people.csv")
                assert len(children(server.pid)) == 2
            wait_until(lambda: len(children(server.pid)) == 1)
            await first.send_str('["stdin", "\\u0011"]')  # ctrl+q
            async for _ in first:
                pass
        wait_until(lambda: not children(server.pid))
        await entered(browser, address)


async def test_a_message_that_is_not_our_pages_ends_the_session_only(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    messages = ("no json", "[" * 100_000, '["stdin", "' + "x" * 2_000_000 + '"]')
    with serving(here) as (server, address):
        page = await entered(browser, address)
        for message in messages:
            async with browser.ws_connect(page + "ws") as tab:
                await tab.send_str(message)
                async for _ in tab:
                    pass
        async with browser.ws_connect(page + "ws") as tab:
            await tab.send_bytes(b"no text")
            async for _ in tab:
                pass
        wait_until(lambda: not children(server.pid))
        server.send_signal(signal.SIGTERM)
        out, errors = server.communicate(timeout=PATIENCE)
        assert (server.returncode, out, errors) == (0, "", "")


async def test_a_screen_without_end_is_drawn_as_one_that_can_be(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (_, address):
        page = await entered(browser, address)
        async with browser.ws_connect(page + "ws?width=99999999&height=99999999") as tab:
            drawn = await shown(tab, b"people.csv")
            assert b"\x1b[200;" in drawn
            for size in ('{"width": 9999999, "height": -5}', '{"width": 80, "height": 24}'):
                await tab.send_str(f'["resize", {size}]')
            await tab.send_str('["stdin", "2"]')
            drawn += await shown(tab, b"role")
            assert b"\x1b[201;" not in drawn


async def test_nobody_gets_anything_without_the_token(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (server, address):
        page = await entered(browser, address)
        start, _, token = address.partition("?token=")
        folder = page.removeprefix(start)
        assert len(token) >= 32
        stranger = aiohttp.ClientSession()
        async with stranger:
            for path in ("", "ws", "static/js/textual.js", folder, f"{folder}ws",
                         f"{folder}static/js/textual.js", f"{folder}keyboard.js",
                         f"?token={token[:-1]}", f"?token={token}x", "?token=%ff%00",
                         "static/", "nowhere"):  # fmt: skip
                async with stranger.get(start + path) as answer:
                    assert answer.status == 403, path
                    assert token not in await answer.text()
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await stranger.ws_connect(page + "ws")
            assert refused.value.status == 403
        assert children(server.pid) == []
        async with browser.get(f"{page}static/js/textual.js") as answer:
            assert answer.status == 200


async def test_the_token_stays_out_of_pages_titles_referrers_and_logs(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (server, address):
        token = address.partition("?token=")[2]
        async with browser.get(address, allow_redirects=False) as first:
            assert first.status == 303
            cookie = first.headers["Set-Cookie"]
            inside = first.headers["Location"]
        assert token not in inside + cookie
        assert {"HttpOnly", "SameSite=Strict", f"Path={inside}"} <= set(cookie.split("; "))
        page = await entered(browser, address)
        for answered in (page, page + "static/js/textual.js", page + "nowhere", address + "x"):
            async with browser.get(answered) as answer:
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert answer.headers["Cache-Control"] == "no-store"
                assert token not in await answer.text()
        async with browser.ws_connect(page + "ws") as tab:
            await shown(tab, b"people.csv")
            [session] = children(server.pid)
            assert token.encode() not in Path(f"/proc/{session}/environ").read_bytes()
        with socket.create_connection(("127.0.0.1", _port(address))) as link:
            link.sendall(f"G\x01T /?token={token} HTTP/9.9\r\n\r\n".encode())
            while link.recv(1000):
                pass
        server.send_signal(signal.SIGINT)
        assert server.communicate(timeout=PATIENCE) == ("", "")


async def test_no_more_sessions_than_asked_for_and_a_page_that_says_so(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml", "--sessions", "1") as (server, address):
        page = await entered(browser, address)
        async with browser.ws_connect(page + "ws") as only:
            await shown(only, b"people.csv")
            async with browser.get(page) as answer:
                assert answer.status == 503
                assert "There are 1 sessions" not in await answer.text()
                assert "one session" in await answer.text()
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await browser.ws_connect(page + "ws")
            assert refused.value.status == 503
            assert len(children(server.pid)) == 1
        wait_until(lambda: not children(server.pid))
        async with browser.ws_connect(page + "ws") as next_one:
            await shown(next_one, b"people.csv")


async def test_sessions_end_when_the_server_is_killed(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (server, address):
        page = await entered(browser, address)
        async with browser.ws_connect(page + "ws") as tab:
            await shown(tab, b"people.csv")
            await tab.send_str('["stdin", "2"]')
            await shown(tab, b"role")
            [session] = children(server.pid)
            server.kill()
            wait_until(lambda: not runs(session))


async def test_connections_that_ask_nothing_or_answer_nothing_are_closed(
    here: Path, browser: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "SECONDS_TO_ASK", 0.2)
    monkeypatch.setattr(server_module, "SECONDS_IDLE", 0.2)
    listening = socket.create_server(("127.0.0.1", 0))
    end = asyncio.Event()
    server = server_module.KanonServer(None, only_this_machine=True, most_sessions=1)
    serving = asyncio.create_task(server.serve(listening, end))
    port = listening.getsockname()[1]
    token = server.access.entry_path.partition("=")[2]
    folder = server.access.folder
    upgrade = (
        f"GET {folder}ws?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    for request in ("", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT", upgrade):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request.encode())
        await asyncio.wait_for(reader.read(), PATIENCE)  # to the end: the server closes it
        writer.close()
    end.set()
    await serving


async def test_the_page_fetches_nothing_from_elsewhere_and_names_no_file(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (_, address):
        async with browser.get(address) as answer:
            folder = str(answer.url)
            page = await answer.text()
            policy = answer.headers["Content-Security-Policy"]
        socket_address = folder.replace("http:", "ws:") + "ws"
        assert re.findall(r"\w+://[^\"']+", page) == [socket_address]
        assert policy.startswith("default-src 'self'; ")
        assert set(re.findall(r"\w+://[^\s;]+", policy)) == {socket_address}
        assert "<title>Kanon</title>" in page
        assert "p.yaml" not in page
        assert str(here) not in page
        needed = re.findall(r"(?:src|href)=\"(\w[^\":]+)\"|url\(\"([^\"]+)", page)
        assert len(needed) == 5
        for path in needed:
            async with browser.get(folder + "".join(path)) as answer:
                assert answer.status == 200


async def test_other_pages_of_the_same_browser_are_refused(
    here: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(here, "p.yaml") as (server, address):
        page = await entered(browser, address)
        own = address.partition("/?")[0]
        foreign = (
            {"Origin": "http://elsewhere.example"},
            {"Origin": "null"},
            {"Origin": own.replace("127.0.0.1", "localhost")},
            {"Host": f"elsewhere.example:{_port(address)}"},
            {"Host": "elsewhere.example", "Origin": "http://elsewhere.example"},
        )
        for headers in foreign:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await browser.ws_connect(page + "ws", headers=headers)
            assert refused.value.status == 403
        assert children(server.pid) == []
        async with browser.ws_connect(page + "ws", headers={"Origin": own}) as tab:
            await shown(tab, b"people.csv")


def test_another_host_is_warned_about(here: Path) -> None:
    with serving(here, "--host", "0.0.0.0") as (server, address):
        assert address.startswith("http://0.0.0.0:")
        wait_until(lambda: _answers(address))
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    assert len(errors.splitlines()) == 1
    assert "who reaches port" in errors
    assert "sees the data" in errors


@pytest.mark.parametrize("host", ["a;script-src *", "a, b", "a'b", '"><script>', "[::1"])
def test_a_host_that_is_none_reaches_no_header(here: Path, host: str) -> None:
    with serving(here, "--host", "0.0.0.0") as (_, address):
        wait_until(lambda: _answers(address))
        with socket.create_connection(("127.0.0.1", _port(address)), timeout=PATIENCE) as link:
            link.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: link.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 400")
        assert b"script" not in answer.lower()


def _answers(address: str) -> bool:
    with socket.create_connection(("127.0.0.1", _port(address)), timeout=PATIENCE) as link:
        link.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return link.recv(20).startswith(b"HTTP/1.")


def _port(address: str) -> int:
    return int(address.partition("/?")[0].rpartition(":")[2])


def test_a_port_that_is_taken_is_one_sentence(here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = kanon_process("serve", "p.yaml", "--port", port, folder=here)
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
        (["p.yaml", "--sessions", "0"], "'0' is not a whole number of at least 1"),
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
