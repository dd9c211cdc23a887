"""Every Python that the package names is one that is tried."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests import pythons
from tests.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_what_is_named_is_what_pull_requests_are_tried_on() -> None:
    versions = pythons.supported_versions()
    assert PROJECT["requires-python"] == f">={versions[0]}"
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())["jobs"]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == versions
    assert {"run": ".ci/run", "env": {"PYTHON": "python${{ matrix.python }}"}} in (
        jobs["tests"]["steps"]
    )


def test_make_prefers_the_newest_python_that_is_supported() -> None:
    chosen = re.search(r"for p in (.*) python3 python;", (ROOT / "Makefile").read_text())
    assert chosen is not None
    assert chosen[1].split() == [f"python{v}" for v in reversed(pythons.supported_versions())]


def script(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def test_a_python_is_found_on_the_path_or_where_pyenv_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = "{}.{}".format(*sys.version_info)
    shim = tmp_path / "shims" / f"python{version}"
    script(shim, "echo 'pyenv: no version is set' >&2; exit 127")
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    kept = tmp_path / "pyenv" / "versions" / f"{version}.1" / "bin" / "python"
    script(kept, f'exec {sys.executable} "$@"')
    assert pythons.Python(str(shim)).version() is None
    shim_is_first = next(pythons.candidates(version, []))
    assert shim_is_first == pythons.Python(str(shim))
    found = pythons.find(version, [])
    assert found is not None
    assert found.command != str(shim)
    assert pythons.Python(str(kept)) in list(pythons.candidates(version, []))


def test_a_python_of_another_system_is_called_by_its_place_there(tmp_path: Path) -> None:
    script(tmp_path / "usr" / "bin" / "python3.14", "exit 0")
    (python,) = [p for p in pythons.candidates("3.14", [tmp_path]) if p.root]
    assert python.command == "/usr/bin/python3.14"
    assert python.path(python.folder("3.14")) == "/opt/kanon-tui-3.14"


def test_a_python_that_is_not_there_is_not_found() -> None:
    assert pythons.find("3.99", []) is None
