"""The server behind `kanon-tui serve`: a page, the files it needs, and one session per tab.

The terminal in the page is textual-serve's. The rest is held to what a table of people needs:

- Only who has the printed address gets anything (`Access`). The address holds a random token. The
  first visit trades it for a cookie and is redirected to a page whose address has none, so that the
  token stays out of titles, bookmarks and referrers. Cookies ignore ports: one for all of 127.0.0.1
  would be sent to every other server on this machine, so ours belongs to a path nobody can guess.
- Only its own page may talk to it. Browsers let any web page open a websocket to 127.0.0.1, so a
  page that happens to be open in another tab could drive the application and read the table.
- The page takes everything from this server, and a content security policy has the browser
  refuse the rest.
- There are only so many sessions. Each ends with its tab, with the server, and when nobody answers.
"""

import asyncio
import hmac
import html
import ipaddress
import logging
import re
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web

from kanon_tui.web.session import LONGEST_MESSAGE, Session, clamped_size, within

_FOLDER = Path(__file__).parent
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one: its terminal was closed
_FONT_SIZES = (6, 60)
SECONDS_TO_ASK = 10.0
"""Seconds a connection may be open without a request."""
SECONDS_IDLE = 15.0
"""Seconds a connection stays open for the next request, and between pings of a tab."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?")


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the address or name."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class KanonServer:
    """A server of the application, opened on `file`, for a few browser tabs."""

    def __init__(self, file: Path | None, only_this_machine: bool, most_sessions: int) -> None:
        self._arguments = [] if file is None else [str(file.resolve())]
        self._only_this_machine = only_this_machine
        self._most_sessions = most_sessions
        self.access = Access()
        self._sessions: set[Session] = set()
        self._silent: set[web.RequestHandler] = set()
        """Connections without a request so far."""

    def run(self, listening: socket.socket) -> None:
        """Serve until a signal asks to end."""
        asyncio.run(self._run(listening))

    async def _run(self, listening: socket.socket) -> None:
        end = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in _SIGNALS:
            with suppress(AttributeError, NotImplementedError):  # not on every system
                loop.add_signal_handler(getattr(signal, name), end.set)
        await self.serve(listening, end)

    async def serve(self, listening: socket.socket, end: asyncio.Event) -> None:
        """Serve until `end` is set. Nothing is logged: requests hold the token."""
        logging.getLogger("aiohttp").addHandler(logging.NullHandler())
        logging.getLogger("aiohttp").propagate = False
        runner = web.AppRunner(
            self._application(), access_log=None, shutdown_timeout=1,
            keepalive_timeout=SECONDS_IDLE,
        )  # fmt: skip
        await runner.setup()
        loop = asyncio.get_running_loop()

        def connected() -> asyncio.Protocol:
            assert runner.server is not None
            protocol = runner.server()
            self._silent.add(protocol)
            loop.call_later(SECONDS_TO_ASK, self._close_if_silent, protocol)
            return protocol

        open_server = await loop.create_server(connected, sock=listening)
        try:
            await end.wait()
        finally:
            open_server.close()
            await runner.cleanup()

    def _close_if_silent(self, protocol: web.RequestHandler) -> None:
        if protocol in self._silent:
            self._silent.discard(protocol)
            protocol.force_close()

    def _application(self) -> web.Application:
        app = web.Application(middlewares=[self._check_access])
        files = find_spec("textual_serve")
        assert files is not None
        assert files.origin is not None
        inside = self.access.folder
        app.add_routes(
            [
                web.get("/", self.access.redirect),
                web.get(inside, self._page),
                web.get(f"{inside}ws", self._tab),
                web.get(f"{inside}keyboard.js", self._keyboard),
                web.static(f"{inside}static", Path(files.origin).with_name("static")),
            ]
        )
        app.on_response_prepare.append(_add_privacy_headers)
        app.on_shutdown.append(self._end_sessions)
        return app

    async def _end_sessions(self, app: web.Application) -> None:
        await asyncio.gather(*(session.stop() for session in self._sessions))

    # -- access

    @web.middleware
    async def _check_access(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests of other pages, and requests without the secret of the printed address.

        The Origin header names the page of another site. A site whose name was made to point to
        this machine (DNS rebinding) has the right origin, but not a name of this machine.
        """
        self._silent.discard(request.protocol)
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="Only Kanon's own page may ask for this.")
        if not _HOST.fullmatch(request.host):  # it is quoted in the page and its policy
            raise web.HTTPBadRequest(text="The Host header names no host.")
        name = urlsplit(f"//{request.host}").hostname or ""
        if self._only_this_machine and not is_loopback(name):
            raise web.HTTPForbidden(text="Open Kanon at 127.0.0.1 or localhost.")
        if not self.access.is_known(request):
            return _notice(
                403,
                "Open the whole address that kanon-tui serve printed, with its token. It changes "
                "with every start.",
                link="Try again",
            )
        return await handler(request)

    # -- pages

    async def _page(self, request: web.Request) -> web.Response:
        if self._is_full():
            return _notice(
                503,
                f"{self._sessions_allowed()} as many as this server opens (kanon-tui serve "
                f"--sessions N). Close a tab first.",
                link="Try again",
            )
        websocket = f"ws://{request.host}{self.access.folder}ws"
        size = within(_number(request, "fontsize", 16), *_FONT_SIZES)
        page = (_FOLDER / "page.html").read_text(encoding="utf-8")
        page = page.replace("{websocket}", html.escape(websocket))
        page = page.replace("{font_size}", str(size))
        policy = (
            f"default-src 'self'; connect-src 'self' {websocket}; img-src 'self' data:; "
            "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
        )
        return web.Response(
            text=page, content_type="text/html", headers={"Content-Security-Policy": policy}
        )

    async def _keyboard(self, request: web.Request) -> web.StreamResponse:
        return web.FileResponse(_FOLDER / "keyboard.js")

    async def _tab(self, request: web.Request) -> web.StreamResponse:
        """Serve one session, from the opening of a tab to its end."""
        if self._is_full():  # it filled up after the page was sent
            raise web.HTTPServiceUnavailable(text="There are as many sessions as may be.")
        websocket = web.WebSocketResponse(
            heartbeat=SECONDS_IDLE, timeout=1, max_msg_size=LONGEST_MESSAGE
        )
        session = Session(websocket, self._arguments)
        self._sessions.add(session)
        try:
            await websocket.prepare(request)
            await session.start(
                *clamped_size(_number(request, "width", 80), _number(request, "height", 24))
            )
            await session.listen()
        finally:
            await session.stop()
            self._sessions.discard(session)
        await websocket.close()
        return websocket

    def _sessions_allowed(self) -> str:
        many = self._most_sessions
        return "There is one session open," if many == 1 else f"There are {many} sessions open,"

    def _is_full(self) -> bool:
        return sum(not session.ending for session in self._sessions) >= self._most_sessions


