"""The report as one HTML file: no scripts, nothing loaded, light and dark, printable."""

import html as markup
import re
from collections.abc import Iterable
from pathlib import Path

from kanon_tui.core.report.sections import Bar, Document, Section
from kanon_tui.core.text import visible


def html(document: Document) -> str:
    """Return a document as a self-contained HTML page."""
    tiles = [f"<li><b>{value}</b>{escaped(name)}</li>" for name, value in document.tiles]
    body = [
        f"<header><h1>{escaped(document.title)}</h1>",
        f'<p class="lead">{escaped(document.lead)}</p>',
        *(['<ul class="tiles">', *tiles, "</ul>"] if tiles else []),
        "</header>",
        "<main>",
        *(section_html(section) for section in document.sections),
        "</main>",
        f"<footer>{FOOTER}</footer>",
    ]
    return page(document.title, Path(__file__).with_name("report.css"), body)


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


def section_html(section: Section) -> str:
    """Return a section of a report as HTML."""
    name = re.sub(r"[^a-z]+", "-", section.title.casefold()).strip("-")
    long = ' class="long"' if section.new_page else ""
    parts = [f'<section id="{name}"{long}><h2>{escaped(section.title)}</h2>']
    parts += [f"<p>{escaped(paragraph)}</p>" for paragraph in section.paragraphs]
    if section.rows:
        parts.append(_table(section))
    if section.pictures:
        drawn = (
            f"<figure><figcaption>{escaped(each.title)}</figcaption>{_table(each)}</figure>"
            for each in section.pictures
        )
        parts.append(f'<div class="pictures">{"".join(drawn)}</div>')
    if section.items:
        items = "".join(f"<li>{escaped(item)}</li>" for item in section.items)
        parts.append(f"<ul>{items}</ul>")
    if section.command:
        parts.append(f"<pre><code>{escaped(section.command)}</code></pre>")
    return "\n".join([*parts, "</section>"])


def _table(section: Section) -> str:
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in section.columns)
    rows = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in section.rows)
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n'
        "</tbody></table></div>"
    )


def _cell(cell: str | Bar) -> str:
    if isinstance(cell, Bar):
        return (
            f'<td class="bar"><span class="track"><i style="width:{cell.share:.1%}"></i></span>'
            f"{escaped(cell.text)}</td>"
        )
    is_figure = cell.replace(",", "").replace(".", "").isdigit() or cell == "–"
    return f'<td class="figure">{escaped(cell)}</td>' if is_figure else f"<td>{escaped(cell)}</td>"


FOOTER = "Made with kanon-tui. The table was verified before this report was written."
