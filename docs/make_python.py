"""docs/python.md, made from the docstrings of the public functions and classes.

python -m docs.make_python    writes it anew; a test compares it with the docstrings
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import kanon_tui as kn

PAGE = Path(__file__).parent / "python.md"
GROUPS = {
    "Releases": ("anonymize", "conclude", "run", "stream", "Release"),
    "Projects": ("Project", "AttributeSpec", "RunContext"),
    "Hierarchies": ("intervals", "breaks", "quantiles", "mask", "icd10", "dates", "groups", "flat"),
    "Analyses": (
        "check", "sweep", "levels", "risk", "attack", "linking", "rerelease", "remedies",
        "evidence", "verify", "apply", "export_mapping", "utility", "utility_sections", "trees",
        "feasibility", "algorithms",
    ),
}  # fmt: skip
MEMBERS = {
    "Release": ("table", "to_pandas", "report", "classes", "ncp", "rv", "why", "write",
                "write_report", "mapping"),
    "Project": ("load", "from_dict", "with_", "save"),
}  # fmt: skip
_UNDERLINED = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}[\w, .*]+?)(?: : (.+))?$")


def page() -> str:
    """The reference of the Python API."""
    lines = [
        "# Python",
        "",
        "This page describes every public function, with parameters and an example each. It is",
        "made from the docstrings; `help(kn.anonymize)` shows the same. `import kanon_tui as kn`",
        "imports no user interface. `kn.__all__` is the public surface; everything in",
        "`kanon_tui.core` is private.",
        "",
        "| error | raised when |",
        "|---|---|",
        "| `kn.InputError` (a `ValueError`) | data, a project, a name or a setting is wrong |",
        "| `kn.NotReachedError` | no release has the required privacy |",
        "| `kn.InfrastructureError` | a scheduler, database, network or disk failed |",
        "",
        "All are `kn.KanonError`; the message is one sentence.",
    ]
    for title, names in GROUPS.items():
        lines += ["", f"## {title}"]
        for name in names:
            thing = getattr(kn, name)
            lines += ["", f"### kn.{name}", "", *_signature(name, thing), *_body(thing)]
            for member in MEMBERS.get(name, ()):
                own = inspect.getattr_static(thing, member)
                wrapped = getattr(own, "fget", None) or getattr(own, "func", None)
                heading = f"#### {name}.{member}"
                function = getattr(own, "__func__", own)
                shown = [] if wrapped else _signature(f"{name}.{member}", function)
                lines += ["", heading, "", *shown, *_body(wrapped or function)]
    lines += ["", "## scikit-learn", "", "### kn.sklearn.KAnonymizer", ""]
    lines += _body(kn.sklearn.KAnonymizer)
    return "\n".join(lines) + "\n"


def _signature(name: str, thing: object) -> list[str]:
    if inspect.isclass(thing):
        return []
    parameters = inspect.signature(thing).parameters.values()
    shown = [
        f"{p.name}=…" if callable(p.default) and p.default is not p.empty
        else str(p.replace(annotation=p.empty))
        for p in parameters
    ]  # fmt: skip
    named = [each for each in shown if each not in ("self", "cls")]
    keyword = [p.kind is p.KEYWORD_ONLY for p in parameters]
    if any(keyword) and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        named.insert(keyword.index(True), "*")
    return ["```text", f"kn.{name}({', '.join(named)})", "```", ""]


def _body(thing: object) -> list[str]:
    text = inspect.getdoc(thing) or ""
    parts = _UNDERLINED.split(text)
    lines = [parts[0].strip()]
    for title, content in zip(parts[1::2], parts[2::2], strict=True):
        if title == "Examples":
            lines += ["", "```text", content.strip(), "```"]
            continue
        lines += ["", f"**{title}**", ""]
        for block in re.split(r"\n(?=\S)", content.strip("\n")):
            head, *rest = block.splitlines()
            found = _ENTRY.match(head)
            meaning = " ".join(line.strip() for line in rest)
            if found is None or not meaning:
                lines.append(block.strip())
                continue
            kind = f" ({found[2]})" if found[2] else ""
            lines.append(f"- `{found[1]}`{kind}: {meaning}")
    return lines


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
