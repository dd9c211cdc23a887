"""Which Dask scheduler a run may be sent to, and how the two ends prove who they are.

Client, scheduler and workers of Dask execute what the others send them. Whoever can connect to one
of them, or takes the place of the scheduler, runs code as the user of the run.
"""

from __future__ import annotations

from typing import Any

from kanon_tui.core.errors import InputError

__all__ = ["check_scheduler", "check_trusted", "client_security", "is_encrypted"]


def is_encrypted(scheduler: str) -> bool:
    """Return whether both ends of this address show certificates; no protocol means `tcp://`."""
    return scheduler.startswith("tls://")


def check_trusted(scheduler: str | None, trust: bool) -> None:
    """Refuse a scheduler that the project names unless whoever starts the run trusts it."""
    if scheduler is not None and not trust:
        raise InputError(
            f"the project sends the run to the scheduler {scheduler}, which can read the data and "
            "run code as you; add --trust if you know it, or take run.scheduler out of the project"
        )


def check_scheduler(scheduler: str | None, insecure: bool) -> None:
    """Refuse a scheduler without TLS unless the command line allows it."""
    if scheduler is not None and not is_encrypted(scheduler) and not insecure:
        problem = (
            f"the scheduler {scheduler} is reached without TLS: whoever reaches it or takes its "
            "place can read the data and run code as you; name a tls:// address"
        )
        raise InputError(
            f"{problem}, or add --insecure if nobody else is on the way",
            f"{problem}, or run it with kanon-tui run --insecure if nobody else is on the way",
        )


def client_security(scheduler: str) -> Any:
    """Return what a client of this scheduler proves itself with, as Dask's settings have it."""
    import distributed

    if not is_encrypted(scheduler):
        return None
    security: Any = getattr(distributed, "Security")(require_encryption=True)  # noqa: B009
    remedy = (
        "name the files in Dask's settings (distributed.comm.tls.ca-file, client.cert and "
        "client.key; see docs/scale.md)"
    )
    try:
        context = security.get_connection_args("client")["ssl_context"]
    except OSError as error:
        raise InputError(
            f"a certificate or key for {scheduler} cannot be read ({type(error).__name__}); "
            f"{remedy}"
        ) from None
    if context is None:
        raise InputError(f"{scheduler} needs a certificate of this program; {remedy}")
    return security
