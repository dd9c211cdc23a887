"""Measure what makes code hard to inherit: `make budgets` prints the figures beside their budgets.

Nothing here counts lines to keep them few: a ceiling on lines made people pack them. Every figure
has a budget, which is the aim, and a limit near the present state, above which
`test_architecture.py` fails. Whoever lowers a figure lowers its limit as well.
"""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "kanon_tui"
TESTS = REPOSITORY / "tests"

_VAGUE_WORDS = """
found each own one known said told kept those whole rest held given here there now asked
meant wanted seen done left many few other others some
"""
VAGUE_NAMES = frozenset(_VAGUE_WORDS.split())
"""Names that say nothing about what a value is."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """A Python file as text and as a tree."""

    path: Path
    text: str
    tree: ast.Module

    @classmethod
    def read(cls, path: Path) -> "Source":
        """Return the parsed file."""
        text = path.read_text(encoding="utf-8")
        return cls(path, text, ast.parse(text))

    @property
    def lines(self) -> int:
        """Return the number of lines that are not blank."""
        return sum(1 for line in self.text.splitlines() if line.strip())

    @property
    def in_core(self) -> bool:
        """Return whether the file belongs to the part without a user interface."""
        return (PACKAGE / "core") in self.path.parents


@dataclass(frozen=True)
class Figure:
    """A measured figure, the aim, and the highest value that is accepted at present."""

    name: str
    value: float
    budget: float
    limit: float

    def __str__(self) -> str:
        return f"{self.name:<40} {self.value:8.1f} {self.budget:8.1f} {self.limit:8.1f}"


def sources_below(folder: Path) -> list[Source]:
    """Return every Python file below a folder, in the order of their paths."""
    return [Source.read(path) for path in sorted(folder.rglob("*.py"))]


def packed_assignments(source: Source) -> Iterator[ast.Assign]:
    """Yield assignments such as `a, b = x, y`, several statements on one line."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
            continue
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and len(target.elts) == len(node.value.elts):
            yield node


def conditional_expressions(source: Source) -> int:
    """Return the number of expressions `x if condition else y`."""
    return sum(isinstance(node, ast.IfExp) for node in ast.walk(source.tree))


def bound_names(source: Source) -> Counter[str]:
    """Return how often each name is given to an argument or a value."""
    names: Counter[str] = Counter()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.arg):
            names[node.arg] += 1
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] += 1
    return names


def public_classes(source: Source) -> list[ast.ClassDef]:
    """Return the classes of a file whose names do not begin with an underscore."""
    classes = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    return [node for node in classes if not node.name.startswith("_")]


def public_members(class_: ast.ClassDef) -> set[str]:
    """Return the public fields, methods and properties that a class declares itself."""
    names: set[str] = set()
    for node in class_.body:
        if isinstance(node, Function):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def nested_functions(source: Source) -> int:
    """Return the number of functions that are defined inside other functions."""
    inner: set[ast.AST] = set()
    for function in ast.walk(source.tree):
        if isinstance(function, Function):
            nodes = ast.walk(function)
            inner.update(
                node for node in nodes if isinstance(node, Function) and node is not function
            )
    return len(inner)


def untyped_dictionaries(source: Source) -> int:
    """Return how many parameters and results of public functions are `dict[str, Any]`."""
    annotations: list[ast.expr | None] = []
    for function in ast.walk(source.tree):
        if not isinstance(function, Function) or function.name.startswith("_"):
            continue
        arguments = [*function.args.args, *function.args.kwonlyargs]
        annotations += [argument.annotation for argument in arguments]
        annotations.append(function.returns)
    written = [ast.unparse(annotation) for annotation in annotations if annotation is not None]
    return sum("dict[str, Any]" in text for text in written)


def patches(source: Source) -> int:
    """Return how many calls of `monkeypatch.setattr` a test file makes."""
    return len(re.findall(r"\bsetattr\(", source.text))


def private_names(source: Source) -> int:
    """Return how often a test reads a private attribute of something other than `self`.

    `_repr_html_` and the like, with an underscore at both ends, are what notebooks call.
    """
    count = 0
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Attribute) or not re.fullmatch(r"_[a-z].*[^_]", node.attr):
            continue
        of_itself = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        count += not of_itself
    return count


def modules_of_a_run() -> list[str]:
    """Return the modules of the package that `kanon-tui run` on a bundled sample imports."""
    program = (
        "import json, sys\n"
        "from kanon_tui.__main__ import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "names = sorted(name for name in sys.modules if name.split('.')[0] == 'kanon_tui')\n"
        "print(json.dumps(names))\n"
    )
    project = REPOSITORY / "sample_data/census/project.yaml"
    finished = subprocess.run(
        [sys.executable, "-c", program, "run", str(project), "--quiet"],
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(finished.stdout.splitlines()[-1]))


def measure() -> list[Figure]:
    """Return every figure with its budget and its limit."""
    package = sources_below(PACKAGE)
    tests = sources_below(TESTS)
    lines = sum(source.lines for source in package)
    packed = sum(len(list(packed_assignments(source))) for source in package)
    conditionals = sum(conditional_expressions(source) for source in package)
    names = sum((bound_names(source) for source in package), Counter[str]())
    vague = sum(names[name] for name in VAGUE_NAMES)
    classes = [class_ for source in package for class_ in public_classes(source)]
    repeated = sum(count > 1 for count in Counter(class_.name for class_ in classes).values())
    largest = max(len(public_members(class_)) for class_ in classes)
    nested = sum(nested_functions(source) for source in package if not source.in_core)
    untyped = sum(untyped_dictionaries(source) for source in package)
    patched = sum(patches(source) for source in tests)
    private = sum(private_names(source) for source in tests)
    return [
        Figure("packed assignments per 1,000 lines", 1000 * packed / lines, 3, 1.5),
        Figure("conditional expressions per 1,000 lines", 1000 * conditionals / lines, 12, 27.0),
        Figure("vague names, per cent", 100 * vague / names.total(), 0.5, 1.7),
        Figure("class names defined twice", repeated, 0, 22),
        Figure("public members of one class", largest, 20, 45),
        Figure("functions in functions, outside core", nested, 60, 168),
        Figure("dict[str, Any] in public signatures", untyped, 0, 64),
        Figure("patches in tests", patched, 40, 122),
        Figure("private names in tests", private, 0, 40),
        Figure("modules that a run imports", len(modules_of_a_run()), 95, 128),
    ]


if __name__ == "__main__":
    print(f"{'':<40} {'now':>8} {'budget':>8} {'limit':>8}")
    for figure in measure():
        print(figure)
