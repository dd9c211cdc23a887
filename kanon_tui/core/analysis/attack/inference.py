"""Inference: a sensitive value learnt from the rows that fit a person, or by a model.

From the class: every published row whose cells cover what is known of a person may be hers. Where
all of them have one value, it is certain (homogeneity). Somebody who knows n values that she does
not have excludes them (background knowledge): with at most n + 1 values left, it is certain again.

By a model: a decision tree learns the sensitive attribute from the published cells and predicts it
for the people of the original. On people who were not in the data it is right as often, if the
release tells no more than what holds for everybody.

References: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, l-Diversity, ICDE 2006; Giomi and
others, Anonymeter, PoPETs 2023.

Combinatorial refinement: classes excluded because everybody must be in exactly one.

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

Minimality: worlds excluded because the algorithm would have published them more finely.

An attacker knows the algorithm, k and what is required beyond it, and who is in a class (by the
quasi-identifiers), but not who has which of its sensitive values. Every way to hand the values to
the people is a world. Worlds in which the class could have been cut in two, with k people and all
that is required on either side, are excluded: a clustering that generalises no more than it must
would have cut it. In the worlds that are left some people have a value more often than the class
says.

A person is hit where her true value has a higher share in these worlds than any value has in her
class. All worlds are enumerated up to `MOST_WORLDS`, else as many are drawn by the seed. Cuts are
those between two neighbouring numbers and around one label below the common one. Classes whose box
fits more people than they have are passed over, and so are full-domain releases: their levels are
decided for the whole table. k alone does not depend on sensitive values, so that it tells nothing.

Reference: Wong, Fu, Wang, Pei, Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import factorial, prod

import numpy as np
import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.matching import Covering, lists_by_key
from kanon_tui.core.analysis.published_cells import ValueGroups
from kanon_tui.core.analysis.why.classes import cut_sides
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Family, Task
from kanon_tui.core.text import count_of

NEGATIONS = (1, 2)
"""Numbers of values that somebody knows a person not to have."""
MOST_VALUES = 50
"""Values of a category that a model tells apart, and that it can predict."""


def inference(attacked: AttackedRelease) -> list[AttackResult]:
    """Return an attack from the class and one by a model for every sensitive attribute."""
    results = []
    for column in attacked.sensitive:
        results.append(_from_class(attacked, column))
        if len(column.values) <= MOST_VALUES:
            results.append(_by_model(attacked, column))
        attacked.check(len(results), 2 * len(attacked.sensitive))
    return results


def learnt_values(
    attacked: AttackedRelease, name: str, table: Table, fit: Covering
) -> tuple[Int64s, Flags]:
    """Return per record of a table how many values the rows that fit it have, and a verdict.

    The verdict is whether the most frequent of them is the record's own. A record whose value is
    missing has 0 values.
    """
    printed, texts = (source.column(name, Kind.CATEGORICAL) for source in (attacked.table, table))
    rows = pl.DataFrame({"row": attacked.classes.row_of, "code": printed.codes})
    counts = rows.group_by("row", "code").len().with_columns(pl.col("row").cast(pl.Int64))
    pairs = pl.DataFrame({"record": fit.record, "row": fit.row})
    shown = pairs.join(counts, on="row").group_by("record", "code").agg(pl.col("len").sum())
    ordered = shown.sort(["record", "len", "code"], descending=[False, True, False])
    by_record = ordered.group_by("record", maintain_order=True)
    by_person = by_record.agg(pl.len().alias("values"), pl.col("code").first())
    learnt = np.zeros((2, len(fit.records.sizes)), dtype=np.int64)
    learnt[:, by_person["record"].to_numpy()] = by_person.select("values", "code").to_numpy().T
    values, guess = learnt[:, fit.records.row_of]
    true_texts = np.array(texts.values, dtype=object)[texts.codes]
    right = (np.array(printed.values, dtype=object)[guess] == true_texts) & (values > 0)
    missing = texts.codes == (-1 if texts.missing is None else texts.missing)
    return np.where(missing, 0, values), np.asarray(right, dtype=bool)


def _from_class(attacked: AttackedRelease, column: Column) -> AttackResult:
    task = attacked.task
    values, right = learnt_values(attacked, column.name, task.table, attacked.fit)
    certain = right & (values == 1)
    with_one_negation, with_two_negations = (
        task.count((values > 0) & (values <= n + 1)) for n in NEGATIONS
    )
    control = None
    beyond = ""
    if attacked.control is not None and column.name in attacked.control.names:
        fit = attacked.fit_of(attacked.control)
        control_values, guessed = learnt_values(attacked, column.name, attacked.control, fit)
        control = len(control_values), int((guessed & (control_values == 1)).sum())
        beyond = f", and of {guessed.mean():.1%} of those who were not in the data"
    agreed, one_known = (
        count_of(n, "person", "people") for n in (task.count(certain), with_one_negation)
    )
    return AttackResult(
        f"Inference of {column.name}, class",
        attacked.task.people,
        task.count(certain),
        control,
        attacked.worst_class(attacked.hits(certain)),
        (
            f"All rows that fit them agree on {column.name} for {agreed}. "
            f"Whoever knows one value that a person does not have is certain about {one_known}, "
            f"with two such values about {with_two_negations:,}.",
            f"Guessing the most frequent value of the rows that fit is right for "
            f"{right.mean():.1%} of the records{beyond}.",
        ),
        f"require l-diversity, t-closeness or a bound of the share of {column.name}",
    )


def _by_model(attacked: AttackedRelease, column: Column) -> AttackResult:
    trees = require("sklearn.tree", "attacking by a decision tree")
    printed = attacked.table.column(column.name, Kind.CATEGORICAL)
    tree = trees.DecisionTreeClassifier(min_samples_leaf=max(5, attacked.task.k), random_state=0)
    tree.fit(_matrix(attacked, attacked.table), printed.codes)

    def right(table: Table) -> Flags:
        texts = table.column(column.name, Kind.CATEGORICAL)
        guess = np.array(printed.values)[tree.predict(_matrix(attacked, table))]
        return np.asarray(guess == np.array(texts.values)[texts.codes], dtype=bool)

    hits = right(attacked.task.table)
    control = None
    beyond = ""
    if attacked.control is not None and column.name in attacked.control.names:
        control_hits = right(attacked.control)
        control = len(control_hits), int(control_hits.sum())
        beyond = f"; for people who were not in the data {control_hits.mean():.1%}"
    commonest = int(np.bincount(printed.codes).max()) / max(len(printed.codes), 1)
    return AttackResult(
        f"Inference of {column.name}, model",
        attacked.task.people,
        attacked.task.count(hits),
        control,
        sentences=(
            f"A tree that learnt from the release predicts {column.name} rightly for "
            f"{hits.mean():.1%} of the records{beyond}. Always guessing the most frequent value "
            f"is right for {commonest:.1%}. Only what exceeds the people who were not in the data "
            f"is due to the release.",
        ),
        remedy=f"require t-closeness of {column.name}, or a larger k",
    )


def _matrix(attacked: AttackedRelease, table: Table) -> Floats:
    """Return records of a table or rows of the release × features.

    A number is the middle of what its cell covers; a category has a share in each of its most
    frequent values. A category that neither data nor hierarchy know counts as hidden.
    """
    features = []
    for read in attacked.published.cells:
        column = read.attribute.column
        texts = table.column(column.name, Kind.CATEGORICAL)
        values: Sequence[str] = texts.values
        if not column.kind.ordered and table is not attacked.table:
            values = [value if value in read.attribute.known else HIDDEN for value in values]
        cells = read.attribute.read(values, attacked.name)
        if column.kind.ordered:
            line = cells.attribute.line if len(cells.attribute.line) else np.zeros(1)
            low, high = (np.clip(end, line[0], line[-1]) for end in (cells.low, cells.high))
            cell_features = np.where(cells.missing, line[0] - 1, (low + high) / 2)[:, None]
        else:
            order = np.argsort(-column.counts, kind="stable")[:MOST_VALUES]
            groups = np.full(len(column.values), len(order), dtype=np.int64)
            groups[order] = np.arange(len(order))
            labels = tuple(map(str, range(len(order) + 1)))
            cell_features = ValueGroups(column, labels, groups).covered(cells)
            cell_features = cell_features / np.maximum(cell_features.sum(axis=1, keepdims=True), 1)
        features.append(np.nan_to_num(cell_features)[texts.codes])
    return np.hstack(features)


MOST_PAIRS = 5_000_000


def possible_pairs(attacked: AttackedRelease) -> Flags | None:
    """Return for every pair of the fit whether some assignment has it; None if there is none."""
    sparse = require("scipy.sparse", "the attack by refinement")
    graphs = require("scipy.sparse.csgraph", "the attack by refinement")
    fit = attacked.fit
    classes = attacked.classes
    if len(fit.record) > MOST_PAIRS:
        raise InputError(
            f"refinement: {len(fit.record):,} pairs of a record and a class that fits it are too "
            f"many to solve; at most {MOST_PAIRS:,}: attack a sample, or fewer quasi-identifiers"
        )
    records = len(fit.records.sizes)
    rows = len(classes.sizes)
    left_out = int(fit.records.sizes.sum()) - int(classes.sizes.sum())
    if left_out < 0:
        return None
    record = fit.record
    row = fit.row
    if left_out:  # suppressed people: a class that fits everybody
        record = np.append(record, np.arange(records))
        row = np.append(row, np.full(records, rows))
    sizes = np.append(classes.sizes, [left_out] if left_out else []).astype(np.int64)
    source = records + len(sizes)
    sink = records + len(sizes) + 1
    tail = np.concatenate([np.full(records, source), record, records + np.arange(len(sizes))])
    head = np.concatenate([np.arange(records), records + row, np.full(len(sizes), sink)])
    room = np.concatenate([fit.records.sizes, fit.records.sizes[record], sizes])
    graph = sparse.csr_matrix((room.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
    attacked.check(0, 1)
    flow = graphs.maximum_flow(graph, source, sink)
    if flow.flow_value != int(fit.records.sizes.sum()):
        return None
    used = np.asarray(flow.flow[record, records + row]).ravel()
    more = used < fit.records.sizes[record]
    less = used > 0
    residual = (
        np.concatenate([record[more], records + row[less]]),
        np.concatenate([records + row[more], record[less]]),
    )
    ones = np.ones(len(residual[0]), dtype=np.int8)
    shape = (source, source)
    _, component = graphs.connected_components(
        sparse.csr_matrix((ones, residual), shape), connection="strong"
    )
    possible = less | (component[record] == component[records + row])
    attacked.check(1, 1)
    maybe_left_out = np.zeros(records, dtype=bool)
    maybe_left_out[record[len(fit.record) :][possible[len(fit.record) :]]] = True
    # Somebody who may be suppressed has no certain value: her pairs are told as possible, all.
    return np.asarray(possible[: len(fit.record)] | maybe_left_out[fit.record], dtype=bool)


def refinement(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people whose sensitive value the possible classes agree on."""
    fit = attacked.fit
    possible = possible_pairs(attacked)
    if possible is None:
        sentence = (
            "The people of the data cannot be put into the classes of the release; it was made of "
            "other records, or cells are hidden one by one."
        )
        return [AttackResult("Refinement", attacked.task.people, 0, sentences=(sentence,))]
    narrowed = np.bincount(fit.record[~possible], minlength=len(fit.records.sizes)) > 0
    refined = replace(fit, record=fit.record[possible], row=fit.row[possible])
    excluded = attacked.task.count(narrowed[fit.records.row_of])
    classes = f"Classes are excluded for {count_of(excluded, 'person', 'people')}."
    results = []
    for column in attacked.sensitive:
        before, after = (
            right & (values == 1)
            for values, right in (
                learnt_values(attacked, column.name, attacked.task.table, covering)
                for covering in (fit, refined)
            )
        )
        results.append(
            AttackResult(
                f"Refinement of {column.name}",
                attacked.task.people,
                attacked.task.count(after),
                worst=attacked.worst_class(attacked.hits(after & ~before)),
                sentences=(
                    f"{classes} {column.name} is certain of {attacked.task.count(after):,} people; "
                    f"without excluding classes of {attacked.task.count(before):,}.",
                ),
                remedy="ranges that do not overlap (overlap: false), or l-diversity",
            )
        )
    alone = AttackResult("Refinement", attacked.task.people, excluded, sentences=(classes,))
    return results or [alone]


