"""What the Data screen says of a file and of one of its columns."""

from __future__ import annotations

from rich.text import Text

from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.table.profile import ColumnProfile
from kanon_tui.core.text import visible
from kanon_tui.widgets.drawing import bar, sparkline

__all__ = ["facts_line", "profile_lines"]


def facts_line(session: Session, counting: str = "") -> str:
    """`10,000 records × 12 columns · csv, comma, utf-8, header · 37 missing cells`.

    `counting` says how far the counting of a table beyond memory is.
    """
    table, facts = session.table, session.table.facts
    about = "about " if isinstance(table, SampledTable) and not table.exact else ""
    parts = [f"{about}{table.height:,} records × {len(table.names)} columns"]
    if facts is not None:
        reading: list[str] = [facts.format]
        if facts.compression:
            reading.append(facts.compression)
        if facts.part is not None:
            word = "sheet" if facts.format == "excel" else "table"
            more = f" of {len(facts.parts)}" if len(facts.parts) > 1 else ""
            reading.append(f"{word} {visible(facts.part)}{more}")
        if facts.csv is not None:
            names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
            reading.append(names.get(str(facts.delimiter), f"delimiter {facts.delimiter!r}"))
            reading.append(str(facts.encoding))
        if facts.header is not None:
            reading.append("header" if facts.header else "no header")
        parts.append(", ".join(reading))
        if facts.bytes:  # none is known of a database on a server
            parts.append(size_text(facts.bytes))
    missing = sum(table.missing_cells().values())
    of_sample = f" in a sample of {session.records.height:,}" if session.uncounted() else ""
    parts.append((f"{missing:,} missing cells" if missing else "no missing cells") + of_sample)
    if counting:
        parts.append(counting)
    return " · ".join(parts)


def size_text(size: int) -> str:
    """A file size as people say it."""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def profile_lines(made: ColumnProfile, tall: bool, width: int) -> list[Text]:
    """The profile, one fact a line where there is room, else in a few dense lines."""
    share = made.unique / made.records if made.records else 0
    unique = f"{made.unique:,} occur once" + (f" ({share:.0%} of records)" if made.unique else "")
    facts = [made.kind, f"{made.distinct:,} distinct", f"{made.missing:,} missing", unique]
    lines = [Text(fact) for fact in facts] if tall else [Text(" · ".join(facts))]
    if made.histogram:
        lines += [
            Text(sparkline(made.histogram, width - 2), "bold"),
            Text(visible(f"{made.lowest} … {made.highest}")),
        ]
    most = max((count for _, count in made.top), default=1)
    label = min(max([len(visible(v)) for v, _ in made.top], default=1), width - 16)
    for value, count in made.top[: 8 if tall else 3 if not made.histogram else 1]:
        line = Text(f"{visible(value)[:label]:<{label}} ", no_wrap=True)
        line.append(bar(count / most, max(width - label - 10, 4)), "dim")
        line.append(f" {count:,}")
        lines.append(line)
    return lines
