"""What every algorithm keeps, over k: a table like the papers' figures.

python -m benchmarks.quality --tables census adult --k 2 5 10 25 50 100
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from benchmarks.timing import SAMPLES, print_table
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import conclude, start
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.source import read_table

HEADS = ("algorithm", "k", "NCP", "IL", "RV", "DM", "CM", "classes", "suppressed", "seconds")
PEERS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
         "occupation")  # fmt: skip
THESIS = ("age", "sex", "native-country")


def measured(project: Project, names: list[str], ks: list[int], table=None) -> list[tuple]:
    rows = []
    for k in ks:
        asked = replace(project, privacy=replace(project.privacy, k=k))
        task = prepare(asked, table)
        for name in names:
            shown, _, given = name.partition(" ")
            key, _, value = given.partition("=")
            choice = AlgorithmChoice(shown, {key: value == "true" or value} if given else {})
            try:
                result = conclude(start(replace(asked, algorithm=choice), task=task))
            except KanonError:
                rows.append((name, k, *["–"] * 8))
                continue
            m = result.measures
            cm = "–" if m.cm is None else m.cm
            rows.append(
                (name, k, m.ncp, m.il, m.rv, m.dm, cm, m.classes, m.suppressed_records,
                 result.seconds)
            )  # fmt: skip
    return rows


def only(project: Project, names: tuple[str, ...]) -> Project:
    """The project with these quasi-identifiers alone, without hierarchies, rules or weights."""
    kept = {n: AttributeSpec(role=Role.QUASI, kind=project.attributes[n].kind) for n in names}
    others = {n: AttributeSpec(role=Role.OTHER) for n in project.attributes if n not in names}
    return replace(project, attributes={**kept, **others})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=["census", "adult"])
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10, 25, 50, 100])
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS))
    options = parser.parse_args()
    for name in options.tables:
        project = Project.load(SAMPLES / name / "project.yaml")
        print_table(f"{name}, as its project says", HEADS,
                    measured(project, options.algorithms, options.k))  # fmt: skip
    adult = Project.load(SAMPLES / "adult" / "project.yaml")
    flat = [
        "top-down refine=true",
        "top-down",
        "top-down growth=records",
        "bottom-up",
        "k-member",
        "mondrian",
    ]
    print_table("adult, the eight usual attributes, no hierarchies", HEADS,
                measured(only(adult, PEERS), flat, [5, 10]))  # fmt: skip
    whole = read_table(adult.data_path)
    first = replace(whole, frame=whole.frame.head(5000))
    thesis = replace(adult, attributes={
        n: replace(s, role=s.role if n in THESIS else Role.OTHER, rv=None, weight=None)
        for n, s in adult.attributes.items()
    })  # fmt: skip
    names = ["sbc", "sd", "mondrian", "incognito", "datafly"]
    print_table("adult, first 5,000, age, sex, native-country", HEADS,
                measured(thesis, names, [10, 25, 50, 100], first))  # fmt: skip


if __name__ == "__main__":
    main()
