"""A report as a file: JSON, Markdown, and HTML (one page: no scripts, nothing loaded, printable).

PDF is written by `pdf`.
"""

import html as markup
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.optional import require
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.sections import FOOTER, Bar, Document, Section
from kanon_tui.core.report.story import public_mapping, story
from kanon_tui.core.text import joined, json_text, visible, visible_lines


def markdown(document: Document) -> str:
    """Return a document as Markdown."""
    figures = " · ".join(f"{name} {value}" for name, value in document.tiles)
    parts = [f"# {escaped_markdown(document.title)}"]
    if document.warning:
        parts.append(f"**{escaped_markdown(document.warning)}**")
    parts.append(escaped_markdown(document.lead))
    parts += [escaped_markdown(figures)] if figures else []
    for section in document.sections:
        parts.append(f"## {escaped_markdown(section.title)}")
        parts.extend(escaped_markdown(paragraph) for paragraph in section.paragraphs)
        if section.rows:
            parts.append(_table(section))
        for picture in section.pictures:
            parts += [f"**{escaped_markdown(picture.title)}**", _table(picture)]
        for listing in section.listings:
            parts += [f"**{escaped_markdown(listing.title)}**", _code("\n".join(listing.lines))]
        if section.items:
            parts.append("\n".join(f"- {escaped_markdown(item)}" for item in section.items))
        if section.command:
            parts.append(_code(visible(section.command)))
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    lines = [
        "| " + " | ".join(escaped_markdown(name) for name in section.columns) + " |",
        "|" + "---|" * len(section.columns),
    ]
    cells = ([escaped_markdown(str(cell)) for cell in row] for row in section.rows)
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in cells)])


def _code(text: str) -> str:
    """Return a code block with a fence that the text cannot close."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{visible_lines(text)}\n{fence}"


_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_{}[]<>|#~&"})


def escaped_markdown(text: str) -> str:
    """Return a text in which nothing is read as Markdown."""
    return visible(text).translate(_SPECIAL)


def html(document: Document) -> str:
    """Return a document as a self-contained HTML page."""
    tiles = [f"<li><b>{value}</b>{escaped(name)}</li>" for name, value in document.tiles]
    body = [
        f"<header><h1>{escaped(document.title)}</h1>",
        *_warning_html(document.warning),
        f'<p class="lead">{escaped(document.lead)}</p>',
        *(['<ul class="tiles">', *tiles, "</ul>"] if tiles else []),
        "</header>",
        "<main>",
        *(section_html(section) for section in document.sections),
        "</main>",
        f"<footer>{FOOTER}</footer>",
    ]
    return page(document.title, Path(__file__).with_name("report.css"), body)


def _warning_html(warning: str) -> list[str]:
    if not warning:
        return []
    return [f'<p class="warning"><strong>{escaped(warning)}</strong></p>']


def page(title: str, style: Path, body: Iterable[str]) -> str:
    """Return a self-contained HTML page with the style sheet in a file.

    It is light or dark as its reader's browser asks for.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{style.read_text('utf-8')}</style>\n"
        "</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def escaped(text: str) -> str:
    """Return a text escaped for HTML content and attributes."""
    return markup.escape(visible(text))


def escaped_lines(lines: Iterable[str]) -> str:
    """Return lines escaped for HTML, each on a line of its own."""
    return "\n".join(map(escaped, lines))


def section_html(section: Section) -> str:
    """Return a section of a report as HTML."""
    name = re.sub(r"[^a-z]+", "-", section.title.casefold()).strip("-")
    long = ' class="long"' if section.new_page else ""
    parts = [f'<section id="{name}"{long}><h2>{escaped(section.title)}</h2>']
    parts += [f"<p>{escaped(paragraph)}</p>" for paragraph in section.paragraphs]
    if section.rows:
        parts.append(_table_html(section))
    if section.pictures:
        drawn = (
            f"<figure><figcaption>{escaped(picture.title)}</figcaption>{_table_html(picture)}</figure>"
            for picture in section.pictures
        )
        parts.append(f'<div class="pictures">{"".join(drawn)}</div>')
    for listing in section.listings:
        text = escaped_lines(listing.lines)
        parts.append(f"<h3>{escaped(listing.title)}</h3><pre><code>{text}</code></pre>")
    if section.items:
        items = "".join(f"<li>{escaped(item)}</li>" for item in section.items)
        parts.append(f"<ul>{items}</ul>")
    if section.command:
        parts.append(f"<pre><code>{escaped(section.command)}</code></pre>")
    return "\n".join([*parts, "</section>"])


def _table_html(section: Section) -> str:
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in section.columns)
    rows = "\n".join("<tr>" + "".join(map(_cell_html, row)) + "</tr>" for row in section.rows)
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n'
        "</tbody></table></div>"
    )


def _cell_html(cell: str | Bar) -> str:
    if isinstance(cell, Bar):
        return (
            f'<td class="bar"><span class="track"><i style="width:{cell.share:.1%}"></i></span>'
            f"{escaped(cell.text)}</td>"
        )
    is_figure = cell.replace(",", "").replace(".", "").isdigit() or cell == "–"
    return f'<td class="figure">{escaped(cell)}</td>' if is_figure else f"<td>{escaped(cell)}</td>"


DOCUMENT_ENDINGS = (".pdf", ".html", ".md")
REPORT_ENDINGS = (".json", *DOCUMENT_ENDINGS)


def document_bytes(document: Document, path: Path) -> bytes:
    """Return a document in the format of a file name's ending."""
    match path.suffix.lower():
        case ".md":
            return markdown(document).encode()
        case ".html":
            return html(document).encode()
        case ".pdf":
            for library in ("fpdf", "pymupdf_fonts"):
                require(library, "writing a PDF", path.name)
            from kanon_tui.core.report.pdf import pdf

            return pdf(document)
    raise InputError(f"{path}: reports end in {joined(REPORT_ENDINGS, 'or')}")


def report_bytes(
    result: FinishedRun, path: Path, evidence: Sequence[Section] = (), public: bool | None = None
) -> bytes:
    """Return the report in the format of a file name's ending.

    `evidence` are sections on risks, attacks and utility. `public` leaves out whatever depends on
    the input; None does so in HTML.
    """
    if path.suffix.lower() == ".json":
        figures = public_mapping(result) if public else report_mapping(result)
        if evidence and not public:
            figures["evidence"] = [section_figures(section) for section in evidence]
            figures["internal"] = [*figures["internal"], "evidence"]
            figures["context"] = {} if result.project is None else asdict(result.project.context)
        return f"{json_text(figures)}\n".encode()
    return document_bytes(story(result, evidence, not is_dossier(path, public)), path)


def section_figures(section: Section) -> Mapping[str, Any]:
    """Return a section as plain data; what only a screen or a page draws is there if it has any."""
    figures = asdict(section)
    for drawn in ("curves", "listings"):
        if not figures[drawn]:
            del figures[drawn]
    return figures


def is_dossier(path: Path | None, public: bool | None) -> bool:
    """Return whether a report is a document for those who sign, with figures of the input."""
    if path is None or path.suffix.lower() not in DOCUMENT_ENDINGS:
        return False
    return is_internal(path, public)


def is_internal(path: Path, public: bool | None) -> bool:
    """Return whether a report has figures of the input, and is for its owner alone."""
    if public is None:
        return path.suffix.lower() != ".html"
    return not public
