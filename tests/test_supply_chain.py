"""What is installed is what was tried: pinned, hashed, and no more than the library needs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from itertools import takewhile

from tests.commands.command_line import ENVIRONMENT, PATIENCE
from tests.paths import ROOT, SAMPLES

INTERFACE = ("textual", "textual_serve", "aiohttp", "rich")


def pinned(file: str = "constraints.txt") -> dict[str, list[str]]:
    """Return the hashes of every pinned package."""
    lines = (ROOT / file).read_text().splitlines()
    hashes: dict[str, list[str]] = {}
    for number, line in enumerate(lines):
        if not line.startswith(" "):
            name = line.partition("==")[0]
            below = takewhile(lambda text: text.startswith(" "), lines[number + 1 :])
            hashes.setdefault(name, []).extend(text.strip(" \\") for text in below)
    return hashes


def normalised(requirement: str) -> str:
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def test_every_package_is_pinned_with_the_hashes_of_its_files() -> None:
    hashes = pinned() | pinned("packaging/compiler/requirements.txt")
    assert len(hashes) > 50
    assert "ziglang" in hashes
    for name, files in hashes.items():
        assert files, name
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", file) for file in files), name


def test_the_tour_has_the_locked_packages_and_no_more_than_analyses_need() -> None:
    tour = pinned("packaging/tour/requirements.txt")
    locked = pinned()
    assert {name: locked[name] for name in tour} == tour
    assert {"textual", "scikit-learn", "hatchling"} <= tour.keys()
    assert not {"dask", "pytest", "aiohttp", "duckdb"} & tour.keys()


def test_whatever_the_project_asks_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(requirement for extra in extras.values() for requirement in extra),
    ]
    names = {normalised(requirement) for requirement in wanted}
    assert names - {normalised(project["project"]["name"])} <= set(pinned())


def test_make_installs_nothing_that_is_not_hashed() -> None:
    makefile = (ROOT / "Makefile").read_text()
    installs = [
        line for line in makefile.partition("$(TOUR): ")[2].splitlines() if "$(PIP)" in line
    ]
    assert len(installs) == 5  # tour, compiler, package, lock, browser
    assert all("$(HASHED)" in line or "--no-index" in line for line in installs)
    assert "HASHED := --require-hashes" in makefile


def test_actions_are_pinned_by_commit_and_packages_by_the_hashes_of_their_files() -> None:
    workflows = list((ROOT / ".github" / "workflows").glob("*.yml"))
    assert len(workflows) > 1
    for path in workflows:
        text = path.read_text()
        actions = re.findall(r"uses: (.*)", text)
        assert actions
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action) for action in actions)
        installs = re.findall(r"pip install (.*)", text)
        assert all(install.startswith("--require-hashes") for install in installs)
    for file in ("packaging/wheels/requirements.txt", "packaging/wheels/tests.txt"):
        hashes = pinned(file)
        assert {"hatchling", "pytest"} & hashes.keys()
        assert all(files for files in hashes.values())


def test_the_library_works_where_no_interface_is_installed() -> None:
    code = f"""
import sys
for name in {INTERFACE!r}:
    sys.modules[name] = None  # an import of it raises ImportError
import kanon_tui as kn
result = kn.anonymize(kn.Project.load({str(SAMPLES / "ward" / "project.yaml")!r}))
print(result.report["privacy"]["k"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stderr == ""
    assert int(done.stdout) >= 2


def test_the_bill_of_materials_lists_the_lock_file() -> None:
    made = [
        subprocess.run(
            [sys.executable, str(ROOT / "packaging" / "make_sbom.py")],
            capture_output=True, check=True, text=True, timeout=PATIENCE,
        ).stdout
        for _ in range(2)
    ]  # fmt: skip
    assert made[0] == made[1]
    bill = json.loads(made[0])
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    hashes = pinned()
    listed: dict[str, list[str]] = {}
    for each in bill["components"]:
        assert each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}"
        [files] = each["externalReferences"]
        shown = [f"--hash=sha256:{file['content']}" for file in files["hashes"]]
        listed.setdefault(each["name"], []).extend(shown)
    assert listed == hashes
