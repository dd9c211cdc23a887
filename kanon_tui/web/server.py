"""The server behind `kanon-tui serve`: textual-serve, held to what a table of people needs.

Every browser tab gets the application in a process of its own, which ends with the tab or with
the server. Three things are done differently from textual-serve:

- The page is ours. Theirs fetches a font from another company's host; ours takes everything from
  this server, and a content security policy has the browser refuse the rest.
- Only its own page may talk to it. Browsers let any web page open a websocket to 127.0.0.1, so a
  page that happens to be open in another tab could drive the application and read the table.
- A session that does not end when asked is ended, with every process it started.
"""

from __future__ import annotations

import asyncio
import html
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

__all__ = ["KanonServer", "is_loopback", "serve"]

_PAGE = Path(__file__).with_name("page.html")
_SECONDS_TO_END = 5.0
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one: its terminal was closed

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def serve(file: Path | None, listening: socket.socket) -> None:
    """Serve the application, opened on `file`, until a signal asks to end."""
    asyncio.run(_serve(KanonServer(file, is_loopback(listening.getsockname()[0])), listening))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address or name."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _serve(server: KanonServer, listening: socket.socket) -> None:
    end = asyncio.Event()
    for name in _SIGNALS:
        with suppress(AttributeError, NotImplementedError):  # not on every system
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), end.set)
    runner = web.AppRunner(await server._make_app(), access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        await end.wait()
    finally:
        await runner.cleanup()


class KanonServer(Server):
    """Serves the page, its static files, and one session per websocket."""

    def __init__(self, file: Path | None, only_this_machine: bool) -> None:
        super().__init__("kanon-tui", title="Kanon")
        self._arguments = [] if file is None else [str(file.resolve())]
        self._only_this_machine = only_this_machine
        self._sessions: set[_Session] = set()

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._refuse_other_pages)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing: the command has said where it listens."""

    async def on_shutdown(self, app: web.Application) -> None:
        """End all sessions."""
        await asyncio.gather(*(session.stop() for session in self._sessions))

    @web.middleware
    async def _refuse_other_pages(
        self, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Answer our own page only.

        A page of another site gives itself away by its origin. One whose name was made to point
        to this machine has the right origin, but not a name of this machine.
        """
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="Only Kanon's own page may ask for this.")
        name = urlsplit(f"//{request.host}").hostname or ""
        if self._only_this_machine and not is_loopback(name):
            raise web.HTTPForbidden(text="Open Kanon at 127.0.0.1 or localhost.")
        return await handler(request)

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page; all it fetches comes from this server."""
        websocket = f"ws://{request.host}/ws"
        page = _PAGE.read_text(encoding="utf-8")
        page = page.replace("{websocket}", html.escape(websocket))
        page = page.replace("{font_size}", str(to_int(request.query.get("fontsize", ""), 16)))
        policy = (
            f"default-src 'self'; connect-src 'self' {websocket}; img-src 'self' data:; "
            "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
        )
        headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
        return web.Response(text=page, content_type="text/html", headers=headers)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One session, from the opening of a tab to its end."""
        websocket = web.WebSocketResponse(heartbeat=15, timeout=1)
        await websocket.prepare(request)
        session = _Session(self, websocket, self._arguments)
        self._sessions.add(session)
        try:
            await session.start(
                to_int(request.query.get("width", ""), 80),
                to_int(request.query.get("height", ""), 24),
            )
            # What is not a message of our page ends the session like a closed tab.
            with suppress(ValueError, TypeError, LookupError, AttributeError, AssertionError):
                await self._process_messages(websocket, session)
        finally:
            await session.stop()
            self._sessions.discard(session)
        await websocket.close()
        return websocket


class _Session(AppService):
    """The application in a process of its own, and whatever processes it starts."""

    def __init__(
        self, server: KanonServer, websocket: web.WebSocketResponse, arguments: list[str]
    ) -> None:
        super().__init__(
            "kanon-tui",
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=websocket.close,  # type: ignore[arg-type]  # its answer is of no interest
            download_manager=server.download_manager,
        )
        self._arguments = arguments
        self._stopping = False

    async def _open_app_process(
        self, width: int = 80, height: int = 24
    ) -> asyncio.subprocess.Process:
        """In a process group of its own: Ctrl-C reaches the server, which ends its sessions."""
        colours = {"COLORTERM": "truecolor"}  # a browser has them, whatever terminal started us
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "kanon_tui", *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**self._build_environment(width, height), **colours},
            process_group=0,
        )  # fmt: skip
        self._stdin = self._process.stdin
        return self._process

    async def run(self) -> None:
        """Pass on what the application shows; when it ends, so does the page."""
        await super().run()
        await self.remote_close()

    async def stop(self) -> None:
        """Ask the application to end, then make sure that nothing of it is left."""
        if self._process is None or self._stopping:
            return
        self._stopping = True
        ending = asyncio.create_task(super().stop())
        await asyncio.wait([ending], timeout=_SECONDS_TO_END)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await ending
        await self._process.wait()
