"""Project files: damaged ones are refused in a sentence, others written and read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from kanon_tui.core.errors import KanonError
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import list_samples
from tests.fuzz.texts import random_text

PIECES = (
    ": ", "- ", "{", "}", "[", "]", "\n", "  ", "&a ", "*a ", "!x ", "? ", "| ", "> ", "#", '"',
    "'",
    "null", "1e999", ".nan", "{a: &b [*b]}", "<<: ", "\t", "\0", "\u2028", "--- ", "... ", "yes",
)  # fmt: skip


def try_once(random: Random, folder: Path) -> str:
    text = random.choice(list_samples()).project.read_text(encoding="utf-8")
    for _ in range(random.choice([0, 1, 1, 2, 8])):
        text = changed(random, text)
    path = folder / "project.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        project = Project.load(path)
    except KanonError:
        return "refused"
    again = Project.load((project.save(folder / "again.yaml")).path or path)
    assert replace(again, path=None) == replace(project, path=None)
    edited = replace(project, seed=random.randrange(100))
    edited.save(path)
    assert replace(Project.load(path), path=None) == replace(edited, path=None)
    return "read, written and edited"


def changed(random: Random, text: str) -> str:
    """A line left out, said twice or moved, or a piece put in, taken out or written over."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    match random.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        case 2:
            lines[at] = " " * random.randint(0, 6) + lines[at].lstrip()
        case 3:
            where = random.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:where] + random.choice(PIECES) + lines[at][where:]
        case 4:
            words = lines[at].split(" ")
            words[random.randrange(len(words))] = random_text(random)
            lines[at] = " ".join(words)
        case _:
            where = random.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:where] + lines[at][where + random.randint(1, 4) :]
    return "\n".join(lines)
