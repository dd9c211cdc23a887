"""The report for programs: every figure under a stable name, ready for JSON.

It holds no value of an identifier.
"""

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.lattice.pre_pruning import string_figures
from kanon_tui.core.metrics.measure import AttributeMeasures
from kanon_tui.core.metrics.privacy import PrivacyMeasures, RequirementResult
from kanon_tui.core.privacy.models import PLUG_INS
from kanon_tui.core.release.all_columns import AllColumns, AtRisk
from kanon_tui.core.report.finished_run import PHASES, FinishedRun
from kanon_tui.core.report.sections import COUNTS, METRICS
from kanon_tui.core.table.writing import put_table
from kanon_tui.core.task.task import Task
from kanon_tui.core.version import __version__

FORM = 1
"""The version of the report's format."""
INTERNAL = (
    "seed", "seconds", "phases", "records", "people", "suppressed_people", "dropped_missing",
    "left_out", "singling_out", "suppressed_records",
    "suppressed_cells", "metrics", "attributes", "privacy", "strings", "search", "notes", "input",
)  # fmt: skip
"""Keys of the report that depend on the input."""


def report_mapping(result: FinishedRun) -> dict[str, Any]:
    """Return every figure of a result as plain dicts, lists, numbers and texts.

    `records` are those the algorithm worked on, without the `dropped_missing` ones.
    """
    task = result.task
    algorithm = result.algorithm
    measures = result.measures
    plain: dict[str, Any] = plain_values(
        {
            "version": FORM,
            "algorithm": algorithm.name,
            "params": _named(algorithm, [p.name for p in fields_of(type(algorithm))]),
            "k": task.k,
            "seed": task.seed,
            "seconds": round(result.seconds, 6),
            "phases": {name: round(result.phases.get(name, 0.0), 6) for name in PHASES},
            "versions": versions(),
            "records": task.n,
            **_people(result),
            "dropped_missing": task.dropped_missing,
            "published_as_they_are": task.published_as_they_are,
            "left_out": task.left_out,
            **({"pseudonymised": task.pseudonymised} if task.pseudonymised else {}),
            "singling_out": [
                _named(singled_out, ("attribute", "unique", "records"))
                for singled_out in task.singling_out
            ],
            "published": all_columns_figures(result.release.all_columns),
            "cautions": [asdict(caution) for caution in result.cautions],
            **_named(measures, [name for name, _, _ in COUNTS]),
            "metrics": _named(measures, ["ncp", "ncp_class", *(name for name, _, _ in METRICS)]),
            "attributes": {
                name: _attribute(measured) for name, measured in measures.attributes.items()
            },
            "privacy": _privacy(measures.privacy),
            "strings": string_figures(task) if all(a.hierarchy.built for a in task.quasi) else None,
            "search": result.grouping.search,
            "notes": result.notes,
            "input": {"sha256": input_hash(result)},
            "release": {"sha256": release_hash(result)},
            "internal": [
                *INTERNAL,
                *(["k"] if task.privacy.risk else []),
                *(["published", "cautions"] if counts_tell_of_input(task) else []),
            ],
        }
    )
    return plain


def public_k(task: Task) -> int:
    """Return the k that the project asks for, whatever the number of suppressed records."""
    risk = task.privacy.risk
    return task.privacy.k if risk is not None and risk.of_sample else task.k


def all_columns_figures(counted: AllColumns) -> dict[str, object]:
    """Return the records at risk by all published columns together."""
    return {
        "columns": counted.columns.number,
        "covered": len(counted.columns.covered),
        "counted": "people" if counted.in_people else "records",
        **_at_risk(counted.together),
        "but_sensitive": _at_risk(counted.but_sensitive),
    }


def _at_risk(risk: AtRisk) -> dict[str, int]:
    return {"unique_records": risk.unique, "below_k_records": risk.below_k}


def counts_tell_of_input(task: Task) -> bool:
    """Return whether records at risk depend on more than the release and the project.

    Whose a row is, the release does not tell, nor the k of a risk in a population.
    """
    risk = task.privacy.risk
    return task.person is not None or (risk is not None and risk.of_sample)


def _people(result: FinishedRun) -> dict[str, Any]:
    """Return the counts of people, where some have several records."""
    if result.task.repeated is None:
        return {}
    return {"people": result.task.people, "suppressed_people": result.measures.suppressed_people}


def _named(thing: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}


def _attribute(measured: AttributeMeasures) -> dict[str, Any]:
    rules = [_named(kept_rule, ("rule", "importance", "kept")) for kept_rule in measured.rules]
    return {**_named(measured, ("weight", "rule_emphasis", "ncp", "rv", "level")), "rules": rules}


def _privacy(privacy: PrivacyMeasures) -> dict[str, Any]:
    figures = {"k": privacy.k, **privacy.figures}
    figures |= _named(privacy, ("risk_max", "risk_mean", "violations"))
    figures["disclosed"] = {
        name: asdict(disclosure) for name, disclosure in privacy.disclosures.items()
    }
    figures["violating_values"] = {
        **privacy.violating_values,
        "total": sum(privacy.violating_values.values()),
    }
    if privacy.required:
        figures["required"] = [_required(reached) for reached in privacy.required]
    return figures


def _required(reached: RequirementResult) -> dict[str, Any]:
    """Return a requirement beyond k and the figure of its worst class."""
    requirement = reached.requirement
    package = PLUG_INS.packages.get(requirement.model.name)
    return {
        "model": requirement.model.name,
        "attribute": requirement.column.name,
        "bound": requirement.model.bound,
        "values": list(requirement.model.only_values) or None,
        "reached": reached.figure,
        **({"proof": package} if package else {}),
    }


def versions() -> dict[str, str]:
    """Return the versions of the software that computed the figures."""
    package_versions = {"kanon_tui": __version__, "python": platform.python_version()}
    for package in ("polars", "numpy"):
        try:
            package_versions[package] = version(package)
        except PackageNotFoundError:  # only where packages are bundled without their metadata
            package_versions[package] = "unknown"
    return package_versions


def release_hash(result: FinishedRun) -> str | None:
    """Return the SHA-256 of the release: of its files, or of its rows as a CSV file."""
    if result.files:
        return _hash_of([file.path for file in result.files])
    text = BytesIO()
    put_table(result.written, text, Path("release.csv"), result.task.csv_format(Path("r.csv")))
    return sha256(text.getvalue()).hexdigest()


def input_hash(result: FinishedRun) -> str | None:
    """Return the SHA-256 of the input files; None where there are none."""
    files = () if result.project is None else result.project.data_files
    return _hash_of([file for file in files if file.is_file()])


def _hash_of(files: list[Path]) -> str | None:
    """Return the SHA-256 of files, one after the other; None where there are none."""
    digest = sha256()
    for file in files:
        with file.open("rb") as data:
            while block := data.read(1 << 20):
                digest.update(block)
    return digest.hexdigest() if files else None


def plain_values(value: Any) -> Any:
    """Return a value with only types that JSON has."""
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain_values(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str | None) else str(value)
