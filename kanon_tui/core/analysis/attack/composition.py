"""Composition: two releases of the same people, joined (`two_releases`)."""

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.two_releases import two_releases
from kanon_tui.core.errors import InputError


def attack(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people who keep fewer than k candidates beside an earlier release."""
    if attacked.earlier is None:
        raise InputError("composition needs an earlier release of the same people; name its file")
    found = two_releases(
        attacked.project,
        attacked.task,
        attacked.release,
        attacked.earlier,
        attacked.name,
        check=attacked.check,
    )
    return [
        AttackResult(
            "composition",
            "Composition with an earlier release",
            found.people,
            found.below_k,
            sentences=(
                f"Together the two releases leave {found.below_k:,} {found.counted} fewer than k = "
                f"{found.k:,} candidates, and {found.unique:,} exactly one.",
            ),
            remedy="generalise the new release further (run --earlier FILE --repair)",
        )
    ]
