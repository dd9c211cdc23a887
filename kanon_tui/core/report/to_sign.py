"""The first page of a report, for those who sign it, and the risks that remain.

Words are those of statistical disclosure control: direct identifiers, key variables, identity
disclosure, attribute disclosure. Figures are of this release. No value of the table is shown.
"""

from kanon_tui.core.project.sections import NO_VERDICT, PRESETS, ReleaseContext, ReportTexts
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import Section, figure
from kanon_tui.core.text import count_of, first_few, joined

_NAMES_SHOWN = 12
PROOF = "counted again from the published cells, by code of its own"


def summary_section(result: FinishedRun) -> Section:
    """Return the summary: what was released, the protection, and its verification."""
    task = result.task
    measures = result.measures
    texts = _texts(result)
    purposes = [("For", texts.purpose), ("Goes to", texts.recipients)]
    paragraphs = [
        *(f"{title}: {text}" for title, text in purposes if text),
        _released(result),
        _protected(result),
        f"Residual risk: the most exposed person can be picked out with a chance of "
        f"{measures.privacy.risk_max:.1%}, the average one with {measures.privacy.risk_mean:.1%}, "
        f"by somebody who knows that they are in the table.",
        f"Utility: {measures.utility:.0%} of the detail of the key variables is left (1 − NCP).",
    ]
    rows = [
        ("k-anonymity", f"{task.k:,}", figure(measures.privacy.k), "✓", PROOF),
        *(
            (
                f"{proof.requirement.model.title}: {proof.requirement.column.name}",
                str(proof.requirement.model),
                figure(proof.figure),
                "✓",
                PROOF,
            )
            for proof in measures.privacy.required
        ),
        *_risk_row(result),
    ]
    columns = ("Requirement", "Asked for", "Worst has", "Holds", "Proof")
    return Section("Summary", paragraphs, columns, rows)


def _risk_row(result: FinishedRun) -> list[tuple[str, ...]]:
    """Return the row for a bound of the risk, where one is required."""
    bound = result.task.privacy.risk
    reached = result.risk_reached
    if bound is None or reached is None:
        return []
    return [(f"{bound.model.capitalize()} risk", str(bound), figure(reached), "✓", PROOF)]


def _released(result: FinishedRun) -> str:
    task = result.task
    measures = result.measures
    quasi = [attribute.name for attribute in task.quasi]
    parts = [
        f"{task.n - measures.suppressed_records:,} of {task.n + task.dropped_missing:,} records. "
        f"Key variables (quasi-identifiers), generalised: {_names_text(quasi)}"
    ]
    if task.published_as_they_are:
        parts.append(f"published as they are: {_names_text(task.published_as_they_are)}")
    if task.left_out:
        parts.append(f"removed, direct identifiers among them: {_names_text(task.left_out)}")
    return f"Released: {'; '.join(parts)}."


def _protected(result: FinishedRun) -> str:
    task = result.task
    noun = "people" if task.repeated is not None else "records"
    names = joined([attribute.name for attribute in task.quasi])
    required = result.measures.privacy.required
    bounded = dict.fromkeys(proof.requirement.column.name for proof in required)
    beyond = f" What they can infer of {joined(list(bounded))} is bounded below." if bounded else ""
    return (
        f"Protected against identity disclosure: somebody who knows {names} of a person cannot "
        f"tell that person's record from at least {task.k - 1:,} other {noun}.{beyond}"
    )


def decisions_section(result: FinishedRun) -> Section:
    """Return the section of decisions, with lines for signatures."""
    texts = _texts(result)
    rows = [(name, "", "") for name in texts.signed_by]
    columns = ("Name", "Date", "Signature") if rows else ()
    return Section("Decisions and signatures", texts.decisions, columns, rows)


