"""The report for people as documents of sections; `formats` and `pdf` decide their look.

The reader is somebody who answers for the release, not the one who made it: every figure comes
with a line that says what it means. Only what is published or was typed into the project appears:
names of attributes, rules, labels; never a value of an identifier.

The technical words of a dossier, explained for readers from outside the field (`words.md`).

The public report: a function of the release and the project alone.

Figures that are measured against the input tell about records that are not in the release: the
distance t of a class from the whole table can pin the diagnosis of a suppressed person. So the
public report says only what a reader of the release can count and what the project asked for. Two
inputs that give the same release give the same public report.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from kanon_tui.core.fields.declaration import fields_of, write_fields
from kanon_tui.core.metrics.cautions import Caution
from kanon_tui.core.privacy.k_anonymity import small_k_warning
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.project.guesses import planned_columns
from kanon_tui.core.report import to_sign
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import (
    counts_tell_of_input,
    input_hash,
    plain_values,
    public_k,
    release_hash,
    versions,
)
from kanon_tui.core.report.reproduce import reproduce
from kanon_tui.core.report.sections import (
    COUNTS,
    INTERNAL_DOCUMENT,
    METRICS,
    Bar,
    Document,
    Section,
    class_sizes_section,
    figure,
    measured_rows,
    privacy_section,
)
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.output import INPUT_ORDER_WARNING
from kanon_tui.core.task.task import EVEN_EMPHASIS, Family
from kanon_tui.core.text import count_of, joined, short_list

_OF_CLASSES = ("l_distinct", "l_entropy", "l_recursive", "p", "alpha")
"""Models whose figures depend on the published classes alone, not on the whole input."""


def public_mapping(result: FinishedRun) -> dict[str, Any]:
    """Return the public figures of a release as plain values."""
    task = result.task
    algorithm = result.algorithm
    sizes = result.release.published_sizes
    named = () if result.project is None else result.project.attributes
    public: dict[str, Any] = {
        "algorithm": algorithm.name,
        "params": {p.name: getattr(algorithm, p.name) for p in fields_of(type(algorithm))},
        "required": write_fields(task.privacy),
        "quasi": [attribute.name for attribute in task.quasi],
        "published_as_they_are": list(task.published_as_they_are),
        "pseudonymised": list(task.pseudonymised),
        "left_out": [name for name in named if name in task.left_out],
        "rows": int(sizes.sum()),
        "classes": len(sizes),
        "smallest_class": int(sizes.min()),
        "largest_class": int(sizes.max()),
        "risk_max": float(1 / sizes.min()),
        "risk_mean": float(len(sizes) / sizes.sum()),
        "sha256": release_hash(result),
    }
    if task.person is None:  # whose a row is, the release does not tell
        privacy = result.measures.privacy
        figures = {name: privacy.figures[name] for name in _OF_CLASSES}
        public |= {name: dict(by_column) for name, by_column in figures.items() if by_column}
        public["cautions"] = [asdict(caution) for caution in public_cautions(result)]
        public["revealed"] = {
            n: disclosure.revealed for n, disclosure in privacy.disclosures.items()
        }
    plain: dict[str, Any] = plain_values(public)
    return plain


def public_cautions(result: FinishedRun) -> list[Caution]:
    """Return the cautions that a reader of the release can find out."""
    if counts_tell_of_input(result.task):
        return []
    return list(result.cautions)


def public_sections(result: FinishedRun) -> list[Section]:
    """Return the sections of the public report."""
    public = public_mapping(result)
    task = result.task
    k = public_k(task)
    required = replace(task, person=None).requirements
    released = (
        f"{figure(public['rows'])} rows with the key variables {', '.join(public['quasi'])}, "
        f"generalised by {result.algorithm.title} so that every combination of them is shared by "
        f"at least {k:,} {'people' if task.person is not None else 'records'}."
    )
    unchanged_columns = ", ".join(public["published_as_they_are"]) or "none"
    order = [INPUT_ORDER_WARNING] if task.output.order == "input" else []
    cautions = [f"{caution.sentence}." for caution in public_cautions(result)]
    warnings = map(str, [*cautions, *order, *small_k_warning(k)])
    hidden = "figures that depend on records outside the release are in the internal annex"
    rows = [
        ("k-anonymity", f"{k:,}", figure(public["smallest_class"]), to_sign.PROOF),
        *(
            (requirement.model.title, str(requirement.model), "✓", to_sign.PROOF)
            for requirement in required
        ),
        ("Highest risk", "", figure(public["risk_max"]), "1 in the smallest class"),
        ("Mean risk", "", figure(public["risk_mean"]), "averaged over the rows"),
    ]
    for name in (name for name in _OF_CLASSES if name in public):
        title = MODELS[name].report_title
        meaning = MODELS[name].report_meaning
        title = title or MODELS[name].title
        rows += [(f"{title}: {n}", "", figure(v), meaning) for n, v in public[name].items()]
    revealed = public.get("revealed", {})
    rows += [
        (f"Revealed: {n}", "", figure(v), "rows in classes of one value")
        for n, v in revealed.items()
    ]
    coded = [f"Published as pseudonyms: {joined(task.pseudonymised)}."] * bool(task.pseudonymised)
    paragraphs = [released, f"Published as they are: {unchanged_columns}.", *coded, *warnings]
    paragraphs.append(f"SHA-256 of the release: {public['sha256']}")
    columns = ("Measure", "Asked for", "Figure", "Meaning")
    return [
        Section("Release", paragraphs),
        to_sign.decisions_section(result),
        Section("Privacy", [f"What the release itself shows; {hidden}."], columns, rows),
        class_sizes_section(result, k),
    ]


def story(result: FinishedRun, evidence: Sequence[Section] = (), public: bool = False) -> Document:
    """Return the dossier of a release: a page to sign, then what it rests on.

    `evidence` are sections on risks, attacks and utility, which need more than the result. The
    `public` document is about the release and the project alone.
    """
    measures = result.measures
    if public:
        tiles = [("smallest class", int(result.release.published_sizes.min()))]
        shown = [*tiles, ("classes", measures.classes)]
        return _document(
            result, "Release", f"{result.rows:,} published rows", shown, public_sections(result)
        )
    figures: list[tuple[str, float]] = [
        ("k reached", measures.privacy.k),
        ("classes", measures.classes),
        ("utility", measures.utility),
        ("research value", measures.rv),
        ("suppressed", measures.suppressed_records),
    ]
    metrics = measured_rows(METRICS, measures)
    sections = [
        to_sign.decisions_section(result),
        _data(result),
        to_sign.context_section(result),
        _treatment_section(result),
        _attributes(result),
        _rules(result),
        _known(privacy_section(result)),
        class_sizes_section(result),
        *evidence,
        Section("What is left for analysis", (), ("Measure", "Figure", "Meaning"), metrics),
        to_sign.checklist_section(result),
        Section("Notes", items=result.notes),
        _versions(result),
    ]
    summary = to_sign.summary_section(result)
    headlines = [headline for section in sections for headline in section.headline]
    cautions = [f"Caution: {caution.sentence}." for caution in result.cautions]
    paragraphs = [*cautions, *summary.paragraphs, *headlines]
    sections.insert(0, replace(summary, paragraphs=paragraphs))
    sections.append(words_section(sections))
    dossier = _document(
        result, "Dossier of a release", f"{result.task.n:,} records", figures, sections
    )
    return replace(dossier, warning=INTERNAL_DOCUMENT)


def annex_document(result: FinishedRun) -> Document:
    """Return the annex of a dossier, which stays inside: how to make the same release again.

    The hash of the input would confirm a guessed table, and seed and command what the run did.
    """
    read = input_hash(result)
    facts = [("SHA-256 of the input", read), ("Seed", str(result.task.seed))]
    facts.append(("Seconds of the search", figure(round(result.seconds, 3))))
    rows = [(name, fact) for name, fact in facts if fact]
    again = "The same project, data and versions give the same release."
    if result.project is not None and result.project.privacy.ties == "random":
        again = "Ties are decided by chance (ties: random): no run gives the same release again."
    sections = [
        Section("The run", (), ("Fact", "Value"), rows),
        _search(result),
        Section("How to make it again", [again], command=reproduce(result)),
        _versions(result),
    ]
    annex = _document(
        result, "Internal annex of a release", f"{result.task.n:,} records", [], sections
    )
    return replace(annex, warning=INTERNAL_DOCUMENT)


def _document(
    result: FinishedRun,
    title: str,
    of: str,
    figures: Sequence[tuple[str, float]],
    sections: Sequence[Section],
) -> Document:
    """Return the sections that say something, under a title."""
    filled_sections = [s for s in sections if s.paragraphs or s.rows or s.items or s.command]
    tiles = [(name, figure(value)) for name, value in figures]
    lead = f"{result.algorithm.title} on {of}"
    return Document(f"{title} with k = {public_k(result.task)}", lead, tiles, filled_sections)


_WHY = {
    Role.IDENTIFIER: "names a person by itself",
    Role.PERSON: "says whose a record is, so that people are counted",
    Role.QUASI: "others may know it, and several together single people out",
    Role.SENSITIVE: "must not be learnt of a person",
    Role.OTHER: "taken to be unknown to others, and harmless",
    Role.WEIGHT: "says how many people of a population a record stands for",
}


def _data(result: FinishedRun) -> Section:
    """Return the columns with role, reason and treatment, without any value."""
    task = result.task
    project = result.project
    plans = [] if project is None else planned_columns(project, task.roles)
    columns = {attribute.name: attribute.column for attribute in task.quasi}
    columns |= {column.name: column for column in task.sensitive}
    rows = []
    for plan in plans:
        column = columns.get(plan.name)
        kind = "" if column is None else f"{column.kind}, {len(column.values):,} values"
        why = _WHY[plan.role] + ("; guessed, nobody confirmed it" if plan.guessed else "")
        rows.append((plan.name, plan.role.value, why, kind, plan.treatment))
    facts = (
        f"{figure(task.n + task.dropped_missing)} records{_of_people(result)} with "
        f"{count_of(len(task.roles), 'column')}. Values appear in this document only as the "
        f"release publishes them, as the project names them, or for groups of people."
    )
    heads = ("Column", "Role", "Why", "Kind", "In the release")
    return Section("The data and the roles of its columns", [facts], heads, rows, new_page=True)


def _known(section: Section) -> Section:
    """Return a table of figures without those that are not defined here."""
    return replace(section, rows=[row for row in section.rows if row[1] != "–"])


def _treatment_section(result: FinishedRun) -> Section:
    task = result.task
    measures = result.measures
    names = [attribute.name for attribute in task.quasi]
    noun = "records"
    reached = measures.smallest_class
    if task.repeated is not None:
        noun = "different people"
        reached = measures.privacy.k
    paragraphs = [
        f"{figure(task.n)} records{_of_people(result)} were generalised with "
        f"{result.algorithm.title} ({result.algorithm.name}) so that every published combination "
        f"of {joined(names)} is shared by at least {task.k:,} {noun}. The published table was "
        f"counted again independently of the algorithm: its smallest class has {figure(reached)} "
        f"{noun}.",
        f"{result.algorithm.summary}.",
    ]
    if task.requirements:
        required = "; ".join(str(requirement.model) for requirement in task.requirements)
        paragraphs.append(
            f"Beyond that, every published class has {required}; this was proven as well."
        )
    if task.pseudonymised:
        paragraphs.append(f"Published as pseudonyms: {joined(task.pseudonymised)}.")
    paragraphs += [f"Singles people out: {singled_out}." for singled_out in task.singling_out]
    facts: list[tuple[str, object]] = [
        ("Asked for: k", task.k),
        ("Reached: k", measures.privacy.k),
        ("Records in the table", task.n + task.dropped_missing),
        ("Dropped because a value is missing", task.dropped_missing),
        *_counted_people(result),
        *((title, getattr(measures, name)) for name, title, _ in COUNTS),
    ]
    rows = [(name, figure(value)) for name, value in facts]
    return Section("What was done", paragraphs, ("Fact", "Figure"), rows)


def _of_people(result: FinishedRun) -> str:
    task = result.task
    return "" if task.repeated is None else f" of {figure(task.people)} people"


def _counted_people(result: FinishedRun) -> list[tuple[str, object]]:
    """Return the counts of people, where some have several records."""
    if result.task.repeated is None:
        return []
    return [
        ("People", result.task.people),
        ("People who lose a record", result.measures.suppressed_people),
    ]


def _attributes(result: FinishedRun) -> Section:
    full_domain = result.algorithm.family is Family.FULL_DOMAIN
    columns = ["Attribute", "Weight", "Detail lost (NCP)", "Research value kept"]
    columns += ["Level", "Published as"] if full_domain else ["Published as"]
    rows: list[list[str | Bar]] = []
    for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True):
        measured = result.measures.attributes[attribute.name]
        share = measured.rv / measured.weight if measured.weight else 0.0
        row: list[str | Bar] = [
            attribute.name,
            figure(measured.weight),
            Bar(_share(measured.ncp), figure(measured.ncp)),
            Bar(_share(share), figure(measured.rv)),
        ]
        if full_domain:
            row.append(f"{figure(measured.level)} of {attribute.hierarchy.height}")
        rows.append([*row, short_list(cells.texts, 4)])
    if full_domain:
        text = "Every record shows the label of the level chosen for the attribute."
    else:
        text = "Every class finds its own ranges and labels; a few of those published are shown."
    return Section("Quasi-identifiers", [text, *_emphases(result)], columns, rows)


def _emphases(result: FinishedRun) -> list[str]:
    """Return a sentence about attributes with a rule emphasis of their own."""
    uneven = [a for a in result.task.quasi if a.rule_emphasis != EVEN_EMPHASIS]
    if not uneven:
        return []
    named = joined([f"{a.name} {figure(a.rule_emphasis)}" for a in uneven])
    return [
        f"Research value counts rules and granularity by a rule emphasis of its own: {named} "
        f"(0: granularity alone, {figure(EVEN_EMPHASIS)}: both alike, 1: rules alone)."
    ]


def _rules(result: FinishedRun) -> Section:
    rows: list[list[str | Bar]] = [
        [
            name,
            kept_rule.rule,
            figure(kept_rule.importance),
            Bar(_share(kept_rule.kept), f"{kept_rule.kept:.1%}"),
        ]
        for name, attribute in result.measures.attributes.items()
        for kept_rule in attribute.rules
    ]
    text = "Values that should not be mixed, and the share of records whose class keeps them apart."
    columns = ("Attribute", "Keep apart", "Importance", "Kept")
    return Section("Rules", [text], columns, rows) if rows else Section("Rules")


def _search(result: FinishedRun) -> Section:
    search = result.grouping.search
    rows: list[list[str | Bar]] = [
        [str(name).replace("_", " "), figure(value)]
        for name, value in search.items()
        if isinstance(value, int | float)
    ]
    passing = search.get("passing") or []
    items = [
        f"{', '.join(f'{name} {level}' for name, level in passing_node['levels'].items())}: "
        f"research value {figure(passing_node['rv'])}"
        for passing_node in passing[:10]
    ]
    paragraphs = []
    if len(passing) > 1:
        paragraphs.append(
            f"Of {len(passing):,} choices of levels found to reach k, the first ten are listed."
            if len(passing) > 10
            else f"{len(passing)} choices of levels were found to reach k."
        )
    return Section("The search", paragraphs, ("Count", "Figure") if rows else (), rows, items)


def _versions(result: FinishedRun) -> Section:
    """Return versions of the software, and hashes of project file and release."""
    path = None if result.project is None else result.project.path
    facts = dict(versions())
    if path is not None and path.is_file():
        facts[f"SHA-256 of the project {path.name}"] = sha256(path.read_bytes()).hexdigest()
    if (made := release_hash(result)) is not None:
        facts["SHA-256 of the release"] = made
    text = (
        "A hash (SHA-256) is a fingerprint of a file: whoever has the file can compute it, and it "
        "differs when a single character does."
    )
    return Section("Versions and hashes", [text], ("What", "Value"), list(facts.items()))


def _share(value: float | None) -> float:
    return min(1.0, max(0.0, value or 0.0))


def words_section(sections: Sequence[Section]) -> Section:
    """Return those of the words that the sections use, each with its meaning."""
    text = "\n".join(section_text for section in sections for section_text in section.texts)
    words = Path(__file__).with_name("words.md").read_text(encoding="utf-8")
    rows = [
        (word, meaning)
        for word, meaning in re.findall(r"^- \*\*(.+)\*\*: (.+)$", words, re.MULTILINE)
        if re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
    ]
    return Section("Words", (), ("Word", "Meaning"), rows)
