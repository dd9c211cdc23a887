"""The message of a pane of records: what there is to say of the cell under its cursor."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text
from textual.message import Message

__all__ = ["Described"]


@dataclass
class Described(Message):
    """A line about the cell under the cursor."""

    text: Text
