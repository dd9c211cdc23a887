"""Tasks derived from another: over counted rows, or over some of the records.

A task over counted rows has distinct tuples, each with the number of records it stands for.
Full-domain searches, Mondrian, the repair of classes, the recoder and the metrics work on it as on
records, with the same results. An algorithm that would treat equal records differently refuses it.
"""

from collections.abc import Mapping
from dataclasses import replace

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.task import QuasiIdentifier, Task


def with_counted_rows(task: Task, codes: Mapping[str, Int32s], copies: Int64s) -> Task:
    """Return the task over counted rows; `codes` has the codes of the rows by column name.

    Every quasi-identifier needs codes, and so does every column that something is required of.
    Another sensitive column may go without: it then knows how many records have each value. A
    task that counts people cannot be counted so: `prepare` refuses it.
    """
    bound = task.release_risk or task.subsets
    if bound is not None:
        raise InputError(
            f"{bound} is required, which cannot be proven piece by piece; use --engine memory"
        )

    def with_codes(column: Column) -> Column:
        if column.name not in codes:
            return column
        # Rows may tell fewer values apart; how many records have each stays known.
        counts = column.counts
        return replace(column, codes=codes[column.name], copies=copies, value_counts=counts)

    def attribute_with_codes(attribute: QuasiIdentifier) -> QuasiIdentifier:
        column = with_codes(attribute.column)
        return replace(attribute, column=column, hierarchy=attribute.hierarchy.with_column(column))

    return replace(
        task,
        quasi=tuple(map(attribute_with_codes, task.quasi)),
        sensitive=tuple(map(with_codes, task.sensitive)),
        personal_k=task.personal_k and with_codes(task.personal_k),
        copies=copies,
    )


def part_of(task: Task, records: Int64s, seed: int) -> Task:
    """Return the task of some of the records.

    Values, domains, hierarchies, rules and weights stay those of the whole, so that a range loses
    as much here as there. What is required beyond k is left to whoever puts the parts together.
    """

    def taken(attribute: QuasiIdentifier) -> QuasiIdentifier:
        column = attribute.column
        return replace(attribute, column=replace(column, codes=column.codes[records]))

    return replace(
        task,
        table=replace(task.table, frame=task.table.frame[records]),
        quasi=tuple(map(taken, task.quasi)),
        sensitive=(),
        personal_k=None,
        person=None,
        privacy=replace(task.privacy, k=task.k, requirements=(), personal_k=None, risk=None),
        seed=seed,
    )
