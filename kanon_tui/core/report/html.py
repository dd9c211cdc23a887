"""The report as one HTML file: no scripts, nothing loaded, light and dark, printable.

Distributions are inline SVG, the original hollow and the release filled: they differ in form, not
only in colour.
"""

from __future__ import annotations

import html as markup
import re
from collections.abc import Iterable

from kanon_tui.core.report.sections import Bar, Distribution, Document, Section
from kanon_tui.core.text import shortened, visible

_WIDTH, _LEFT, _RIGHT = 420, 150, 52
_ROW, _BAR, _TOP = 26, 9, 22
_LONGEST = 22


def distribution_svg(drawn: Distribution) -> str:
    """Return an SVG with a row per group: its name, two bars and their shares."""
    most = max([*drawn.original, *drawn.release], default=0.0) or 1.0
    longest = _WIDTH - _LEFT - _RIGHT
    height = _TOP + _ROW * len(drawn.labels) + 4
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escaped(drawn.title)}: original and release</title>",
        f'<text class="name" x="0" y="13">{escaped(shortened(drawn.title, 40))}</text>',
    ]
    rows = zip(drawn.labels, drawn.original, drawn.release, strict=True)
    for number, (label, before, after) in enumerate(rows):
        y = _TOP + number * _ROW
        parts.append(
            f'<text class="label" x="{_LEFT - 8}" y="{y + 13}">'
            f"{escaped(shortened(label, _LONGEST))}</text>"
        )
        for offset, share, kind in ((0, before, "before"), (_BAR + 2, after, "after")):
            width = max(1.0, share / most * longest) if share > 0 else 0.0
            parts.append(
                f'<rect class="{kind}" x="{_LEFT}" y="{y + offset}" width="{width:.1f}" '
                f'height="{_BAR}"/>'
                f'<text class="share" x="{_LEFT + width + 5:.1f}" y="{y + offset + 8}">'
                f"{share:.1%}</text>"
            )
    return "".join([*parts, "</svg>"])


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
    return page(document.title, _STYLE, body)


def page(title: str, style: str, body: Iterable[str]) -> str:
    """Return a self-contained HTML page, light or dark as its reader's browser asks for."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
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
        parts.append(_LEGEND)
        drawn = "".join(f"<figure>{distribution_svg(each)}</figure>" for each in section.pictures)
        parts.append(f'<div class="pictures">{drawn}</div>')
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
_LEGEND = (
    '<p class="legend"><i class="hollow"></i> original <i class="full"></i> release, shares of '
    "records</p>"
)
_STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #dde3ea; --page: #f5f7fa; --card: #fff;
  --fill: #2a7de1; --track: #e4eaf1; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa7b6; --line: #2c3642;
  --page: #12171d; --card: #1a2129; --fill: #5aa4f5; --track: #2a3440; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -0.02em; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
.lead { margin: .25rem 0 1.25rem; color: var(--soft); }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1.5rem; padding: 0;
  list-style: none; }
.tiles li { flex: 1 1 8rem; padding: .9rem 1rem; border: 1px solid var(--line);
  border-radius: .6rem; background: var(--card); color: var(--soft); font-size: .85rem; }
.tiles b { display: block; color: var(--ink); font-size: 1.5rem;
  font-variant-numeric: tabular-nums; }
section { margin: 0 0 1rem; padding: 1.25rem 1.4rem; border: 1px solid var(--line);
  border-radius: .6rem; background: var(--card); }
section p { margin: 0 0 .75rem; max-width: 46rem; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .93rem; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
.figure, .bar { font-variant-numeric: tabular-nums; white-space: nowrap; }
.track { display: inline-block; width: 7rem; height: .55rem; margin-right: .6rem;
  border-radius: .3rem; background: var(--track); overflow: hidden; }
.track i { display: block; height: 100%; background: var(--fill); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr));
  gap: 1rem 1.5rem; }
figure { margin: 0; break-inside: avoid; }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .name { font-weight: 600; font-size: 13px; }
svg .label { text-anchor: end; }
svg .share { font-size: 9px; fill: var(--soft); }
.before, .hollow { fill: none; stroke: var(--ink); stroke-width: 1; }
.after { fill: var(--fill); }
.legend { color: var(--soft); font-size: .85rem; }
.legend i { display: inline-block; width: 1.4rem; height: .6rem; margin-left: .6rem;
  border: 1px solid var(--ink); }
.legend .full { background: var(--fill); border-color: var(--fill); }
pre { margin: 0; padding: .8rem 1rem; border-radius: .4rem; background: var(--page);
  white-space: pre-wrap; overflow-wrap: anywhere; }
footer { color: var(--soft); font-size: .85rem; }
#decisions-and-signatures td { height: 3rem; border-bottom: 1px solid var(--soft); }
@page { size: A4; margin: 18mm 16mm 20mm; @bottom-right { content: counter(page); } }
@media print {
  :root { --ink: #000; --soft: #333; --line: #bbb; --page: #fff; --card: #fff; --track: #e4eaf1;
    --fill: #1f5fae; }
  body { background: #fff; padding: 0; max-width: none; font-size: 10.5pt; }
  header h1 { font-size: 18pt; } .tiles b { font-size: 13pt; }
  section { border: 0; padding: 0; margin-bottom: 7mm; }
  section#summary, section#decisions-and-signatures { break-inside: avoid; }
  section.long { break-before: page; }
  h2 { break-after: avoid; } tr, figure, pre { break-inside: avoid; }
  thead { display: table-header-group; }
  .track, .track i, .after, .full { print-color-adjust: exact; } }
"""
