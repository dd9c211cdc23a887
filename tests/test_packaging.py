"""The wheel and the source archive can be built, installed, used and uninstalled."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hatch_build import WARNINGS, compiler
from kanon_tui import __version__
from tests.commands.command_line import ENVIRONMENT, PATIENCE
from tests.paths import ROOT
from tests.test_supply_chain import INTERFACE, normalised

pytestmark = pytest.mark.slow

ON_A_TERMINAL = """
import os, pty, sys
status = pty.spawn([sys.executable, "-m", "kanon_tui", *sys.argv[1:]])
sys.exit(os.waitstatus_to_exitcode(status))
"""

Python = Callable[..., subprocess.CompletedProcess[str]]


def build(project: Path, target: str, folder: Path, compiler: str = "") -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    environment = {**os.environ, **({"CC": compiler} if compiler else {})}
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.iterdir()
    return built


def installed(wheel: Path, folder: Path, hidden: tuple[str, ...] = ()) -> Python:
    """An environment with this wheel alone, which finds other packages where the tests do."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "install", *quiet, str(wheel)], check=True, timeout=PATIENCE)
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    (packages / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    lines = [f"sys.modules[{name!r}] = None" for name in hidden]
    (packages / "sitecustomize.py").write_text("\n".join(["import sys", *lines, ""]))
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONPATH"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python), *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    return run


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def full(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Python:
    return installed(wheel, tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def library(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Python:
    return installed(wheel, tmp_path_factory.mktemp("library"), INTERFACE)


def test_one_wheel_serves_every_python_of_a_platform(wheel: Path) -> None:
    assert "-py3-none-" in wheel.name
    assert not wheel.name.endswith("-any.whl")


def test_the_wheel_brings_its_bill_of_materials(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sbom = archive.read(f"kanon_tui-{__version__}.dist-info/sboms/kanon-tui.cdx.json")
    command = [sys.executable, str(ROOT / "packaging" / "make_sbom.py")]
    made = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout
    assert sbom == made


def test_the_wheel_brings_samples_types_and_the_manual(full: Python) -> None:
    where = full("-c", "import kanon_tui; print(kanon_tui.__file__)").stdout.strip()
    package = Path(where).parent
    assert ROOT not in package.parents
    assert (package / "py.typed").is_file()
    assert (package / "app.tcss").is_file()
    for name in ("screens/help.md", "core/report/report.css", "core/teaching/glossary.md"):
        assert (package / name).is_file()
    assert (package.parents[3] / "share" / "man" / "man1" / "kanon-tui.1").is_file()
    samples = full("-m", "kanon_tui", "demo", "--list")
    assert samples.returncode == 0, samples.stderr
    assert samples.stdout.startswith("census: ") or "\ncensus: " in samples.stdout


def test_the_wheel_opens_its_application(full: Python) -> None:
    done = full(
        "-c",
        "import asyncio\n"
        "from kanon_tui.app import KanonApp\n"
        "from kanon_tui.core.project.samples import find_sample\n"
        "async def look():\n"
        "    app = KanonApp(find_sample('ward').project)\n"
        "    async with app.run_test(size=(80, 24)) as pilot:\n"
        "        await pilot.pause()\n"
        "        print(type(app.screen).__name__)\n"
        "asyncio.run(look())\n",
    )
    assert done.returncode == 0, done.stderr
    assert "Screen" in done.stdout


def test_the_library_alone_runs_a_sample_without_any_interface(library: Python) -> None:
    done = library(
        "-c",
        "import kanon_tui as kn\n"
        "from kanon_tui.core.project.samples import find_sample\n"
        "print(kn.anonymize(kn.Project.load(find_sample('ward').project)).report['privacy']['k'])",
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 2


@pytest.mark.parametrize("command", [(), ("demo", "ward"), ("serve", "--port", "0")])
def test_the_library_alone_says_that_the_application_is_not_there(
    library: Python, command: tuple[str, ...]
) -> None:
    done = library("-c", ON_A_TERMINAL, *command)
    assert done.returncode == 2, done.stdout
    assert "pip install 'kanon-tui'" in " ".join(done.stdout.split())


def test_the_library_needs_what_the_application_needs_less_its_interface() -> None:
    full = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "packaging" / "library-requirements.txt").read_text().splitlines()
    interface = {name.replace("_", "-") for name in INTERFACE}
    kept = [line for line in full["dependencies"] if normalised(line) not in interface]
    assert [line for line in lines if not line.startswith("#")] == kept


def old_wheel(folder: Path) -> Path:
    """A wheel of version 0.2.0 with a module that this version does not have."""
    path = folder / "kanon_tui-0.2.0-py3-none-any.whl"
    info = "kanon_tui-0.2.0.dist-info"
    files = {
        "kanon_tui/__init__.py": "",
        "kanon_tui/of_version_two.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: kanon-tui\nVersion: 0.2.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return path


def test_an_upgrade_leaves_nothing_of_the_old_version(wheel: Path, tmp_path: Path) -> None:
    installed(old_wheel(tmp_path), tmp_path / "env")
    packages = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    assert (packages / "kanon_tui" / "of_version_two.py").exists()
    run = installed(wheel, tmp_path / "env")
    assert not (packages / "kanon_tui" / "of_version_two.py").exists()
    assert [each.name for each in packages.glob("kanon*.dist-info")] == [
        f"kanon_tui-{__version__}.dist-info"
    ]
    assert run("-m", "kanon_tui", "--version").stdout.split() == ["kanon-tui", __version__]


def test_uninstalling_leaves_nothing_behind(wheel: Path, tmp_path: Path) -> None:
    installed(wheel, tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "uninstall", "--quiet", "--yes", "kanon-tui"], check=True)
    assert not list((tmp_path / "env").rglob("libkanon*"))
    assert not list((tmp_path / "env").rglob("kanon_tui/**/*.py"))


def test_the_source_archive_builds_the_same_wheel_without_a_warning(
    wheel: Path, tmp_path: Path
) -> None:
    archive = build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("kanon_tui-*")
    again = build(source, "wheel", tmp_path / "again", shlex.join([*compiler(), *WARNINGS]))
    assert again.read_bytes() == wheel.read_bytes()
