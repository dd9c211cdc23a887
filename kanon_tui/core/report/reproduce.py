"""The command line that makes a release again, and obstacles to making the same one.

The command overrides algorithm, parameters, k and seed of a project file; everything else (data,
roles, hierarchies, rules, weights, suppression, output) comes from the file. A release can be made
again exactly when the file says of those what the run was made with: `obstacle` tells.
"""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_tui.core.addresses import without_secrets
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.sections import ReleaseContext, ReportTexts, Resources
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.read_options import SIZE
from kanon_tui.core.text import is_visible


def reproduce(
    result: FinishedRun, saved: Project | None = None, out: str | Path = "release.csv"
) -> str:
    """Return the command that makes this release again, quoted for a shell.

    `saved` is the project as its file has it: the command then names the file in full, and states
    every parameter that the file sets otherwise.
    """
    name = result.algorithm.name
    words = [
        "kanon-tui", "run", _file(result, saved), "--algorithm", name,
        "--k", str(result.task.k), "--seed", str(result.task.seed),
    ]  # fmt: skip
    in_file = saved.algorithm.params if saved and saved.algorithm.name == name else {}
    for parameter in fields_of(type(result.algorithm)):
        value = getattr(result.algorithm, parameter.name)
        if value != parameter.default or in_file.get(parameter.name, value) != value:
            words += ["--set", f"{parameter.name}={_text(value)}"]
    return " ".join(map(_quoted, [*words, *_engine(result), "--out", str(out)]))


def _engine(result: FinishedRun) -> list[str]:
    """Return the options for the engine of a run in pieces, with its memory and scheduler."""
    if result.engine == "memory" or result.project is None:
        return []
    resources = result.project.run
    words = ["--engine", result.engine]
    if resources.memory != "auto":
        words += ["--memory", str(SIZE.write(resources.memory))]
    if result.engine == "dask" and resources.scheduler is not None:
        words += ["--scheduler", without_secrets(resources.scheduler)]
        if not resources.scheduler.startswith("tls://"):
            words.append("--insecure")
    return words


def obstacle(result: FinishedRun, saved: Project) -> str:
    """Return why the command would not make the same release from the file; empty if it would."""
    if saved.path is None:
        return "the project is not saved yet, so there is no file to run; save it first"
    if result.project is None or not same_setup(result.project, saved):
        return (
            f"{saved.path.name} does not have the set-up of this run; save the project as it was "
            f"then, or run it again as it is saved"
        )
    if saved.privacy.ties == "random":
        return "ties: random decides by chance, so that no command makes the same release"
    return ""


def same_setup(first: Project, second: Project) -> bool:
    """Return whether two projects differ at most in what the command line can override."""
    return _bare(first) == _bare(second)


def _bare(project: Project) -> Project:
    return replace(
        project,
        data=replace(project.data, path=project.data_place),
        privacy=replace(project.privacy, k=1),
        algorithm=AlgorithmChoice(),
        seed=0,
        context=ReleaseContext(),
        report=ReportTexts(),
        run=Resources(),
        attributes={
            name: replace(spec, guessed=False, publish_unique=False)
            for name, spec in project.attributes.items()
        },
        path=None,
    )


def _file(result: FinishedRun, saved: Project | None) -> str:
    if saved is not None and saved.path is not None:
        return str(saved.path.resolve())
    made_from = result.project.path if result.project is not None else None
    return made_from.name if made_from is not None else "PROJECT.yaml"


def _quoted(word: str) -> str:
    """Return a word quoted for a shell; hidden characters are written as `$'...'`."""
    if is_visible(word):
        return shlex.quote(word)
    shown = (c if is_visible(c) and c not in "'\\" else _bytes(c) for c in word)
    return f"$'{''.join(shown)}'"


def _bytes(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode(errors="surrogateescape"))


def _text(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
