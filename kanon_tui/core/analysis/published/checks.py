"""Refusing attributes that a table does not have or that are never published."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task

__all__ = ["check_column", "check_published"]


def check_column(name: str, columns: Iterable[str], where: str) -> None:
    """Refuse a name that is none of the columns of a table."""
    if name not in columns:
        raise InputError(f"{where} has no column '{name}'; {suggestion(name, columns)}")


def check_published(
    task: Task, release: Table, name: str, release_name: str, advice: str = "choose another"
) -> None:
    """Refuse an attribute that is not in the data, is an identifier or is not in the release."""
    check_column(name, task.roles, "the data")
    role = task.roles[name]
    if not role.published:
        what = "an identifier" if role is Role.IDENTIFIER else "whose record it is"
        raise InputError(f"'{name}' is {what}, which is never published; {advice}")
    check_column(name, release.names, release_name)
