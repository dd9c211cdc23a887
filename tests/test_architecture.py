"""The architecture holds: layers, no cycles, documented packages, readable files, budgets."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

import kanon_tui
from tests import budgets

PACKAGE = Path(kanon_tui.__file__).parent
REPOSITORY = PACKAGE.parent
LONGEST_FILE = 600
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


def test_a_run_imports_nothing_of_a_cluster_or_a_mapped_table() -> None:
    """Both are imported only where they are asked for."""
    unwanted = ("core.dask", "coded_columns", "distinct_search", "sampled_table")
    modules = budgets.modules_of_a_run()
    assert modules
    assert [name for name in modules if any(part in name for part in unwanted)] == []


def test_no_figure_of_inheritable_code_gets_worse() -> None:
    """The limits of `make budgets`; see tests/budgets.py for what each figure measures."""
    exceeded = [str(figure) for figure in budgets.measure() if figure.value > figure.limit]
    assert exceeded == []
