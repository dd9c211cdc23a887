"""The architecture holds: layers, no cycles, documented packages, readable files, a budget."""

from __future__ import annotations

import ast
import re
import tokenize
from graphlib import CycleError, TopologicalSorter
from io import StringIO
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

import kanon_tui

PACKAGE = Path(kanon_tui.__file__).parent
REPOSITORY = PACKAGE.parent
LONGEST_FILE = 600
MOST_PYTHON, MOST_C = 49_200, 6_500
"""Ceilings close to the present sizes, to notice growth; the budget is 50,000 and 6,500."""
LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip
"""Tokens that are no code."""
PACKAGES = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))


def test_layers_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """The contracts of pyproject.toml, as `make check` runs them."""
    code = lint_imports(config_filename=str(REPOSITORY / "pyproject.toml"), cache_dir=None)
    assert code == 0, capsys.readouterr().out


def test_no_module_imports_itself_by_a_detour() -> None:
    """Imports inside functions and for type checkers count: they are dependencies too."""
    graph = grimp.build_graph("kanon_tui", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


@pytest.mark.parametrize(
    "package", PACKAGES, ids=lambda path: path.relative_to(REPOSITORY).as_posix()
)
def test_every_package_says_what_lives_in_it(package: Path) -> None:
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert said, "a docstring: what lives here and what it may import"
    if package.parent == PACKAGE / "core":
        assert "May import" in said


def test_no_file_needs_a_table_of_contents() -> None:
    long = {
        path.relative_to(REPOSITORY).as_posix(): lines
        for folder in ("kanon_tui", "tests", "benchmarks")
        for path in (REPOSITORY / folder).rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    }
    assert long == {}


def test_the_package_stays_within_its_budget() -> None:
    """Lines of code, without blank lines, comments and docstrings."""
    python = sum(code_lines(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py"))
    c = sum(c_lines(path.read_text()) for path in (PACKAGE / "core/kernels/c").glob("*.[ch]"))
    assert python <= MOST_PYTHON
    assert c <= MOST_C


def code_lines(source: str) -> int:
    """Return the number of lines that hold something else than comments and docstrings."""
    documented = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines: set[int] = set()
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type not in LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    blank = {number for number, line in enumerate(source.splitlines(), 1) if not line.strip()}
    return len(lines - documented - blank)


def c_lines(source: str) -> int:
    """Return the number of lines of C that hold something else than comments."""
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL)
    return sum(1 for line in plain.splitlines() if line.strip())
