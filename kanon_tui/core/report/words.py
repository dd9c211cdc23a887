"""The technical words of a dossier, explained for readers from outside the field (`words.md`)."""

import re
from collections.abc import Sequence
from pathlib import Path

from kanon_tui.core.report.sections import Section


def words_section(sections: Sequence[Section]) -> Section:
    """Return those of the words that the sections use, each with its meaning."""
    text = "\n".join(each for section in sections for each in section.texts)
    words = Path(__file__).with_name("words.md").read_text(encoding="utf-8")
    rows = [
        (word, meaning)
        for word, meaning in re.findall(r"^- \*\*(.+)\*\*: (.+)$", words, re.MULTILINE)
        if re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
    ]
    return Section("Words", (), ("Word", "Meaning"), rows)
