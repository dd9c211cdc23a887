"""Open the application in a web browser, on this machine unless told otherwise."""

import argparse
import errno
import os
import socket
from pathlib import Path

from kanon_tui.commands.output import show, warn
from kanon_tui.commands.readers import LAST_PORT
from kanon_tui.core.editing.session import open_session
from kanon_tui.core.errors import InputError
from kanon_tui.core.optional import require


def execute(args: argparse.Namespace) -> None:
    """Check the file, take the port, and serve until Ctrl-C."""
    for module in ("textual", "aiohttp", "textual_serve"):
        require(module, "the application in a browser")
    if args.file is not None:
        _check_file(args.file)
    listening = _listen(args.host, args.port)
    with listening:
        from kanon_tui.web.server import KanonServer, is_loopback

        address, port = listening.getsockname()[:2]
        only_here = is_loopback(address)
        if not only_here:
            warn(
                f"warning: who reaches port {port} of this machine and has the address below sees "
                f"the data and can change files, and nothing is encrypted on the way; "
                f"--host 127.0.0.1 keeps it to this machine"
            )
        server = KanonServer(args.file, only_here, args.sessions)
        shown = f"[{args.host}]" if ":" in args.host else args.host
        show(f"Kanon is at http://{shown}:{port}{server.access.entry_path} (Ctrl-C ends it)")
        server.run(listening)


def _check_file(file: Path) -> None:
    """Refuse a file that no session could open."""
    if not os.path.exists(file):
        raise InputError(f"{file} does not exist; name a data file or a project")
    open_session(file)


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; a port that is taken is refused before anything starts."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server((str(address[0]), port), family=family)
    except (socket.gaierror, UnicodeError):
        raise InputError(
            f"--host: '{host}' is not an address of this machine; use 127.0.0.1"
        ) from None
    except OSError as error:
        raise InputError(_listen_problem(error, host, port)) from None


def _listen_problem(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"--port: {port} is taken; name another, or 0 for any that is free"
    if error.errno == errno.EACCES:
        return f"--port: {port} needs more rights than you have; name one of 1024 to {LAST_PORT}"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"--host: '{host}' is not an address of this machine; use 127.0.0.1"
    return f"--host {host} --port {port}: cannot listen there ({error.strerror}); name another"
