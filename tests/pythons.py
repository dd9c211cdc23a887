"""Try Kanon on every supported Python that can be had: `make test-pythons`.

    python -m tests.pythons                    kernels, a run and a screen on each
    python -m tests.pythons --suite            every test on each
    python -m tests.pythons --required         a Python that is not found is a failure
    python -m tests.pythons --root /srv/sid    look into another system as well, entered by chroot

Which Pythons are supported is what the classifiers of the package say. They are looked for on the
PATH, where pyenv and uv keep theirs, and below the given roots. Each gets an environment of its
own with the locked packages, in `build/pythons`; in a root, beside a copy of the sources.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.paths import ROOT

ENVIRONMENTS = ROOT / "build" / "pythons"
LOCK = ROOT / "constraints.txt"
VERSION = "import sys; print('{}.{}'.format(*sys.version_info))"
A_FEW_TESTS = (
    "tests/core/test_numeric.py",
    "tests/core/kernels",
    "tests/commands/test_run.py",
    "tests/screens/test_journey.py",
)
A_RUN = ("-m", "kanon_tui", "run", "sample_data/ward/project.yaml", "--algorithm", "global")


@dataclass(frozen=True)
class Python:
    """An interpreter, of this system or of one below `root`."""

    command: str
    root: Path | None = None

    def __str__(self) -> str:
        return f"{self.command} below {self.root}" if self.root else self.command

    @property
    def inside(self) -> list[str]:
        """Return the beginning of a command line that runs where this Python is."""
        return ["chroot", str(self.root), "env", "-C"] if self.root else ["env", "-C"]

    def version(self) -> str | None:
        """Return its version, such as 3.13; None where it does not run."""
        command = [*self.inside, "/", self.command, "-c", VERSION]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def folder(self, version: str) -> Path:
        """Return where the sources are that it is tried with, as seen from this system."""
        if self.root is None:
            return ROOT
        return self.root / "opt" / f"kanon-tui-{version}"

    def path(self, place: Path) -> str:
        """Return how this Python calls a place."""
        return "/" + str(place.relative_to(self.root)) if self.root else str(place)


def supported_versions() -> list[str]:
    """Return the versions that the classifiers of the package name, the oldest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = (re.fullmatch(r".*:: (3\.\d+)", text) for text in project["classifiers"])
    return [match[1] for match in named if match]


def candidates(version: str, roots: Sequence[Path]) -> Iterator[Python]:
    """Yield where a version may be: PATH, pyenv, uv, and other systems."""
    name = f"python{version}"
    for folder in os.get_exec_path():
        if shutil.which(name, path=folder):
            yield Python(str(Path(folder) / name))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for python in sorted((pyenv / "versions").glob(f"{version}.*/bin/python")):
        yield Python(str(python))
    if uv := shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"):
        command = [uv, "python", "find", "--no-project", "--system", version]
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode == 0:
            yield Python(answer.stdout.strip())
    for root in roots:
        for folder in ("usr/local/bin", "usr/bin"):
            if (root / folder / name).exists():
                yield Python(f"/{folder}/{name}", root)


def find(version: str, roots: Sequence[Path]) -> Python | None:
    """Return the first Python of a version that runs; a shim of pyenv may name none."""
    pythons = candidates(version, roots)
    return next((python for python in pythons if python.version() == version), None)


def copy_sources(folder: Path) -> None:
    """Copy what git knows, as it is now, into a folder of another system."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def environment(python: Python, version: str) -> str:
    """Return the interpreter of an environment with the locked packages; make it where needed."""
    sources = python.folder(version)
    place = sources / ENVIRONMENTS.relative_to(ROOT) / version
    interpreter = python.path(place / "bin" / "python")
    locked = sha256(LOCK.read_bytes() + str(python).encode()).hexdigest()
    mark = place / "locked"
    if not mark.exists() or mark.read_text(encoding="ascii") != locked:
        mark.unlink(missing_ok=True)
        run_there(python, version, python.command, "-m", "venv", "--clear", python.path(place))
        pip = (interpreter, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
        hashed = ("--require-hashes", "--only-binary", ":all:", "--requirement", LOCK.name)
        run_there(python, version, *pip, *hashed)
        alone = ("--no-index", "--no-deps", "--no-build-isolation", "--editable", ".")
        run_there(python, version, *pip, *alone)
        mark.write_text(locked, encoding="ascii")
    return interpreter


def run_there(python: Python, version: str, *command: str) -> None:
    """Run a command in the sources, where this Python is; raise an error if it fails."""
    sources = python.path(python.folder(version))
    subprocess.run([*python.inside, sources, *command], check=True)


def attempt(python: Python, version: str, suite: bool) -> None:
    """Compile, run and test on one Python; raise an error for the first step that fails."""
    if python.root:
        copy_sources(python.folder(version))
    interpreter = environment(python, version)
    run_there(python, version, interpreter, "hatch_build.py")
    run_there(python, version, interpreter, *A_RUN)
    tests = () if suite else ("-n", "0", *A_FEW_TESTS)
    run_there(python, version, interpreter, "-m", "pytest", "-p", "no:cacheprovider", *tests)


def main() -> int:
    """Try every supported version; return 1 where one fails, or is required and not found."""
    parser = argparse.ArgumentParser(description="Try Kanon on every supported Python.")
    parser.add_argument("--suite", action="store_true", help="run every test")
    parser.add_argument("--required", action="store_true", help="fail where a Python is not found")
    parser.add_argument("--root", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("versions", nargs="*", help="such as 3.13; all that are supported")
    args = parser.parse_args()
    outcomes: dict[str, str] = {}
    failed = False
    for version in args.versions or supported_versions():
        python = find(version, [root.resolve() for root in args.root])
        if python is None:
            outcomes[version] = "not found on the PATH, in pyenv, in uv or below a --root"
            failed |= args.required
            continue
        print(f"Python {version}: {python}", flush=True)
        try:
            attempt(python, version, args.suite)
        except subprocess.CalledProcessError as error:
            outcomes[version] = f"failed ({python}): {' '.join(map(str, error.cmd[-6:]))}"
            failed = True
        else:
            outcomes[version] = f"passed ({python})"
    for version, outcome in outcomes.items():
        print(f"Python {version}: {outcome}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