async def _add_privacy_headers(request: web.Request, answer: web.StreamResponse) -> None:
    """Add headers to every response: send no referrer, keep no copy."""
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    answer.headers["Cache-Control"] = "no-store"


def _notice(status: int, text: str, link: str) -> web.Response:
    """Return a page with a sentence; its link requests the same address again."""
    page = (_FOLDER / "notice.html").read_text(encoding="utf-8")
    page = page.replace("{text}", html.escape(text)).replace("{link}", html.escape(link))
    policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    headers = {"Content-Security-Policy": policy}
    return web.Response(status=status, text=page, content_type="text/html", headers=headers)


def _number(request: web.Request, name: str, otherwise: int) -> int:
    try:
        return int(request.query.get(name, ""))
    except ValueError:
        return otherwise


_COOKIE = "kanon"


class Access:
    """The secrets of one server, new at every start."""

    def __init__(self) -> None:
        self._token = secrets.token_urlsafe(24)
        self._cookie = secrets.token_urlsafe(24)
        self.folder = f"/{secrets.token_urlsafe(12)}/"
        """The path below which everything is served."""

    @property
    def entry_path(self) -> str:
        """The part of the printed address after host and port."""
        return f"/?token={self._token}"

    def is_known(self, request: web.Request) -> bool:
        """Return whether the request has the cookie or the token."""
        cookie = request.cookies.get(_COOKIE, "")
        token = request.query.get("token", "")
        return _same(cookie, self._cookie) or _same(token, self._token)

    async def redirect(self, request: web.Request) -> web.Response:
        """Return the redirection from the printed address to the page, with the cookie."""
        answer = web.Response(status=303, headers={"Location": self.folder})
        answer.set_cookie(_COOKIE, self._cookie, path=self.folder, httponly=True, samesite="Strict")
        return answer


def _same(given: str, secret: str) -> bool:
    """Return whether two texts are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())
