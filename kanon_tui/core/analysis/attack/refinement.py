"""Combinatorial refinement: classes excluded because everybody must be in exactly one.

Classes of a locally recoded release may overlap, and a person may fit several. But every class has
as many people as it prints rows: putting people into classes is a transportation problem, and a
class that a person is in under none of its solutions is excluded. What is left tells her sensitive
value where all possible classes agree.

One maximum flow is a solution, which the linear program has as a vertex; a person can be in another
class exactly where the two lie on a cycle of the residual graph (its strongly connected
components). Suppressed people form a class of their own that fits everybody.

Cost: one flow over the pairs of a distinct record and a class that fits it, `MOST_PAIRS` at most.

Reference: the refinement attacks on locally recoded k-anonymity of arXiv 2509.03350; Ford,
Fulkerson, Flows in Networks, 1962.
"""

from dataclasses import replace

import numpy as np

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.inference import learnt_values
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags

MOST_PAIRS = 5_000_000


def possible_pairs(attacked: AttackedRelease) -> Flags | None:
    """Return for every pair of the fit whether some assignment has it; None if there is none."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, maximum_flow

    fit, classes = attacked.fit, attacked.classes
    if len(fit.record) > MOST_PAIRS:
        raise InputError(
            f"refinement: {len(fit.record):,} pairs of a record and a class that fits it are too "
            f"many to solve; at most {MOST_PAIRS:,}: attack a sample, or fewer quasi-identifiers"
        )
    records, rows = len(fit.records.sizes), len(classes.sizes)
    left_out = int(fit.records.sizes.sum()) - int(classes.sizes.sum())
    if left_out < 0:
        return None
    record, row = fit.record, fit.row
    if left_out:  # suppressed people: a class that fits everybody
        record = np.append(record, np.arange(records))
        row = np.append(row, np.full(records, rows))
    sizes = np.append(classes.sizes, [left_out] if left_out else []).astype(np.int64)
    source, sink = records + len(sizes), records + len(sizes) + 1
    tail = np.concatenate([np.full(records, source), record, records + np.arange(len(sizes))])
    head = np.concatenate([np.arange(records), records + row, np.full(len(sizes), sink)])
    room = np.concatenate([fit.records.sizes, fit.records.sizes[record], sizes])
    graph = csr_matrix((room.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
    attacked.check(0, 1)
    flow = maximum_flow(graph, source, sink)
    if flow.flow_value != int(fit.records.sizes.sum()):
        return None
    used = np.asarray(flow.flow[record, records + row]).ravel()
    more, less = used < fit.records.sizes[record], used > 0
    residual = (
        np.concatenate([record[more], records + row[less]]),
        np.concatenate([records + row[more], record[less]]),
    )
    ones = np.ones(len(residual[0]), dtype=np.int8)
    shape = (source, source)
    _, component = connected_components(csr_matrix((ones, residual), shape), connection="strong")
    possible = less | (component[record] == component[records + row])
    attacked.check(1, 1)
    maybe_left_out = np.zeros(records, dtype=bool)
    maybe_left_out[record[len(fit.record) :][possible[len(fit.record) :]]] = True
    # Somebody who may be suppressed has no certain value: her pairs are told as possible, all.
    return np.asarray(possible[: len(fit.record)] | maybe_left_out[fit.record], dtype=bool)


def attack(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people whose sensitive value the possible classes agree on."""
    fit = attacked.fit
    possible = possible_pairs(attacked)
    if possible is None:
        sentence = (
            "The people of the data cannot be put into the classes of the release; it was made of "
            "other records, or cells are hidden one by one."
        )
        return [AttackResult("refinement", "Refinement", attacked.people, 0, sentences=(sentence,))]
    narrowed = np.bincount(fit.record[~possible], minlength=len(fit.records.sizes)) > 0
    refined = replace(fit, record=fit.record[possible], row=fit.row[possible])
    told = attacked.task.count(narrowed[fit.records.row_of])
    classes = f"Classes are excluded for {told:,} people."
    found = []
    for column in attacked.sensitive:
        before, after = (
            right & (values == 1)
            for values, right in (
                learnt_values(attacked, column.name, attacked.task.table, each)
                for each in (fit, refined)
            )
        )
        found.append(
            AttackResult(
                "refinement",
                f"Refinement of {column.name}",
                attacked.people,
                attacked.task.count(after),
                worst=attacked.worst_class(attacked.hits(after & ~before)),
                sentences=(
                    f"{classes} {column.name} is certain of {attacked.task.count(after):,} people; "
                    f"without excluding classes of {attacked.task.count(before):,}.",
                ),
                remedy="ranges that do not overlap (overlap: false), or l-diversity",
            )
        )
    alone = AttackResult("refinement", "Refinement", attacked.people, told, sentences=(classes,))
    return found or [alone]
