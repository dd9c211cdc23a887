"""Who may talk to the server: whoever has the address that the command printed.

The address holds a random token. The first visit trades it for a cookie and is sent on to a page
whose address holds none, so that the token stays out of titles, bookmarks and what the browser
tells other sites. Cookies know no ports: one for all of 127.0.0.1 would be sent to every other
server on this machine, another user's too. Ours belongs to a path that nobody can guess.
"""

from __future__ import annotations

import hmac
import secrets

from aiohttp import web

__all__ = ["Access"]

_COOKIE = "kanon"


class Access:
    """The secrets of one server, new at every start."""

    def __init__(self) -> None:
        self._token = secrets.token_urlsafe(24)
        self._cookie = secrets.token_urlsafe(24)
        self.folder = f"/{secrets.token_urlsafe(12)}/"
        """Below it is everything that the server has to give."""

    @property
    def entrance(self) -> str:
        """The part of the printed address after host and port."""
        return f"/?token={self._token}"

    def is_known(self, request: web.Request) -> bool:
        """Return whether the request has the cookie or the token."""
        return _same(request.cookies.get(_COOKIE, ""), self._cookie) or self.has_token(request)

    def has_token(self, request: web.Request) -> bool:
        """Return whether the requested address holds the token."""
        return _same(request.query.get("token", ""), self._token)

    def send_in(self) -> web.Response:
        """Return the redirection from the printed address to the page, with the cookie."""
        answer = web.Response(status=303, headers={"Location": self.folder})
        answer.set_cookie(_COOKIE, self._cookie, path=self.folder, httponly=True, samesite="Strict")
        return answer


def _same(given: str, secret: str) -> bool:
    """Compare in a time that tells nothing of how much of it is right."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())
