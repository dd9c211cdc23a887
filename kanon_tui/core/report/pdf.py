"""A document as PDF, by fpdf2; the same document gives the same bytes.

The fonts that every PDF reader has know Latin letters only. So FiraGO (Latin, Greek, Cyrillic and
more), Cascadia Mono and Noto Symbols are embedded, from the package pymupdf-fonts. A character that
none of them has, or that runs from right to left, is printed as □, and a sentence says so.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import bidirectional

import pymupdf_fonts
from fpdf import FPDF
from fpdf.fonts import FontFace, TTFFont

from kanon_tui.core.report.sections import FOOTER, Document, Section
from kanon_tui.core.text import visible, visible_lines

_FONTS = (("text", "", "figo"), ("text", "B", "figbo"), ("mono", "", "cascadia"),
          ("symbols", "", "symbol2"))  # fmt: skip
_SOFT = (91, 102, 117)
_LINE = (200, 208, 216)
_FILL = (31, 95, 174)


class _Pages(FPDF):
    """A4 pages with a footer, and text in fonts that know most scripts."""

    def __init__(self, fonts: Path) -> None:
        super().__init__(format="A4")
        self.set_creation_date(datetime.fromtimestamp(0, UTC))
        self.set_lang("en")
        self.set_margins(18, 16)
        self.set_auto_page_break(True, 20)
        self.known: dict[str, set[int]] = {"": {0x0A}, "B": {0x0A}}
        """The characters by style; bold text has no other font to fall back to."""
        self.unknown: set[str] = set()
        for family, style, name in _FONTS:
            file = fonts / f"{name}.ttf"
            file.write_bytes(pymupdf_fonts.fontbuffers[name]())
            self.add_font(family, style, file)
            font = self.fonts[family + style]
            assert isinstance(font, TTFFont)
            self.known[style] |= set(font.cmap)
        self.set_fallback_fonts(["symbols", "mono"])
        self.add_page()

    def footer(self) -> None:
        """Print a line and the number of the page."""
        self.set_y(-14)
        self.use("text", 7, color=_SOFT)
        self.cell(self.epw / 2, 5, FOOTER)
        self.cell(self.epw / 2, 5, f"{self.page_no()} / {{nb}}", align="R")

    def use(
        self, family: str, size: float, style: str = "", color: tuple[int, int, int] = (0, 0, 0)
    ) -> None:
        """Set font, size and colour of the text that follows."""
        self.set_font(family, style, size)
        self.set_text_color(*color)

    def printable(self, text: str, style: str = "") -> str:
        """Return a text in which what no font of a style has is a box."""
        drawable = self.known[style]
        lacking = {
            character for character in visible_lines(text)
            if ord(character) not in drawable or bidirectional(character) in ("R", "AL")
        }  # fmt: skip
        self.unknown |= lacking
        return visible_lines(text).translate({ord(character): "□" for character in lacking})

    def lines(self, text: str, height: float = 4.8) -> None:
        """Print a text over the width of the page."""
        shown = self.printable(text, self.font_style)
        self.multi_cell(0, height, shown, align="L", new_x="LMARGIN", new_y="NEXT")


def pdf(document: Document) -> bytes:
    """Return a document as the bytes of a PDF file."""
    with TemporaryDirectory() as folder:
        pages = _Pages(Path(folder))
        pages.set_title(visible(document.title))
        pages.use("text", 18, "B")
        pages.lines(document.title, 9)
        if document.warning:
            pages.set_subject(visible(document.warning))
            pages.use("text", 10, "B")
            pages.lines(document.warning, 6)
        pages.use("text", 10, color=_SOFT)
        pages.lines(document.lead, 6)
        _tiles(pages, document.tiles)
        for section in document.sections:
            _section(pages, section)
        if pages.unknown:
            pages.use("text", 8, color=_SOFT)
            pages.ln(4)
            count = f"{len(pages.unknown):,} different characters that this file cannot print are □"
            pages.lines(f"{count}; the report as .html has them.")
        return bytes(pages.output())


def _tiles(pages: _Pages, tiles: Sequence[tuple[str, str]]) -> None:
    """Print the figures to see first in boxes side by side."""
    if not tiles:
        return
    width = pages.epw / len(tiles)
    top = pages.get_y() + 2
    pages.set_draw_color(*_LINE)
    for place, (name, value) in enumerate(tiles):
        x = pages.l_margin + place * width
        pages.rect(x, top, width - 2, 15, round_corners=True, corner_radius=1.5)
        for y, size, style, text in ((2, 13, "B", value), (9, 8, "", name)):
            pages.set_xy(x, top + y)
            pages.use("text", size, style, (0, 0, 0) if style else _SOFT)
            pages.cell(width - 2, 5, pages.printable(text, style), align="C")
    pages.set_xy(pages.l_margin, top + 17)


def _section(pages: _Pages, section: Section) -> None:
    if section.new_page or pages.will_page_break(30):
        pages.add_page()
    pages.ln(4)
    pages.use("text", 12, "B", _FILL)
    pages.lines(section.title, 7)
    pages.use("text", 9)
    for paragraph in section.paragraphs:
        pages.lines(paragraph)
        pages.ln(1)
    if section.rows:
        _table(pages, section)
    for picture in section.pictures:
        pages.use("text", 9, "B")
        pages.lines(picture.title)
        _table(pages, picture)
    pages.use("text", 9)
    for item in section.items:
        pages.lines(f"•  {item}")
    if section.command:
        pages.use("mono", 8)
        pages.lines(section.command)


def _table(pages: _Pages, section: Section) -> None:
    pages.use("text", 8)
    pages.set_draw_color(*_LINE)
    pages.set_fill_color(255, 255, 255)
    if pages.will_page_break(25):
        pages.add_page()
    texts = [[pages.printable(str(cell)) for cell in row] for row in section.rows]
    heads = [pages.printable(head) for head in section.columns]
    with pages.table(
        col_widths=_widths(pages, [heads, *texts]), borders_layout="HORIZONTAL_LINES",
        headings_style=FontFace(emphasis="", color=_FILL), line_height=4.2, text_align="LEFT",
        v_align="TOP", padding=(0.9, 2, 0.9, 0),
    ) as table:  # fmt: skip
        table.row(heads)
        for row in texts:
            table.row(row, min_height=None if any(row[1:]) else 12)
    pages.ln(1)


def _widths(pages: _Pages, rows: Sequence[Sequence[str]]) -> tuple[float, ...]:
    """Return widths that keep words whole and give long texts the room that is left."""
    columns = list(zip(*rows, strict=True))
    if not any(cell for row in rows[1:] for cell in row[1:]):  # lines to sign
        return (pages.epw / len(columns),) * len(columns)
    least = [
        min(pages.epw / 2, max(pages.get_string_width(word) for cell in column
                               for word in ["", *cell.split()]) * 1.08 + 3)
        for column in columns
    ]  # fmt: skip
    wishes = [
        max(least[x], max(min(pages.get_string_width(cell) + 3, 120) for cell in column))
        for x, column in enumerate(columns)
    ]
    room = pages.epw - sum(least)
    more = sum(wishes) - sum(least)
    share = room / more if more else 0.0
    widths = [low + (high - low) * share for low, high in zip(least, wishes, strict=True)]
    return tuple(widths) if room > 0 else tuple(least)