MOST_WORLDS = 2_000
MOST_CLASSES = 2_000
_REMEDY = "ties broken at random, or a stricter requirement (l + 1)"


def minimality(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people of whom excluded worlds tell more than their class."""
    task = attacked.task
    title = "Minimality"
    family = find_algorithm(attacked.project.algorithm.name).family
    if family is Family.FULL_DOMAIN or not task.requirements:
        why = (
            "levels are decided for the whole table, not class by class"
            if task.requirements
            else "nothing is required of sensitive attributes, and k does not depend on them"
        )
        sentence = f"Nothing can be learnt from minimality: {why}."
        return [AttackResult(title, task.people, 0, sentences=(sentence,))]
    results = []
    for column in {
        requirement.column.name: requirement.column for requirement in task.requirements
    }.values():
        hit = np.zeros(task.n, dtype=bool)
        hits = []
        looked_at = 0
        for row, members in enumerate(_members(attacked)):
            hits.append(0)
            if len(members) and looked_at < MOST_CLASSES:
                exposed = _exposed(task, members, column)
                looked_at += exposed is not None
                if exposed is not None:
                    hit[members[exposed]] = True
                    hits[-1] = int(exposed.sum())
            attacked.check(row + 1, len(attacked.classes.sizes))
        results.append(
            AttackResult(
                f"{title}: {column.name}",
                task.people,
                task.count(hit),
                worst=attacked.worst_class(np.array(hits, dtype=np.int64)),
                sentences=(
                    f"{count_of(looked_at, 'class', 'classes')} could be cut for k alone. The "
                    f"worlds in which nothing forbids the cut are excluded; in the others "
                    f"{count_of(task.count(hit), 'person has', 'people have')} their true "
                    f"{column.name} more often than any value stands in their class.",
                ),
                remedy=_REMEDY,
            )
        )
    return results


def _members(attacked: AttackedRelease) -> Iterator[Int64s]:
    """Yield the records of every class; none where more people fit its box than it has."""
    fit = attacked.fit
    row_of = attacked.fit.records.row_of
    records = lists_by_key(row_of, np.arange(len(row_of)), len(fit.records.sizes))
    for distinct, size in zip(fit.neighbours[1], attacked.classes.sizes, strict=True):
        exact = fit.records.sizes[distinct].sum() == size
        yield np.concatenate(
            [np.zeros(0, np.int64), *(records[record] for record in distinct if exact)]
        )


def _exposed(task: Task, members: Int64s, column: Column) -> Flags | None:
    """Return the members of whom consistent worlds tell more; None where no cut keeps k."""
    sides = [
        side
        for attribute in task.quasi
        for side in cut_sides(attribute, attribute.column.codes[members])
    ]
    cuts = [side for side in sides if min(side.sum(), (~side).sum()) >= task.k]
    if not cuts:
        return None
    truth = column.codes[members].astype(np.int64)
    shares = chances(
        truth,
        cuts,
        [requirement for requirement in task.requirements if requirement.column is column],
    )
    if shares is None:
        return np.zeros(len(members), dtype=bool)
    _, value_of_member = np.unique(truth, return_inverse=True)
    commonest = np.bincount(value_of_member).max() / len(truth)
    return np.asarray(shares[np.arange(len(truth)), value_of_member] > commonest + 1e-9, dtype=bool)


def chances(
    truth: Int64s, cuts: list[Flags], requirements: list[ColumnRequirement]
) -> Floats | None:
    """Return members × values: the share of consistent worlds in which a member has a value.

    `truth` are the codes of the members' values, `cuts` one side each. None where no world that was
    looked at is consistent.
    """
    values, counts = np.unique(truth, return_counts=True)
    worlds = _worlds(values, counts)
    open_cut = np.zeros(len(worlds), dtype=bool)
    for side in cuts:
        holds = np.ones(len(worlds), dtype=bool)
        for requirement in requirements:
            for part in (side, ~side):
                number = np.repeat(np.arange(len(worlds)), int(part.sum()))
                groups = GroupValues.from_records(number, worlds[:, part].ravel(), len(worlds))
                holds &= requirement.gaps(groups) <= 0
        open_cut |= holds
    consistent = worlds[~open_cut]
    if not len(consistent):
        return None
    return np.stack([(consistent == value).mean(axis=0) for value in values], axis=1)


def _worlds(values: Int64s, counts: Int64s) -> Int64s:
    """Return worlds × members: every different order of the values, or some drawn by a seed."""
    size = int(counts.sum())
    every = factorial(size) // prod(factorial(int(count)) for count in counts)
    if every <= MOST_WORLDS:
        orders = list(_orders(tuple(counts.tolist()), size))
        return values[np.array(orders, dtype=np.int64)]
    chance = np.random.default_rng(size)
    drawn = chance.permuted(np.tile(np.repeat(values, counts), (MOST_WORLDS, 1)), axis=1)
    return np.asarray(drawn, dtype=np.int64)


def _orders(counts: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the different orders of a multiset given by its counts."""
    if not size:
        yield ()
    for place, count in enumerate(counts):
        if count:
            fewer = (*counts[:place], count - 1, *counts[place + 1 :])
            for order in _orders(fewer, size - 1):
                yield (place, *order)
