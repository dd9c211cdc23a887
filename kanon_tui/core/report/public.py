"""The public report: a function of the release and the project alone.

Figures that are measured against the input tell about records that are not in the release: the
distance t of a class from the whole table can pin the diagnosis of a suppressed person. So the
public report says only what a reader of the release can count and what the project asked for. Two
inputs that give the same release give the same public report.
"""

from typing import Any

from kanon_tui.core.fields.declaration import fields_of, write_fields
from kanon_tui.core.privacy.k_anonymity import small_k_warning
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import plain_values, release_hash
from kanon_tui.core.report.sections import Section, class_sizes_section, figure
from kanon_tui.core.report.to_sign import PROOF, decisions_section
from kanon_tui.core.task.output import INPUT_ORDER_WARNING

_OF_CLASSES = ("l_distinct", "l_entropy", "l_recursive", "p", "alpha")
"""Models whose figures depend on the published classes alone, not on the whole input."""


def public_mapping(result: FinishedRun) -> dict[str, Any]:
    """Return the public figures of a release as plain values."""
    task, algorithm = result.task, result.algorithm
    sizes = result.release.published_sizes
    named = () if result.project is None else result.project.attributes
    public: dict[str, Any] = {
        "algorithm": algorithm.name,
        "params": {p.name: getattr(algorithm, p.name) for p in fields_of(type(algorithm))},
        "required": write_fields(task.privacy),
        "quasi": [attribute.name for attribute in task.quasi],
        "published_as_they_are": list(task.published_as_they_are),
        "left_out": [n for n in named if n in task.roles and not task.roles[n].published],
        "rows": int(sizes.sum()),
        "classes": len(sizes),
        "smallest_class": int(sizes.min()),
        "largest_class": int(sizes.max()),
        "risk_max": float(1 / sizes.min()),
        "risk_mean": float(len(sizes) / sizes.sum()),
        "sha256": release_hash(result),
    }
    if task.repeated is None:  # whose a row is, the release does not tell
        privacy = result.measures.privacy
        figures = {name: privacy.figures[name] for name in _OF_CLASSES}
        public |= {name: dict(each) for name, each in figures.items() if each}
        public["revealed"] = {n: each.revealed for n, each in privacy.disclosures.items()}
    plain: dict[str, Any] = plain_values(public)
    return plain


def public_sections(result: FinishedRun) -> list[Section]:
    """Return the sections of the public report."""
    public, task = public_mapping(result), result.task
    released = (
        f"{figure(public['rows'])} rows with the key variables {', '.join(public['quasi'])}, "
        f"generalised by {result.algorithm.title} so that every combination of them is shared by "
        f"at least {task.k:,} {'people' if task.repeated is not None else 'records'}."
    )
    kept = ", ".join(public["published_as_they_are"]) or "none"
    order = [INPUT_ORDER_WARNING] if task.output.order == "input" else []
    warnings = map(str, [*order, *small_k_warning(task.k)])
    hidden = "figures that depend on records outside the release are in the internal annex"
    rows = [
        ("k-anonymity", f"{task.k:,}", figure(public["smallest_class"]), PROOF),
        *((each.model.title, str(each.model), "✓", PROOF) for each in task.requirements),
        ("Highest risk", "", figure(public["risk_max"]), "1 in the smallest class"),
        ("Mean risk", "", figure(public["risk_mean"]), "averaged over the rows"),
    ]
    for name in (name for name in _OF_CLASSES if name in public):
        title, meaning = MODELS[name].report_title, MODELS[name].report_meaning
        title = title or MODELS[name].title
        rows += [(f"{title}: {n}", "", figure(v), meaning) for n, v in public[name].items()]
    revealed = public.get("revealed", {})
    rows += [
        (f"Revealed: {n}", "", figure(v), "rows in classes of one value")
        for n, v in revealed.items()
    ]
    paragraphs = [released, f"Published as they are: {kept}.", *warnings]
    paragraphs.append(f"SHA-256 of the release: {public['sha256']}")
    columns = ("Measure", "Asked for", "Figure", "Meaning")
    return [
        Section("Release", paragraphs),
        decisions_section(result),
        Section("Privacy", [f"What the release itself shows; {hidden}."], columns, rows),
        class_sizes_section(result),
    ]
