"""The attack suite on Adult: success rates in people, beside a tenth that was held out.

    python -m benchmarks.attacks --k 2 5 10 --algorithms global mondrian k-member top-down udc sbc

Nine tenths of the records are anonymised with the settings of sample `adult`, salary being
sensitive. With --labels clusterings publish labels of hierarchies instead of ranges, with --l every
class has that many different salaries at least: the counter-measures.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace

import numpy as np

from benchmarks.timing import print_table
from kanon_tui.core.analysis.attack.suite import attack_release
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.result import anonymize
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.schema import Kind, Role

__all__ = ["project_for"]

KINDS = ("singling-out", "downcoding", "linkability", "inference", "refinement", "minimality")


def project_for(algorithm: str, k: int, labels: bool = False, l_value: int = 0) -> Project:
    """The sample with salary sensitive, one algorithm and one k."""
    sample = Project.load(find_sample("adult").project)
    specs = dict(sample.attributes)
    specs["salary"] = replace(specs["salary"], role=Role.SENSITIVE)
    if labels:
        for name, spec in specs.items():
            if spec.role is Role.QUASI and spec.kind is Kind.NUMERIC:
                specs[name] = replace(spec, publish="hierarchy")
    made = replace(sample, attributes=specs, algorithm=AlgorithmChoice(algorithm))
    return made.with_(k=k, **({"l": l_value} if l_value else {}))


def main() -> None:
    """Print a line per algorithm and k."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10])
    names = ["global", "mondrian", "k-member", "top-down", "udc", "sbc"]
    parser.add_argument("--algorithms", nargs="+", default=names)
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--l", type=int, default=0)
    args = parser.parse_args()
    rows = []
    for algorithm in args.algorithms:
        for k in args.k:
            made = project_for(algorithm, k, args.labels, args.l)
            frame = made.read_data().frame
            held = np.random.default_rng(0).random(frame.height) < 0.1
            try:
                result = anonymize(made, frame.filter(~held))
            except KanonError as error:
                rows.append([algorithm, str(k), str(error)[:60], *[""] * 8])
                continue
            found, start = {}, time.perf_counter()
            for kind in KINDS:
                for each in attack_release(result, kind, control=frame.filter(held)):
                    found[each.title] = each
            seconds = time.perf_counter() - start
            told = []
            for each in found.values():
                control = "" if each.control_rate is None else f" ({each.control_rate:.1%})"
                told.append(f"{each.rate:.1%}{control}")
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rows.append([algorithm, str(k), *told, f"{seconds:.1f} s", f"{memory:.0f} MB"])
            print(rows[-1], flush=True)
    head = ["algorithm", "k", "singling out", "downcoding", "linkability", "inference", "model",
            "refinement", "minimality", "time", "peak"]  # fmt: skip
    print_table("success rates in people (people who were not in the data)", head, rows)


if __name__ == "__main__":
    main()