def context_section(result: FinishedRun) -> Section:
    """Return the section of recipients, controls and accepted risk; empty where none is given."""
    context = ReleaseContext() if result.project is None else result.project.context
    if context == ReleaseContext():
        return Section("Context of the release")
    highest = result.measures.privacy.risk_max
    bound = context.bound
    rows = [
        ("Recipients", context.recipient or ""),
        ("Purpose", context.purpose),
        ("Controls", context.controls),
        ("Population", context.population),
        ("Accepted risk of a person", "" if bound is None else f"{bound:.3g}"),
        ("Reason", context.reason),
        ("Highest risk of this release (prosecutor)", f"{highest:.3g}"),
        ("Evaluate again", context.review),
        ("Decided by", context.decided_by),
    ]
    sentences = []
    if bound is not None:
        verdict = "is within" if highest <= bound else "EXCEEDS"
        sentences.append(
            f"The highest risk of a person, {highest:.3g}, {verdict} what is accepted."
        )
    if context.preset is not None:
        preset = PRESETS[context.preset]
        sentences.append(f"Started from: {preset.title} ({preset.source}). {NO_VERDICT}")
    shown = [row for row in rows if row[1]]
    first = [f"Accepted risk: {sentences[0]}"] if bound is not None else []
    columns = ("Question", "Answer")
    return Section("Context of the release", sentences, columns, shown, headline=first)


def checklist_section(result: FinishedRun) -> Section:
    """Return a checklist of what k-anonymity does not protect against."""
    task = result.task
    required = {proof.requirement.column.name for proof in result.measures.privacy.required}
    open_ones = [column.name for column in task.sensitive if column.name not in required]
    rows = [
        (
            "Everybody of a class has the same sensitive value (homogeneity)",
            _homogeneity(result),
            f"nothing is required of {joined(open_ones)} beyond k" if open_ones else
            ("bounded by what is required beyond k" if task.sensitive else
             "no attribute is declared sensitive"),
        ),
        (
            "An outsider knows more than the key variables",
            f"{count_of(len(task.published_as_they_are), 'column')} published exactly",
            _what_outsiders_find(result),
        ),
        (
            "Two releases of the same people are put together",
            "each may be safe and both together not",
            "kanon-tui rerelease compares two; run --earlier refuses what is not safe",
        ),
        (
            "One person has several records",
            f"k counts people: {task.people:,} in {task.n:,} records"
            if task.repeated is not None else "k counts records",
            "told by the role person" if task.repeated is not None else
            "give the column that says whose a record is the role person, if there is one",
        ),
        (
            "That somebody is in the table at all (membership)",
            "not hidden",
            "whether being in it is sensitive is for the data protection officer to say",
        ),
        (
            "Who knows the algorithm excludes originals (minimality)",
            f"{result.algorithm.title}, named in this report",
            "classes keep their size; their contents can be narrowed, most at a small k: kanon-tui "
            "attack --kind minimality measures it",
        ),
        (
            "The order of the records",
            {"sorted": "sorted by what is published", "shuffled": "shuffled",
             "input": "! as in the input"}[task.output.order],
            "tells nothing" if task.output.order != "input" else
            "can give people away; output: {order: sorted} reveals nothing",
        ),
    ]  # fmt: skip
    text = (
        "k-anonymity bounds identity disclosure by the key variables, and nothing else. Tick what "
        "has been considered."
    )
    columns = ("Not protected against", "This release", "What is done, or to consider")
    marked = [(f"☐ {first}", second, third) for first, second, third in rows]
    return Section("What k-anonymity does not do", [text], columns, marked)


def _what_outsiders_find(result: FinishedRun) -> str:
    """Return how many people columns that are published exactly single out, alone and together."""
    task = result.task
    counted = result.release.all_columns
    alone = "none of them singles people out by itself"
    if task.singling_out:
        alone = f"{count_of(len(task.singling_out), 'column')} of them single people out"
    if not counted.columns.unchanged:
        return alone
    noun = "people" if counted.in_people else "records"
    unique = counted.but_sensitive.unique
    return f"{alone}; all together, {unique:,} of {counted.total:,} {noun} are unique"


def _homogeneity(result: FinishedRun) -> str:
    disclosures = result.measures.privacy.disclosures
    counts = [f"{name}: {disclosure.revealed:,} people" for name, disclosure in disclosures.items()]
    return first_few(counts, _NAMES_SHOWN) or "no sensitive attribute"


def _texts(result: FinishedRun) -> ReportTexts:
    return result.project.report if result.project is not None else ReportTexts()


def _names_text(names: list[str] | tuple[str, ...]) -> str:
    return first_few(list(names), _NAMES_SHOWN)
