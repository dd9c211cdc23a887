"""From a `Project` to the mapping that its file shows.

Keys come in a fixed order and defaults are left out, except k, the algorithm and the seed, which
make a release and should be seen. A text of digits that a number can stand for (`64`, not
`01234`) is written as that number, because where texts are wanted the reader takes it as it
stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_tui.core.data.table import ReadOptions
from kanon_tui.core.fields.yaml_text import exact_number
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.privacy.requirements_file import written_requirements
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.project.reading import VERSION
from kanon_tui.core.task.rules import Boundary, Rule, RuleTable

__all__ = ["project_to_mapping"]


def project_to_mapping(project: Project) -> dict[str, Any]:
    """A project as plain dicts, lists, texts and numbers."""
    privacy: dict[str, Any] = {"k": project.privacy.k}
    if project.privacy.max_suppression:
        privacy["max_suppression"] = _number(project.privacy.max_suppression)
    privacy |= written_requirements(project.privacy.requirements)
    algorithm: dict[str, Any] = {"name": project.algorithm.name}
    if project.algorithm.params:
        algorithm["params"] = dict(project.algorithm.params)
    output: dict[str, Any] = {}
    if project.output.suppressed != "drop":
        output["suppressed"] = project.output.suppressed
    if project.output.shuffle:
        output["shuffle"] = True

    mapping: dict[str, Any] = {"version": VERSION, "data": _data(project.data)}
    if project.attributes:
        mapping["attributes"] = {
            exact_number(name): _attribute(spec) for name, spec in project.attributes.items()
        }
    if project.weights != "equal":
        mapping["weights"] = project.weights
    mapping |= {"privacy": privacy, "algorithm": algorithm, "seed": project.seed}
    if output:
        mapping["output"] = output
    return mapping


def _data(data: DataSource) -> dict[str, Any]:
    result: dict[str, Any] = {"path": exact_number(data.path)}
    options, usual = data.read_options, ReadOptions()
    for key in ("delimiter", "header", "encoding", "quote", "space_after_delimiter"):
        value = getattr(options, key)
        if value != getattr(usual, key):
            result[key] = _texts(value) if isinstance(value, tuple) else value
    missing: dict[str, Any] = {}
    if options.missing_tokens != usual.missing_tokens:
        missing["tokens"] = _texts(options.missing_tokens)
    if data.missing_policy != "value":
        missing["policy"] = data.missing_policy
    if missing:
        result["missing"] = missing
    return result


def _attribute(spec: AttributeSpec) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if spec.role is not None:
        result["role"] = spec.role.value
    if spec.kind is not None:
        result["kind"] = spec.kind.value
    if spec.format is not None:
        result["format"] = spec.format
    if spec.weight is not None:
        result["weight"] = _number(spec.weight)
    if spec.resolution is not None:
        result["resolution"] = _number(spec.resolution)
    if spec.domain is not None:
        result["domain"] = [
            end if isinstance(end, int | float | str) else str(end) for end in spec.domain
        ]
    if spec.hierarchy is not None:
        result["hierarchy"] = {key: _builder_value(value) for key, value in spec.hierarchy.items()}
    if spec.rules != RuleTable():
        result["rules"] = _rules(spec.rules)
    if spec.magvals:
        result["magvals"] = [_mark(mark) for mark in spec.magvals]
    if spec.rv is not None:
        result["rv"] = [None if value is None else _number(value) for value in spec.rv]
    return result


def _builder_value(value: Any, numbers: bool = True) -> Any:
    """Level tables and groups hold texts; anywhere else a text of digits stays one."""
    if isinstance(value, Mapping):
        return {exact_number(str(key)): _builder_value(v, False) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_builder_value(item, numbers) for item in value]
    return exact_number(value) if isinstance(value, str) and not numbers else value


def _rules(table: RuleTable) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if table.base:
        result["base"] = _number(table.base)
    if table.rules:
        result["keep"] = [_rule(rule) for rule in table.rules]
    return result


def _rule(rule: Rule) -> dict[str, Any]:
    importance = _number(rule.importance)
    if isinstance(rule, Boundary):
        return {"boundary": _texts((rule.low, rule.high)), "importance": importance}
    sides = [
        exact_number(side[0]) if len(side) == 1 else _texts(side)
        for side in (rule.first, rule.second)
    ]
    return {"apart": sides, "importance": importance}


def _mark(mark: str | Mark) -> Any:
    if isinstance(mark, Mark):
        return {"label": exact_number(mark.label), "level": mark.level}
    return exact_number(mark)


def _texts(texts: tuple[str, ...]) -> list[int | float | str]:
    return [exact_number(text) for text in texts]


def _number(value: float) -> int | float:
    """Without the `.0` of a whole number."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)
