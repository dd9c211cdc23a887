"""The naive twin of an algorithm as code to read: the function, and what it calls in its module."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from kanon_tui.core.task.task import Algorithm, Task

Twin = Callable[[Task], Any]


def twin_of(algorithm: type[Algorithm]) -> Twin | None:
    """Return the function that `Algorithm.twin` names; None where there is none."""
    if not algorithm.twin:
        return None
    module, _, name = algorithm.twin.partition(":")
    declaring = next(base for base in algorithm.__mro__ if "twin" in vars(base))
    package = declaring.__module__.rpartition(".")[0]
    twin: Twin = getattr(import_module(module, package), name)
    return twin


def code_with_helpers(function: Twin) -> str:
    """Return the code of a function after everything of its module that it needs, imports first."""
    source = inspect.getsource(import_module(function.__module__))
    tree = ast.parse(source)
    needed = _needed(tree, function.__name__)
    lines = source.splitlines()
    imports: list[str] = []
    definitions: list[str] = []
    for place, node in enumerate(tree.body):
        names = needed.intersection(_bound(node))
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports += _import_of(node, names)
        elif names:
            following = tree.body[place + 1] if place + 1 < len(tree.body) else node
            last = following if _is_text(following) and not _is_definition(node) else node
            definitions.append("\n".join(lines[_first_line(node) - 1 : last.end_lineno]))
    return "\n\n".join(["\n".join(imports), *definitions]).strip()


def _needed(tree: ast.Module, name: str) -> set[str]:
    """Return the names of a module that a definition needs, its own among them."""
    definitions = {bound: node for node in tree.body for bound in _bound(node)}
    needed: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name in needed or name not in definitions:
            continue
        needed.add(name)
        if not isinstance(definitions[name], ast.Import | ast.ImportFrom):
            nodes = ast.walk(definitions[name])
            waiting += [node.id for node in nodes if isinstance(node, ast.Name)]
    return needed


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module defines or imports."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)


def _import_of(node: ast.Import | ast.ImportFrom, names: set[str]) -> Iterator[str]:
    """Yield an import without the names that are not needed."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        yield ast.unparse(node)
        return
    node.names = [alias for alias in node.names if (alias.asname or alias.name) in names]
    if node.names:
        yield ast.unparse(node)


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring, such as the one below a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _first_line(node: ast.stmt) -> int:
    """Return the line on which a statement begins, with its decorators."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.lineno
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
