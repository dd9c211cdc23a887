"""The dossier as PDF: the summary alone on its page, every script, the same bytes again."""

from __future__ import annotations

import re

from kanon_tui.core.report.sections import Bar, Document, Section


def pdf(document: Document) -> bytes:
    from kanon_tui.core.report import pdf  # its fonts are slow to import

    return pdf.pdf(document)


def pages(data: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", data))


def document(*sections: Section, lead: str = "lead") -> Document:
    return Document("Title", lead, [("k reached", "5")], sections)


def test_a_section_can_begin_a_page_and_the_file_is_the_same_again() -> None:
    first = Section("Summary", ["one"], ("Name", "Date", "Signature"), [("A. Roe", "", "")])
    drawn = Section("age", (), ("Group", "Release"), [("young", Bar(0.2, "20 %"))])
    shares = [("age", Bar(0.4, "0.4"))] * 3
    second = Section("Data", ["two"], ("Column", "Kept"), shares, ["item"], "command", [drawn] * 3)
    short = document(first, second)
    assert pages(pdf(short)) == 1
    broken = document(first, Section("Data", ["two"], new_page=True))
    assert pages(pdf(broken)) == 2
    assert pdf(short) == pdf(short)
    long = document(Section("Rows", (), ("Word",), [("word " * 60,)] * 60))
    assert pages(pdf(long)) > 2


def test_what_no_font_has_is_a_box_and_a_sentence_says_so() -> None:
    known = pdf(document(lead="Größe Ελλάδα Москва ✓ ☐ ≤ −"))
    other = pdf(document(lead="授業"))
    none = pdf(document(lead="lead"))
    assert len(known) > len(none)
    # The sentence about two characters is one line more; no font of them is embedded.
    assert len(other) > len(none)
    assert other == pdf(document(lead="漢字")) == pdf(document(lead="של"))
