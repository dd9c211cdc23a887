"""The bundled samples: small worked examples and a census-like table, each with its project.

They lie in `sample_data/` at the top of the repository and inside the package once it is installed.
`samples.yaml` there is the list, in the order in which they are offered.
"""

from dataclasses import dataclass, fields
from pathlib import Path

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import read_yaml


@dataclass(frozen=True)
class Sample:
    """A bundled example project."""

    name: str
    title: str
    description: str
    project: Path
    teaches: str
    """What a class can learn from it."""
    purpose: str
    """Why it is opened: samples of one purpose are listed together."""


def samples_folder() -> Path:
    """Return the folder of the bundled samples."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "sample_data", package.parent / "sample_data"):
        if (folder / "samples.yaml").is_file():
            return folder
    raise InputError("the bundled samples are not installed; reinstall kanon-tui")


def list_samples() -> list[Sample]:
    """Return every bundled sample."""
    folder = samples_folder()
    listed = read_yaml(folder / "samples.yaml", "list of samples")
    samples = []
    for entry in LocatedValue("samples.yaml", "", listed).items("a list of samples"):
        keys = [field.name for field in fields(Sample)]
        texts = {key: located.text() for key, located in entry.entries(keys).items()}
        project = folder / texts.pop("project")
        samples.append(Sample(**texts, project=project))
    return samples


def find_sample(name: str) -> Sample:
    """Return the sample of this name; the error for a misspelt one suggests the nearest."""
    samples = {sample.name: sample for sample in list_samples()}
    check_known(name, samples, f"demo: there is no sample '{name}'")
    return samples[name]


def sample_of_algorithm(name: str) -> Sample | None:
    """Return the sample that shows an algorithm best; None where there is none."""
    from kanon_tui.core.algorithms import ALGORITHMS

    sample_name = ALGORITHMS[name].sample if name in ALGORITHMS else ""
    return find_sample(sample_name) if sample_name else None
