"""One browser tab: its messages, and the application in a process of its own."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

LONGEST_MESSAGE = 1_000_000
"""The most characters of a message: enough to paste a page of text."""
_WIDTHS, _HEIGHTS = (1, 500), (1, 200)
"""Larger screens are not drawn: every cell costs memory in the session's process."""


def read_message(text: str) -> tuple[str, Any] | None:
    """Return the kind and content of a message; None for one that our page does not send.

    `stdin` holds a text, `resize` a width and a height that can be drawn, `ping` a text that is
    sent back, `focus` and `blur` nothing.
    """
    if len(text) > LONGEST_MESSAGE:
        return None
    try:
        match json.loads(text):
            case ["stdin" | "ping" as kind, str(value)]:
                return kind, value
            case ["resize", {"width": int(width), "height": int(height)}]:
                return "resize", clamped_size(width, height)
            case ["focus" | "blur" as kind]:
                return kind, None
    except (ValueError, RecursionError):  # no JSON, an endless number, or lists nested too deep
        return None
    return None


def clamped_size(width: int, height: int) -> tuple[int, int]:
    """Return the nearest size that can be drawn."""
    return within(width, *_WIDTHS), within(height, *_HEIGHTS)


def within(value: int, least: int, most: int) -> int:
    """Return the nearest number within a range."""
    return max(least, min(most, value))


_SECONDS_TO_END = 5.0
_READY = b"__GANGLION__\n"
_LINES_BEFORE = 10
"""The most lines that are printed before the application is ready."""


class Session:
    """A session that passes input to the application and its drawing to the browser.

    The two speak in packets: a letter for the kind, four bytes for the length, and the content.
    """

    def __init__(self, websocket: web.WebSocketResponse, arguments: Sequence[str]) -> None:
        self._websocket = websocket
        self._arguments = arguments
        self._process: asyncio.subprocess.Process | None = None
        self._drawing: asyncio.Task[None] | None = None
        self.ending = False

    async def start(self, width: int, height: int) -> None:
        """Start the application.

        In a process group of its own: Ctrl-C reaches the server, which ends its sessions. What it
        has to say when it cannot start stands where the server says such things.
        """
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "kanon_tui", *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **_surroundings(width, height)},
            process_group=0,
        )  # fmt: skip
        self._drawing = asyncio.create_task(self._draw())

    async def listen(self) -> None:
        """Pass messages of the page to the application; an unknown message ends the session."""
        async for message in self._websocket:
            read = read_message(message.data) if message.type is WSMsgType.TEXT else None
            match read:
                case ("stdin", text):
                    await self._send(b"D", text.encode("utf-8", "replace"))
                case ("ping", text):
                    await self._websocket.send_json(["pong", text])
                case ("resize", (width, height)):
                    await self._send_meta(type="resize", width=width, height=height)
                case ("focus" | "blur" as kind, _):
                    await self._send_meta(type=kind)
                case _:
                    return

    async def _draw(self) -> None:
        """Pass on what the application draws; close the page when it ends."""
        assert self._process is not None
        assert self._process.stdout is not None
        output = self._process.stdout
        with suppress(asyncio.IncompleteReadError, ValueError, OSError):
            for _ in range(_LINES_BEFORE):
                if await output.readline() == _READY:
                    break
            while True:
                kind = await output.readexactly(1)
                content = await output.readexactly(int.from_bytes(await output.readexactly(4)))
                if kind == b"D":
                    with suppress(OSError, RuntimeError):  # the tab is closed
                        await self._websocket.send_bytes(content)
                elif kind == b"M" and json.loads(content).get("type") == "exit":
                    break
        await self._websocket.close()

    async def _send_meta(self, **what: Any) -> None:
        await self._send(b"M", json.dumps(what).encode())

    async def _send(self, kind: bytes, content: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError, RuntimeError):  # the application has ended meanwhile
            self._process.stdin.write(kind + len(content).to_bytes(4) + content)
            await self._process.stdin.drain()

    async def stop(self) -> None:
        """Ask the application to end, then make sure that no process of it is left."""
        if self._process is None or self.ending:
            return
        self.ending = True
        await self._send_meta(type="quit")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _SECONDS_TO_END)
        with suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        await self._process.wait()
        if self._drawing is not None:
            self._drawing.cancel()
            await asyncio.wait([self._drawing])


def _surroundings(width: int, height: int) -> dict[str, str]:
    return {
        "TEXTUAL_DRIVER": "kanon_tui.web.driver:SessionDriver",
        "TEXTUAL_FPS": "60",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "COLORTERM": "truecolor",  # a browser has all colours, whatever terminal started the server
        "TERM_PROGRAM": "textual",
        "COLUMNS": str(width),
        "ROWS": str(height),
    }
